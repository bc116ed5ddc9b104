// SPDX-License-Identifier: Apache-2.0
#include "models/dma_bench/config.h"

#include "models/dma_bench/registers.h"

namespace nicsim::models::dma_bench {

const sim::ParamTable& DmaBenchConfig::params() {
    using C = DmaBenchConfig;
    const sim::Source own = sim::assumed("the exerciser is no real device: a choice");
    static const sim::ParamTable table =
        sim::ParamTableBuilder<C>()
            .add("max_link_generation", &C::max_link_generation,
                 {.allowed = {1, 2, 3, 4, 5},
                  .sentence = "Highest generation that the device trains to.",
                  .source = own})
            .add("max_link_width", &C::max_link_width,
                 {.allowed = {1, 2, 4, 8, 16},
                  .sentence = "Most lanes that the device has.",
                  .source = own})
            .add("max_payload", &C::max_payload,
                 {.unit = sim::Unit::bytes,
                  .allowed = {128, 256, 512, 1024, 2048, 4096},
                  .sentence = "Largest payload (MPS) that the device supports.",
                  .source = own})
            .add("tags", &C::tags,
                 {.min = 1,
                  .max = 768,
                  .sentence = "Reads in flight that the device's bus interface can hold: up to 32 "
                              "with 5-bit tags, 256 with 8-bit and 768 with 10-bit tags "
                              "(generation 4 on).",
                  .source = sim::datasheet("PCI Express Base Specification 4.0, 2.2.6.2")})
            .add("issue_interval", &C::issue_interval,
                 {.unit = sim::Unit::time,
                  .max = 1e9,
                  .sentence = "Least time between the starts of two transactions.",
                  .source = sim::assumed("0: limited by the bus alone. 21.1 ns is what "
                                         "pcie-bench/data shows for the writes of an NFP-6000")})
            .add("setup_time", &C::setup_time,
                 {.unit = sim::Unit::time,
                  .max = 1e9,
                  .sentence = "From the start of a transaction to its first request on the bus.",
                  .source = sim::assumed("0: only the bus is measured")})
            .add("copy_rate", &C::copy_rate,
                 {.unit = sim::Unit::bit_rate,
                  .max = 1e13,
                  .sentence = "Rate at which the data of one transaction move, as a whole, between "
                              "bus interface and the engine's memory; transactions move side by "
                              "side. 0: in no time.",
                  .source = sim::assumed("0: only the bus is measured")})
            .add("relaxed_ordering", &C::relaxed_ordering,
                 {.sentence = "Transactions carry the relaxed-ordering attribute.", .source = own})
            .build();
    return table;
}

sim::DeviceIdentity DmaBenchConfig::identity() const {
    sim::DeviceIdentity d;
    d.name = "dma_bench";
    d.vendor_id = vendor_id;
    d.device_id = device_id;
    d.subsystem_vendor_id = vendor_id;
    d.subsystem_id = 1;
    d.revision = 1;
    d.class_code = 0xff0000;  // fits no class
    d.bars = {{.index = 0, .size = bar_bytes},
              {.index = 1, .size = msix_bar_bytes},
              {.index = 2, .size = scratch_bytes, .prefetchable = true}};
    d.msix_vectors = 1;
    d.msix_bar = 1;
    d.msix_table_offset = 0;
    d.msix_pba_offset = msix_bar_bytes / 2;
    d.max_link_generation = static_cast<unsigned>(max_link_generation);
    d.max_link_width = static_cast<unsigned>(max_link_width);
    d.max_payload_supported = static_cast<std::uint32_t>(max_payload);
    d.tags = static_cast<unsigned>(tags);
    d.posted_header_credits = 32;
    d.posted_data_credits = 256;
    d.nonposted_header_credits = 16;
    d.nonposted_data_credits = 16;
    return d;
}

}  // namespace nicsim::models::dma_bench
