// SPDX-License-Identifier: Apache-2.0
// A bench for the host's network stack: a perfect network card (cuts, checksums and serialises at
// the link's rate, completes a packet when its last bit has left, moderates its interrupt) between
// a core with a stack and a far end. Frames can be lost by number.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <set>
#include <systemc>
#include <utility>

#include "host_driver/core.h"
#include "host_driver/far_end/far_end.h"
#include "host_driver/host_memory.h"
#include "host_driver/net/ip_stack.h"
#include "host_driver/net_device.h"
#include "sim/alarm.h"
#include "sim/timed_fifo.h"

namespace nicsim::host {

struct PerfectNicConfig {
    std::uint64_t link_rate = 1'000'000'000;
    sim::Ps interrupt_spacing = 50 * sim::ps_per_us;
    bool tso = true;
    bool checksum = true;
    sim::Ps launch_error = 0;      ///< every second timed frame is this late
    std::set<std::uint64_t> lose;  ///< numbers of data frames (from 0) that vanish
};

class PerfectNic : public sc_core::sc_module, public NetDriver, private sim::EthernetIf {
public:
    sc_core::sc_export<sim::EthernetIf> in{"in"};
    sc_core::sc_port<sim::EthernetIf> out{"out"};

    PerfectNic(const sc_core::sc_module_name& name, const PerfectNicConfig& config, Core& core,
               HostMemory& memory)
        : sc_module(name),
          config_(config),
          core_(core),
          memory_(memory),
          interrupt_(Job::Action::to<&PerfectNic::on_interrupt>(this)),
          poll_(Job::Action::to<&PerfectNic::poll>(this), Softirq::net_rx),
          alarm_("interrupt", sim::Alarm::Action::to<&PerfectNic::raise>(this)),
          wire_("wire", sim::TimedFifo<Leaving>::Action::to<&PerfectNic::leave>(this)) {
        in.bind(*this);
    }
    void attach(NetDevice& device) { device_ = &device; }

    bool start_xmit(Core& core, const SkbPtr& skb, unsigned, bool) override {
        core.charge(Op::xmit_packet);
        core.charge(Op::mmio_write);
        core.sync();
        const std::uint32_t headers = skb->header_bytes();
        gather(*skb);
        const std::uint32_t payload = skb->length - headers;
        const std::uint32_t piece = skb->is_gso() ? skb->gso_size : payload;
        EXPECT_TRUE(config_.tso || !skb->is_gso());
        std::uint32_t offset = 0;
        do {
            const std::uint32_t length = std::min(piece, payload - offset);
            send_frame(*skb, headers, offset, length, offset + length == payload ? skb : SkbPtr());
            offset += length;
        } while (offset < payload);
        ++packets;
        return true;
    }
    [[nodiscard]] unsigned tx_queues() const override { return 1; }
    [[nodiscard]] Features features() const override {
        return {config_.tso, config_.checksum, 65536, 65535};
    }
    [[nodiscard]] std::uint64_t link_bits_per_second() const override { return config_.link_rate; }

    std::uint64_t packets = 0;
    std::uint64_t data_frames = 0;
    std::uint64_t lost = 0;

private:
    struct Leaving {
        sim::FramePtr frame;
        SkbPtr last_of;  ///< completed when this frame has left
        sim::Ps end = 0;
    };

    void gather(const SkBuff& skb) {
        std::uint32_t at = 0;
        const auto add = [&](const Fragment& f) {
            std::memcpy(buffer_ + at, memory_.at(f.address, f.length), f.length);
            at += f.length;
        };
        add(skb.linear);
        for (unsigned i = 0; i < skb.frag_count; ++i) add(skb.frags[i]);
        EXPECT_EQ(at, skb.length);
    }

