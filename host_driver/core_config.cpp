// SPDX-License-Identifier: Apache-2.0
#include "host_driver/core_config.h"

#include <cmath>
#include <string>

#include "sim/time.h"

namespace nicsim::host {
namespace {

using namespace sim::literals;

struct OpDeclaration {
    Op op;
    const char* name;
    std::uint64_t default_cost;
    const char* sentence;
    const char* why;
};

// Round figures of a 2020 desktop at about 4 GHz with the usual mitigations on. Only their order of
// magnitude is claimed; a scenario that is bound by the CPU should measure and set its own.
constexpr std::array<OpDeclaration, ops> declarations = {{
    {Op::syscall, "syscall", 150_ns, "Enter and leave the kernel.",
     "a null system call with page-table isolation takes 100-200 ns on such a machine"},
    {Op::copy_byte, "copy_byte", 80_ps, "Copy one byte between user and kernel.",
     "about 12 GB/s from the last-level cache"},
    {Op::tcp_segment, "tcp_segment", 600_ns, "TCP and IP work for one skb sent.",
     "roughly 2400 instructions from tcp_write_xmit to the queue discipline"},
    {Op::tcp_ack, "tcp_ack", 400_ns, "Take one received acknowledgement.",
     "roughly 1600 instructions in tcp_ack and the clean-up of the retransmission queue"},
    {Op::udp_datagram, "udp_datagram", 450_ns, "UDP and IP work for one datagram sent.",
     "roughly 1800 instructions from udp_sendmsg to the queue discipline"},
    {Op::pktgen_packet, "pktgen_packet", 150_ns, "Make one packet of pktgen's (fill_packet).",
     "allocation of an skb with its head, and headers: roughly 600 instructions"},
    {Op::pktgen_round, "pktgen_round", 20_ns,
     "pktgen hands over a packet or a burst: without the driver's work.",
     "the queue's lock and a count of references, three locked instructions of 5-8 ns each, and "
     "softirqs off and on"},
    {Op::gso_segment, "gso_segment", 120_ns, "Cut one segment off in software.",
     "allocation of an skb head and a header copy with its fields"},
    {Op::qdisc_enqueue, "qdisc_enqueue", 40_ns, "Classify and enqueue one packet.",
     "one atomic operation and a list insertion"},
    {Op::qdisc_dequeue, "qdisc_dequeue", 40_ns, "Dequeue one packet.",
     "one atomic operation and a list removal"},
    {Op::xmit_packet, "xmit_packet", 100_ns, "Driver work per packet transmitted.",
     "the driver's transmit function without mapping and descriptors"},
    {Op::map_buffer, "map_buffer", 20_ns, "DMA-map one buffer.", "direct mapping without an IOMMU"},
    {Op::write_descriptor, "write_descriptor", 5_ns, "Fill one descriptor.",
     "two stores to a line in the cache"},
    {Op::mmio_write, "mmio_write", 40_ns, "An uncached store leaves the core.",
     "fence and uncached store as seen by the issuing core"},
    {Op::mmio_read, "mmio_read", 20_ns,
     "Issue an uncached load; the stall until the value returns comes on top.",
     "the round trip is the bus's"},
    {Op::clean_packet, "clean_packet", 80_ns, "Free one transmitted packet.",
     "skb destructor and slab free, warm"},
    {Op::clean_descriptor, "clean_descriptor", 10_ns, "Look at one descriptor when cleaning.",
     "one load, every fourth from a line that the device wrote"},
    {Op::receive_packet, "receive_packet", 350_ns, "Driver and IP work per packet received.",
     "skb allocation, GRO and protocol dispatch"},
    {Op::forward_packet, "forward_packet", 150_ns, "Layer-2 forwarding of one received packet.",
     "look-up of the port, header checks and the call of the other device's queue"},
    {Op::refill_buffer, "refill_buffer", 15_ns, "Give one receive buffer to the device.",
     "page reuse and two stores"},
    {Op::hard_interrupt, "hard_interrupt", 400_ns, "Enter a hard interrupt, its handler, leave.",
     "entry, vector dispatch, NAPI schedule and APIC end of interrupt"},
    {Op::softirq, "softirq", 60_ns, "Enter and leave a softirq pass.", "a few dozen instructions"},
    {Op::napi_poll, "napi_poll", 100_ns, "One call of a poll function, without its packets.",
     "call, list handling and completion"},
    {Op::wake_task, "wake_task", 1200_ns, "Wake a task and switch to it.",
     "scheduler wake-up and context switch on the same core"},
    {Op::timer, "timer", 150_ns, "Program or take a high-resolution timer.",
     "red-black tree insertion and a write of the local timer"},
}};

}  // namespace

const char* name_of(Op op) {
    return declarations[static_cast<unsigned>(op)].name;
}

CoreConfig::CoreConfig()
    : write_combining_line(60_ns),
      interrupt_latency(500_ns),
      task_quantum(500_ns),
      softirq_time_limit(2_ms),
      softirq_restarts(10) {
    for (const OpDeclaration& d : declarations) cost[static_cast<unsigned>(d.op)] = d.default_cost;
}

std::uint64_t CoreConfig::scaled_cost(Op op) const {
    const std::uint64_t nominal = cost_of(op);
    if (relative_clock == 1.0 || op == Op::mmio_write || op == Op::mmio_read) return nominal;
    return static_cast<std::uint64_t>(std::llround(static_cast<double>(nominal) / relative_clock));
}

const sim::ParamTable& CoreConfig::params() {
    static const sim::ParamTable table = [] {
        sim::ParamTable t =
            sim::ParamTableBuilder<CoreConfig>()
                .add("relative_clock", &CoreConfig::relative_clock,
                     {.unit = sim::Unit::ratio,
                      .min = 0.1,
                      .max = 10,
                      .sentence = "Clock of the cores relative to the one that the costs are given "
                                  "for; register accesses do not change with it.",
                      .source = sim::assumed("the profile's own clock")})
                .add("write_combining_line", &CoreConfig::write_combining_line,
                     {.unit = sim::Unit::time,
                      .max = 1e9,
                      .sentence = "A write-combining buffer of 64 bytes fills and leaves the core.",
                      .source = sim::measured(
                          "Chester Gillon, fpga_sio: 57 to 68 ns per line on a Xeon W-2123 with a "
                          "generation 2 x4 device")})
                .add("interrupt_latency", &CoreConfig::interrupt_latency,
                     {.unit = sim::Unit::time,
                      .max = 1e9,
                      .sentence = "From an interrupt message reaching the host to the first "
                                  "instruction of its handler.",
                      .source = sim::assumed("local APIC delivery and exit from a shallow idle "
                                             "state; deeper states are assumed to be disabled")})
                .add("task_quantum", &CoreConfig::task_quantum,
                     {.unit = sim::Unit::time,
                      .max = 1e7,
                      .sentence = "How far a task's steps may run ahead of simulated time before "
                                  "it is made to follow.",
                      .source = sim::assumed("a property of the simulation: below the cost of one "
                                             "packet, so that order between cores holds")})
                .add("softirq_time_limit", &CoreConfig::softirq_time_limit,
                     {.unit = sim::Unit::time,
                      .min = 1e6,
                      .sentence = "Time after which pending softirqs are left to a thread.",
                      .source = sim::driver("kernel/softirq.c, MAX_SOFTIRQ_TIME")})
                .add("softirq_restarts", &CoreConfig::softirq_restarts,
                     {.min = 1,
                      .max = 1000,
                      .sentence = "Passes after which pending softirqs are left to a thread.",
                      .source = sim::driver("kernel/softirq.c, MAX_SOFTIRQ_RESTART")})
                .build();
        const CoreConfig defaults;
        for (const OpDeclaration& d : declarations) {
            const auto i = static_cast<unsigned>(d.op);
            sim::ParamDecl decl;
            decl.name = std::string("cost_") + d.name;
            decl.type = sim::ParamType::integer;
            decl.unit = sim::Unit::time;
            decl.default_value = defaults.cost[i];
            decl.min = 0;
            decl.max = 1e9;
            decl.sentence = d.sentence;
            decl.source = sim::assumed(d.why);
            decl.get = [i](const void* object) -> sim::ParamValue {
                return static_cast<const CoreConfig*>(object)->cost[i];
            };
            decl.set = [i](void* object, const sim::ParamValue& v) {
                static_cast<CoreConfig*>(object)->cost[i] = std::get<std::uint64_t>(v);
            };
            t.push_back(std::move(decl));
        }
        return t;
    }();
    return table;
}

}  // namespace nicsim::host
