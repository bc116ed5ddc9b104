// SPDX-License-Identifier: Apache-2.0
#include "bench/floor.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <systemc>
#include <tlm>
#include <utility>
#include <vector>

#include "sim/callback.h"
#include "sim/ring_queue.h"

namespace nicsim::bench {
namespace {

using tlm::tlm_generic_payload;

// Figures of a fast link and wire, so that the run is bound by the kernel and not by waiting.
constexpr std::uint64_t ps_per_byte = 127;          // PCIe 8 GT/s x8
constexpr std::uint64_t link_delay_ps = 200'000;    // pipeline and flight
constexpr std::uint64_t credit_delay_ps = 220'000;  // until freed credits are known to the sender
constexpr std::uint32_t tlp_overhead_bytes = 24;
constexpr std::uint64_t wire_ps_per_byte = 80;  // 100 Gbit/s
constexpr std::uint64_t cable_delay_ps = 500'000;
constexpr std::uint64_t interrupt_gap_ps = 2'000'000;
constexpr std::uint32_t ring_entries = 1024;
constexpr std::uint32_t buffer_stride = 2048;

sc_core::sc_time ps(std::uint64_t v) {
    return sc_core::sc_time::from_value(v);
}
std::uint64_t now() {
    return sc_core::sc_time_stamp().value();
}

enum class Kind : std::uint8_t {
    doorbell,
    descriptor_read,
    descriptor_data,
    packet_read,
    packet_data,
    write_back,
    interrupt,
};

struct Tag : tlm::tlm_extension<Tag> {
    Kind kind = Kind::doorbell;
    std::uint32_t slot = 0;
    [[nodiscard]] tlm_extension_base* clone() const override { return new Tag(*this); }
    void copy_from(const tlm_extension_base& other) override {
        *this = static_cast<const Tag&>(other);
    }
};

class Pool : public tlm::tlm_mm_interface {
public:
    tlm_generic_payload* take(Kind kind, std::uint32_t slot, std::uint64_t address,
                              std::uint8_t* data, std::uint32_t length) {
        if (free_.empty()) {
            auto* made = new tlm_generic_payload(this);
            made->set_extension(new Tag);
            free_.push_back(made);
        }
        tlm_generic_payload* p = free_.back();
        free_.pop_back();
        p->acquire();
        p->set_address(address);
        p->set_data_ptr(data);
        p->set_data_length(length);
        p->set_streaming_width(length);
        p->set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
        const bool read = kind == Kind::descriptor_read || kind == Kind::packet_read;
        p->set_command(read ? tlm::TLM_READ_COMMAND : tlm::TLM_WRITE_COMMAND);
        Tag* tag = p->get_extension<Tag>();
        tag->kind = kind;
        tag->slot = slot;
        return p;
    }
    void free(tlm_generic_payload* p) override { free_.push_back(p); }

private:
    std::vector<tlm_generic_payload*> free_;
};

/// One direction of the link: three class queues, header and data credits, one serialiser.
class Link : public sc_core::sc_module {
public:
    using Receiver = sim::Callback<tlm_generic_payload&>;
    SC_HAS_PROCESS(Link);
    Link(const sc_core::sc_module_name& name, std::uint64_t& wakeups)
        : sc_module(name), wakeups_(wakeups) {
        SC_METHOD(transmit);
        sensitive << transmit_event_;
        dont_initialize();
        SC_METHOD(arrive);
        sensitive << arrive_event_;
        dont_initialize();
        SC_METHOD(return_credits);
        sensitive << credit_event_;
        dont_initialize();
    }
    void set_receiver(Receiver receiver) { receiver_ = receiver; }