    void send_frame(const SkBuff& skb, std::uint32_t headers, std::uint32_t offset,
                    std::uint32_t length, SkbPtr last_of) {
        sim::FramePtr frame = sim::frame_pool().make();
        frame->resize(headers + length);
        std::uint8_t* p = frame->bytes().data();
        std::memcpy(p, buffer_, headers);
        std::memcpy(p + headers, buffer_ + headers + offset, length);
        if (skb.is_gso()) patch(skb, p, headers, offset, length);
        if (skb.checksum_partial) complete_checksum(p, headers + length);
        sim::Ps start = std::max(sim::now(), free_);
        if (skb.transmit_time != 0) {
            start = std::max(start, skb.transmit_time + (timed_++ % 2) * config_.launch_error);
        }
        free_ =
            start + sim::serialisation_time(sim::wire_bytes(headers + length), config_.link_rate);
        const sim::Ps end = start + sim::serialisation_time(sim::wire_bytes(headers + length) - 12,
                                                            config_.link_rate);
        if (length > 0 && config_.lose.count(data_frames++) != 0) {
            ++lost;
            frame = {};
        }
        wire_.push(start, {std::move(frame), std::move(last_of), end});
    }
    static void patch(const SkBuff& skb, std::uint8_t* p, std::uint32_t headers,
                      std::uint32_t offset, std::uint32_t length) {
        std::uint8_t* ip = p + 14;
        put16(ip + 2, static_cast<std::uint16_t>(headers - 14 + length));
        put16(ip + 4, static_cast<std::uint16_t>(get16(ip + 4) + offset / skb.gso_size));
        put16(ip + 10, 0);
        put16(ip + 10, static_cast<std::uint16_t>(~checksum_fold(checksum_sum(ip, 20))));
        put32(ip + 24, get32(ip + 24) + offset);
        if (offset + length < skb.length - headers) ip[33] &= 0xf6;  // FIN and PSH only at the end
    }
    static void complete_checksum(std::uint8_t* p, std::uint32_t length) {
        std::uint8_t* ip = p + 14;
        const bool tcp = ip[9] == protocol_tcp;
        std::uint8_t* field = ip + 20 + (tcp ? 16 : 6);
        put16(field, 0);
        const std::uint64_t pseudo =
            pseudo_header_sum(get32(ip + 12), get32(ip + 16), ip[9], length - 34);
        put16(field, static_cast<std::uint16_t>(
                         ~checksum_fold(pseudo + checksum_sum(ip + 20, length - 34))));
    }

    void leave(Leaving l) {
        if (l.frame) out->deliver(l.frame, sim::now(), l.end);
        if (!l.last_of) return;
        done_.push(std::move(l.last_of));
        alarm_.at_latest(std::max(l.end, next_interrupt_));
    }
    void deliver(const sim::FramePtr& frame, sim::Ps, sim::Ps end) override {
        received_.push(frame);
        alarm_.at_latest(std::max(end, next_interrupt_));
    }
    void raise() { core_.hard_interrupt(interrupt_, core_.config().interrupt_latency); }
    void on_interrupt(Core& core) {
        next_interrupt_ = sim::now() + config_.interrupt_spacing;
        core.raise_softirq(poll_);
    }
    void poll(Core& core) {
        core.charge(Op::napi_poll);
        while (!done_.empty()) {
            core.charge(Op::clean_packet);
            done_.pop();
        }
        while (!received_.empty()) {
            core.charge(Op::receive_packet);
            const sim::FramePtr frame = received_.pop();
            device_->receive(core, frame->bytes().data(), frame->length());
        }
    }

    PerfectNicConfig config_;
    Core& core_;
    HostMemory& memory_;
    NetDevice* device_ = nullptr;
    std::uint8_t buffer_[70'000];
    sim::Ps free_ = 0;
    sim::Ps next_interrupt_ = 0;
    std::uint64_t timed_ = 0;
    sim::RingQueue<SkbPtr> done_;
    sim::RingQueue<sim::FramePtr> received_;
    Job interrupt_;
    Job poll_;
    sim::Alarm alarm_;
    sim::TimedFifo<Leaving> wire_;
};

/// Core, stack, card and far end, wired up.
struct NetBench {
    explicit NetBench(const char* name = "bench", const PerfectNicConfig& nic_config = {},
                      const FarEndConfig& far_config = {}, const CoreConfig& core_config = {})
        : core((std::string(name) + "_core").c_str(), core_config),
          nic((std::string(name) + "_nic").c_str(), nic_config, core, memory),
          device("eth0", nic, memory),
          stack(device, memory, {}),
          far((std::string(name) + "_far").c_str(), far_config) {
        nic.attach(device);
        nic.out.bind(far.in);
        far.out.bind(nic.in);
    }
    static void run_until(sim::Ps t) { sc_core::sc_start(sim::to_sc_time(t - sim::now())); }

    HostMemory memory;
    Core core;
    PerfectNic nic;
    NetDevice device;
    IpStack stack;
    FarEnd far;
};

}  // namespace nicsim::host
