// SPDX-License-Identifier: Apache-2.0
// A transmit packet buffer that decides at the edges of its clock, whatever its decisions are made
// of: TxBlockModel in C++ or an RTL block. What happens between two edges counts at the second, and
// what happens in the instant of an edge at that one; then one frame at most is granted to the data
// fetch, and one put on the wire.
//
// An edge is looked at only if something can come of it: a read can be issued and a packet is
// offered, or the wire is free and a frame is stored. For what only time brings about - a launch
// time, credit that comes back - the edge is calculated.
#pragma once

#include <cstdint>

#include "models/common/clock_edges.h"
#include "models/i210/tx_block.h"

namespace nicsim::models::i210 {

class ClockedTxBlock : public TxBlockIf {
public:
    // ---- TxBlockIf: the answers of the last edge, each given once ----
    PacketBufferIf& buffer() final { return buffer_; }
    [[nodiscard]] FetchState fetch_state(unsigned queue) final;
    int choose_fetch() final;
    TransmitChoice choose_send() final;
    void shaper_changed(unsigned queue, const TxShaperSettings& settings) final;
    void link_changed(std::uint64_t rate) final;
    void stored(unsigned queue, bool ok) final;
    void dropped(unsigned queue) final;
    void update_backlogs() final;
    void sending(unsigned queue, const MacTx::Times& times) final;
    void sent() final;
    void reset() final;

protected:
    explicit ClockedTxBlock(const TxBlockContext& context);

    struct Decided {
        int fetch = -1;  ///< queue, or nobody
        int send = -1;
        WireState reason = WireState::starved;  ///< why nobody sends, if the wire is free
    };
    /// Runs the clocks up to `edge` and decides there.
    virtual Decided clock(std::uint64_t edge) = 0;
    /// Something was told that one clock could not take.
    [[nodiscard]] virtual bool events_left() const { return false; }
    /// Room in the partitions.
    virtual PacketBufferIf& account() = 0;
    /// When the credit of an SR queue will not be negative any more.
    virtual sim::Ps credit_ready(unsigned queue) = 0;

    // What is told, as above; it counts at next_edge().
    virtual void set_shaper(unsigned queue, const TxShaperSettings& settings) = 0;
    virtual void set_link(std::uint64_t rate) = 0;
    virtual void take_stored(unsigned queue, bool ok) = 0;
    virtual void take_dropped(unsigned queue) = 0;
    virtual void take_backlogs() = 0;
    virtual void take_sending(unsigned queue, const MacTx::Times& times) = 0;
    virtual void take_sent() = 0;
    virtual void clear_block() = 0;

    /// The edge at which counts what happens now.
    [[nodiscard]] std::uint64_t next_edge() const { return edges_.next(sim::now()); }
    /// The block is emptied at this edge and decides nothing.
    [[nodiscard]] bool clears(std::uint64_t edge) const { return edge == cleared_; }
    [[nodiscard]] std::uint64_t edges_done() const { return edges_.done(); }
    void advance(std::uint64_t edges) { edges_.advance(edges); }
    /// A read can be issued now and somebody offers a packet.
    [[nodiscard]] bool can_fetch() const;
    /// The wire is free and a frame is stored.
    [[nodiscard]] bool can_send() const;

    // NOLINTNEXTLINE(*-non-private-member-variables-in-classes): the same for all that decide
    TxBlockContext context_;

private:
    /// The account, which brings about an edge when it changes.
    class Buffer final : public PacketBufferIf {
    public:
        explicit Buffer(ClockedTxBlock& block) : block_(block) {}
        void configure(std::span<const std::uint32_t> bytes, bool shared) override;
        void set_fetch_threshold(std::uint32_t bytes) override;
        void set_fetch_threshold(unsigned queue, std::uint32_t bytes) override;
        [[nodiscard]] bool fetch_allowed(unsigned queue) const override;
        [[nodiscard]] std::uint32_t free_bytes(unsigned queue) const override;
        void reserve(unsigned queue, std::uint32_t bytes) override;
        void release(unsigned queue, std::uint32_t bytes) override;
        [[nodiscard]] std::uint32_t used_bytes(unsigned queue) const override;
        void clear() override;

    private:
        ClockedTxBlock& block_;
    };

    void on_edge();
    /// Lets the device act on what was decided.
    void hand_on(const Decided& decided);
    [[nodiscard]] bool fetch_time_reached(unsigned queue, const TxPacket& packet) const;
    void ask() { edges_.ask(sim::now()); }
    /// Asks for the next edge if something can come of it.
    void look() {
        if (!deciding_ && (can_send() || can_fetch())) ask();
    }
    /// When the decision may be another one though nothing happens.
    [[nodiscard]] sim::Ps next_change();
    [[nodiscard]] sim::Ps fetch_change(unsigned queue);
    [[nodiscard]] sim::Ps send_change(unsigned queue);

    Edges edges_;
    Buffer buffer_{*this};
    std::uint64_t cleared_ = ~std::uint64_t{0};
    int fetch_ = -1;
    int send_ = -1;
    WireState reason_ = WireState::starved;
    bool nobody_fetches_ = false;  ///< whatever the bus takes, until something is told
    bool deciding_ = false;        ///< the device acts on a decision: nothing new to look at
};

}  // namespace nicsim::models::i210
