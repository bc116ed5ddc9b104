// SPDX-License-Identifier: Apache-2.0
#include "pcie/nic_budget.h"

#include <algorithm>
#include <array>

namespace nicsim::pcie {
namespace {

constexpr std::uint32_t register_bytes = 4;
constexpr std::uint32_t descriptor_bytes = 16;
constexpr std::uint32_t message_bytes = 4;

/// How many packets share a cost; 0: it does not occur.
struct Batches {
    double transmit_doorbell, descriptor_fetch, descriptors_fetched, transmit_write_back,
        transmit_interrupt, transmit_head_read;
    double receive_doorbell, receive_interrupt, receive_head_read;
};

constexpr Batches batches_of(NicModel model) {
    switch (model) {
        case NicModel::kernel:
            return {1, 40, 40, 8, 32, 1, 32, 32, 8};
        case NicModel::dpdk:
            return {32, 40, 40, 8, 0, 0, 32, 0, 0};
        default:
            return {1, 1, 1, 0, 1, 1, 1, 1, 1};
    }
}

double share(double packets) {
    return packets == 0 ? 0.0 : 1.0 / packets;
}

/// One packet's road in one direction.
class Road {
public:
    Road(const LinkConfig& link, CompletionPolicy policy, TlpOverhead o)
        : link_(link), policy_(policy), o_(o) {}

    /// A register write of the host.
    void doorbell(double times) { sum_.add({.up = 0, .down = register_bytes + o_.write}, times); }
    /// A register read of the host.
    void register_read(double times) {
        sum_.add({.up = register_bytes + o_.completion, .down = o_.read}, times);
    }
    void read(std::uint32_t bytes, double times) {
        sum_.add(bulk_read(link_, bytes, policy_, o_), times);
    }
    void write(std::uint32_t bytes, double times) { sum_.add(bulk_write(link_, bytes, o_), times); }
    void interrupt(double times) { write(message_bytes, times); }
    void lose_up(double bytes) { sum_.up -= bytes; }
    [[nodiscard]] const PacketBytes& sum() const { return sum_; }

private:
    const LinkConfig& link_;
    CompletionPolicy policy_;
    TlpOverhead o_;
    PacketBytes sum_;
};

double rate(const LinkConfig& link, std::uint32_t size, double up, double down) {
    return tlp_capacity(link) * size / std::max(up, down);
}

}  // namespace

const char* name_of(NicModel model) {
    static constexpr std::array<const char*, nic_models> names = {"simple", "kernel", "dpdk"};
    return names[static_cast<unsigned>(model)];
}

PacketBytes& PacketBytes::add(const WireBytes& bytes, double times) {
    up += static_cast<double>(bytes.up) * times;
    down += static_cast<double>(bytes.down) * times;
    return *this;
}

NicBudget nic_budget(const LinkConfig& link, NicModel model, std::uint32_t size, bool as_published,
                     CompletionPolicy policy, TlpOverhead o) {
    const Batches b = batches_of(model);
    Road tx(link, policy, o);
    tx.doorbell(share(b.transmit_doorbell));
    tx.read(descriptor_bytes * static_cast<std::uint32_t>(b.descriptors_fetched),
            share(b.descriptor_fetch));
    tx.read(size, 1);
    if (b.transmit_write_back != 0)
        tx.write(descriptor_bytes * static_cast<std::uint32_t>(b.transmit_write_back),
                 share(b.transmit_write_back));
    tx.interrupt(share(b.transmit_interrupt));
    tx.register_read(share(b.transmit_head_read));

    Road rx(link, policy, o);
    rx.doorbell(share(b.receive_doorbell));
    rx.read(descriptor_bytes, 1);
    rx.write(size, 1);
    rx.write(descriptor_bytes, 1);
    rx.interrupt(share(b.receive_interrupt));
    rx.register_read(share(b.receive_head_read));
    if (as_published) rx.lose_up(o.read);

    NicBudget out;
    out.transmit = tx.sum();
    out.receive = rx.sum();
    out.transmit_rate = rate(link, size, out.transmit.up, out.transmit.down);
    out.receive_rate = rate(link, size, out.receive.up, out.receive.down);
    out.both_rate =
        rate(link, size, out.transmit.up + out.receive.up, out.transmit.down + out.receive.down);
    return out;
}

}  // namespace nicsim::pcie