    void send(tlm_generic_payload* p, unsigned traffic_class, std::uint32_t bytes) {
        queues_[traffic_class].push({p, bytes});
        if (!std::exchange(busy_, true)) transmit_event_.notify(ps(2'000));
    }

private:
    struct Item {
        tlm_generic_payload* payload = nullptr;
        std::uint32_t bytes = 0;
    };
    struct Timed {
        std::uint64_t time = 0;
        Item item;
    };

    void transmit() {
        ++wakeups_;
        for (auto& queue : queues_) {
            if (queue.empty() || headers_ == 0 || data_ < queue.front().bytes) continue;
            const Item item = queue.pop();
            --headers_;
            data_ -= item.bytes;
            const std::uint64_t serial = (item.bytes + tlp_overhead_bytes) * ps_per_byte;
            const bool idle = flight_.empty();
            flight_.push({now() + serial + link_delay_ps, item});
            if (idle) arrive_event_.notify(ps(serial + link_delay_ps));
            transmit_event_.notify(ps(serial));
            return;
        }
        busy_ = false;
    }
    void arrive() {
        ++wakeups_;
        while (!flight_.empty() && flight_.front().time <= now()) {
            const Item item = flight_.pop().item;
            const bool idle = freed_.empty();
            freed_.push({now() + credit_delay_ps, item});
            if (idle) credit_event_.notify(ps(credit_delay_ps));
            receiver_(*item.payload);
        }
        if (!flight_.empty()) arrive_event_.notify(ps(flight_.front().time - now()));
    }
    void return_credits() {
        ++wakeups_;
        while (!freed_.empty() && freed_.front().time <= now()) {
            ++headers_;
            data_ += freed_.pop().item.bytes;
        }
        if (!freed_.empty()) credit_event_.notify(ps(freed_.front().time - now()));
        const bool waiting =
            std::any_of(queues_.begin(), queues_.end(), [](const auto& q) { return !q.empty(); });
        if (waiting && !std::exchange(busy_, true)) transmit_event_.notify(sc_core::SC_ZERO_TIME);
    }

    std::uint64_t& wakeups_;
    Receiver receiver_;
    std::array<sim::RingQueue<Item>, 3> queues_;  // completions, posted, non-posted
    sim::RingQueue<Timed> flight_;
    sim::RingQueue<Timed> freed_;
    std::uint32_t headers_ = 64;
    std::uint64_t data_ = 64 * 1024;
    bool busy_ = false;
    sc_core::sc_event transmit_event_;
    sc_core::sc_event arrive_event_;
    sc_core::sc_event credit_event_;
};

constexpr unsigned class_completion = 0;
constexpr unsigned class_posted = 1;
constexpr unsigned class_nonposted = 2;

class Host : public sc_core::sc_module {
public:
    SC_HAS_PROCESS(Host);
    Host(const sc_core::sc_module_name& name, const FloorConfig& config, Pool& pool, Link& down)
        : sc_module(name), config_(config), pool_(pool), down_(down), memory_(1U << 23) {
        for (std::size_t i = 0; i < memory_.size(); ++i)
            memory_[i] = static_cast<std::uint8_t>(i * 7 + (i >> 11));
        SC_METHOD(start);
    }
    void receive(tlm_generic_payload& p) {
        const Tag& tag = *p.get_extension<Tag>();
        switch (tag.kind) {
            case Kind::descriptor_read:
                complete(p, Kind::descriptor_data);
                break;
            case Kind::packet_read:
                complete(p, Kind::packet_data);
                break;
            case Kind::write_back:
                std::memcpy(&memory_[p.get_address()], p.get_data_ptr(), p.get_data_length());
                break;
            case Kind::interrupt:
                clean();
                break;
            default:
                break;
        }
        p.release();
    }
    [[nodiscard]] std::uint64_t done() const { return done_; }
    static constexpr std::uint64_t head_address = 0x8000;
    static constexpr std::uint64_t buffers = 0x10'0000;

private:
    void start() {
        for (std::uint32_t i = 0; i < config_.outstanding; ++i) post();
    }
    void post() {
        if (posted_ == config_.packets) return;
        const std::uint32_t slot = posted_ % ring_entries;
        const std::uint64_t descriptor[2] = {buffers + std::uint64_t{slot} * buffer_stride,
                                             config_.length};
        std::memcpy(&memory_[slot * 16], descriptor, sizeof descriptor);
        ++posted_;
        std::memcpy(&tails_[slot], &posted_, sizeof posted_);
        down_.send(pool_.take(Kind::doorbell, slot, 0x18,
                              reinterpret_cast<std::uint8_t*>(&tails_[slot]), 4),
                   class_posted, 4);
    }
    void complete(tlm_generic_payload& request, Kind kind) {
        const std::uint32_t slot = request.get_extension<Tag>()->slot;
        for (std::uint32_t offset = 0; offset < request.get_data_length();) {
            const std::uint32_t n =
                std::min(config_.max_payload, request.get_data_length() - offset);
            std::uint8_t* to = request.get_data_ptr() + offset;
            std::memcpy(to, &memory_[request.get_address() + offset], n);
            down_.send(pool_.take(kind, slot, request.get_address() + offset, to, n),
                       class_completion, n);
            offset += n;
        }
    }
    void clean() {
        std::uint64_t head = 0;
        std::memcpy(&head, &memory_[head_address], sizeof head);
        for (; done_ < head; ++done_) post();
        if (done_ == config_.packets) sc_core::sc_stop();
    }

    const FloorConfig& config_;
    Pool& pool_;
    Link& down_;
    std::vector<std::uint8_t> memory_;
    std::array<std::uint64_t, ring_entries> tails_{};
    std::uint64_t posted_ = 0;
    std::uint64_t done_ = 0;
};

class Nic : public sc_core::sc_module {
public:
    SC_HAS_PROCESS(Nic);
    Nic(const sc_core::sc_module_name& name, const FloorConfig& config, Pool& pool, Link& up,
        std::uint64_t& wakeups)
        : sc_module(name), config_(config), pool_(pool), up_(up), wakeups_(wakeups) {
        for (Packet& p : packets_) p.bytes.resize(buffer_stride);
        SC_METHOD(fetch);
        sensitive << fetch_event_;
        dont_initialize();
        SC_METHOD(start_wire);
        sensitive << wire_event_;
        dont_initialize();
        SC_METHOD(end_wire);
        sensitive << end_event_;
        dont_initialize();
        SC_METHOD(far_end);
        sensitive << far_event_;
        dont_initialize();
        SC_METHOD(interrupt);
        sensitive << interrupt_event_;
        dont_initialize();
    }
    void receive(tlm_generic_payload& p) {
        const Tag& tag = *p.get_extension<Tag>();
        switch (tag.kind) {
            case Kind::doorbell:
                read_descriptors(p);
                break;
            case Kind::descriptor_data:
                if (to_fetch_.empty()) fetch_event_.notify(ps(8'000));
                to_fetch_.push(tag.slot);
                break;
            case Kind::packet_data: {
                Packet& packet = packets_[tag.slot];
                packet.received += p.get_data_length();
                if (packet.received < config_.length) break;
                to_wire_.push(tag.slot);
                if (!std::exchange(wire_busy_, true)) wire_event_.notify(ps(6'400));
                break;
            }
            default:
                break;
        }
        p.release();
    }
    [[nodiscard]] std::uint64_t checksum() const { return checksum_; }

private:
    struct Packet {
        std::vector<std::uint8_t> bytes;
        std::uint32_t received = 0;
    };

    void read_descriptors(const tlm_generic_payload& doorbell) {
        std::uint32_t tail = 0;
        std::memcpy(&tail, doorbell.get_data_ptr(), sizeof tail);
        for (; requested_ < tail; ++requested_) {
            const std::uint32_t slot = requested_ % ring_entries;
            up_.send(pool_.take(Kind::descriptor_read, slot, slot * 16,
                                reinterpret_cast<std::uint8_t*>(descriptors_[slot].data()), 16),
                     class_nonposted, 0);
        }
    }
    void fetch() {
        ++wakeups_;
        const std::uint32_t slot = to_fetch_.pop();
        const auto [address, length] =
            std::pair(descriptors_[slot][0], static_cast<std::uint32_t>(descriptors_[slot][1]));
        packets_[slot].received = 0;
        for (std::uint32_t offset = 0; offset < length; offset += config_.max_read_request) {
            const std::uint32_t n = std::min(config_.max_read_request, length - offset);
            up_.send(pool_.take(Kind::packet_read, slot, address + offset,
                                packets_[slot].bytes.data() + offset, n),
                     class_nonposted, 0);
        }
        if (!to_fetch_.empty()) fetch_event_.notify(ps(8'000));
    }
    void start_wire() {
        ++wakeups_;
        on_wire_ = to_wire_.pop();
        end_event_.notify(ps((config_.length + 24) * wire_ps_per_byte));
    }
    void end_wire() {
        ++wakeups_;
        if (in_cable_.empty()) far_event_.notify(ps(cable_delay_ps));
        in_cable_.push({now() + cable_delay_ps, on_wire_});
        ++head_;
        std::uint64_t& slot = heads_[head_ % heads_.size()];
        slot = head_;
        up_.send(pool_.take(Kind::write_back, 0, Host::head_address,
                            reinterpret_cast<std::uint8_t*>(&slot), 8),
                 class_posted, 8);
        if (!std::exchange(interrupt_armed_, true)) interrupt_event_.notify(ps(interrupt_gap_ps));
        if (to_wire_.empty()) {
            wire_busy_ = false;
        } else {
            wire_event_.notify(ps(6'400));
        }
    }
    void far_end() {
        ++wakeups_;
        while (!in_cable_.empty() && in_cable_.front().first <= now()) {
            const Packet& packet = packets_[in_cable_.pop().second];
            for (std::uint32_t i = 0; i < config_.length; i += 64) checksum_ += packet.bytes[i];
        }
        if (!in_cable_.empty()) far_event_.notify(ps(in_cable_.front().first - now()));
    }
    void interrupt() {
        ++wakeups_;
        interrupt_armed_ = false;
        up_.send(pool_.take(Kind::interrupt, 0, 0xfee00000,
                            reinterpret_cast<std::uint8_t*>(&message_), 4),
                 class_posted, 4);
    }

    const FloorConfig& config_;
    Pool& pool_;
    Link& up_;
    std::uint64_t& wakeups_;
    std::array<Packet, ring_entries> packets_;
    std::array<std::array<std::uint64_t, 2>, ring_entries> descriptors_{};
    std::array<std::uint64_t, 1024> heads_{};
    sim::RingQueue<std::uint32_t> to_fetch_;
    sim::RingQueue<std::uint32_t> to_wire_;
    sim::RingQueue<std::pair<std::uint64_t, std::uint32_t>> in_cable_;
    std::uint64_t requested_ = 0;
    std::uint64_t head_ = 0;
    std::uint64_t checksum_ = 0;
    std::uint32_t on_wire_ = 0;
    std::uint32_t message_ = 0;
    bool wire_busy_ = false;
    bool interrupt_armed_ = false;
    sc_core::sc_event fetch_event_;
    sc_core::sc_event wire_event_;
    sc_core::sc_event end_event_;
    sc_core::sc_event far_event_;
    sc_core::sc_event interrupt_event_;
};

}  // namespace

FloorResult run_floor(const FloorConfig& config) {
    std::uint64_t wakeups = 0;
    Pool pool;
    Link up("up", wakeups);
    Link down("down", wakeups);
    Host host("host", config, pool, down);
    Nic nic("nic", config, pool, up, wakeups);
    up.set_receiver(Link::Receiver::to<&Host::receive>(&host));
    down.set_receiver(Link::Receiver::to<&Nic::receive>(&nic));
    sc_core::sc_start();
    return {host.done(), wakeups, nic.checksum()};
}

}  // namespace nicsim::bench
