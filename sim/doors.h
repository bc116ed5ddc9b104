// SPDX-License-Identifier: Apache-2.0
// The doors of a device besides its TLM-2.0 sockets, and what it says of itself to the bus that
// it is put on. Devices and buses both know this page and never each other.
//
// The two sockets are plain TLM-2.0 with tlm_base_protocol_types:
//  registers  target; nb_transport with one phase (BEGIN_REQ answered by TLM_COMPLETED with the
//             read data in place, annotated with the device's access time) and b_transport. Address
//             is the offset in the BAR; BARs beyond the first carry a RegisterBar extension.
//  dma        initiator; nb_transport, base protocol with four phases. Reads: BEGIN_REQ is answered
//             by TLM_UPDATED with END_REQ when the bus has taken the request, or by TLM_ACCEPTED
//             and END_REQ later (back-pressure; one request waits at a time). BEGIN_RESP comes with
//             all data in place; the device answers TLM_COMPLETED. Responses come in any order.
//             Writes are posted: the bus copies the data when it takes the request and answers
//             TLM_COMPLETED, or TLM_ACCEPTED and, later, BEGIN_RESP. Writes and interrupts arrive
//             in the order in which they were taken. A DmaAttributes extension may be attached.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <systemc>
#include <tlm>
#include <vector>

#include "sim/frame.h"
#include "sim/time.h"

namespace nicsim::sim {

/// Interrupts, one vector each. The bus turns them into MSI or MSI-X writes behind the DMA writes
/// that the device issued before, or into a wire.
class InterruptIf : public virtual sc_core::sc_interface {
public:
    /// The device's vector `vector` fires once.
    virtual void raise(unsigned vector) = 0;
};

/// The receiving end of an Ethernet link.
class EthernetIf : public virtual sc_core::sc_interface {
public:
    /// Called when the first preamble bit leaves the sender. `end` is when the last bit of the FCS
    /// leaves it. The cable's delay and the receiver's own time come on top.
    virtual void deliver(const FramePtr& frame, Ps start, Ps end) = 0;
    /// Carrier is lost or found.
    virtual void link_changed(bool up) { (void)up; }
};

/// What a DMA access is for: names the rows of the PCIe statistics and carries the TLP attributes.
enum class DmaPurpose : std::uint8_t {
    other,
    tx_descriptor,
    tx_data,
    tx_writeback,
    rx_descriptor,
    rx_data,
    rx_writeback,
};
constexpr unsigned dma_purposes = 7;
const char* name_of(DmaPurpose purpose);

/// Optional on a DMA transaction; without it purpose `other`, no relaxed ordering.
struct DmaAttributes : tlm::tlm_extension<DmaAttributes> {
    DmaPurpose purpose = DmaPurpose::other;
    bool relaxed_ordering = false;
    bool no_snoop = false;

    [[nodiscard]] tlm_extension_base* clone() const override { return new DmaAttributes(*this); }
    void copy_from(const tlm_extension_base& other) override {
        *this = static_cast<const DmaAttributes&>(other);
    }
};

/// Which BAR a register access means; without it the first memory BAR.
struct RegisterBar : tlm::tlm_extension<RegisterBar> {
    unsigned bar = 0;

    [[nodiscard]] tlm_extension_base* clone() const override { return new RegisterBar(*this); }
    void copy_from(const tlm_extension_base& other) override {
        *this = static_cast<const RegisterBar&>(other);
    }
};

/// How the bus wants DMA requests to be cut. It may change when software configures the bus.
struct BusLimits {
    std::uint32_t max_read_request = 512;  ///< bytes (PCIe MRRS)
    std::uint32_t max_payload = 128;       ///< bytes per write (PCIe MPS)
    std::uint32_t boundary = 4096;         ///< no request crosses a multiple of this
    bool bus_master = false;               ///< DMA is allowed
    bool link_up = true;                   ///< goes false: the loss of the link resets the device
};

struct BarDescription {
    unsigned index = 0;      ///< 0..5
    std::uint64_t size = 0;  ///< bytes, a power of two
    bool io = false;         ///< I/O space instead of memory space
    bool is_64_bit = false;  ///< takes the next index too
    bool prefetchable = false;
};

/// What a device is, told to whatever bus it sits on.
struct DeviceIdentity {
    std::string name;  ///< `i210`
    std::uint16_t vendor_id = 0;
    std::uint16_t device_id = 0;
    std::uint16_t subsystem_vendor_id = 0;
    std::uint16_t subsystem_id = 0;
    std::uint8_t revision = 0;
    std::uint32_t class_code = 0x020000;  ///< Ethernet controller
    std::vector<BarDescription> bars;
    bool msi = false;  ///< one message-signalled interrupt (MSI), for vector 0
    unsigned msix_vectors = 0;
    unsigned msix_bar = 0;
    std::uint32_t msix_table_offset = 0;
    std::uint32_t msix_pba_offset = 0;
    unsigned max_link_generation = 1;
    unsigned max_link_width = 1;
    std::uint32_t max_payload_supported = 128;    ///< bytes
    std::uint32_t max_read_request_limit = 4096;  ///< bytes; requests stay below it whatever is set
    unsigned tags = 32;                  ///< reads in flight that the bus interface can hold
    unsigned posted_header_credits = 0;  ///< advertised by the device; 0 is infinite
    unsigned posted_data_credits = 0;    ///< units of 16 bytes
    unsigned nonposted_header_credits = 0;
    unsigned nonposted_data_credits = 0;
    std::uint64_t serial_number = 0;  ///< of the PCIe capability; 0 for none
};

}  // namespace nicsim::sim
