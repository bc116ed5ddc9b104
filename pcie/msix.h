// SPDX-License-Identifier: Apache-2.0
// The MSI-X table and pending-bit array that stand in a device's BAR and belong to its endpoint.
// Modelled: address, data and mask per vector, function mask, pending bits, the message that
// follows an unmask. Not modelled: more than one function, steering tags.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace nicsim::pcie {

struct MsiMessage {
    std::uint64_t address = 0;
    std::uint32_t data = 0;
};

class MsixTable {
public:
    static constexpr unsigned entry_bytes = 16;
    static constexpr std::uint32_t entry_mask = 1;  ///< of the vector control word

    explicit MsixTable(unsigned vectors) : entries_(vectors), pending_(vectors, false) {}

    [[nodiscard]] unsigned vectors() const { return static_cast<unsigned>(entries_.size()); }
    [[nodiscard]] std::uint32_t table_bytes() const { return vectors() * entry_bytes; }
    [[nodiscard]] std::uint32_t pba_bytes() const { return (vectors() + 63U) / 64U * 8U; }

    /// DW accesses; `offset` is from the start of the table or of the PBA.
    [[nodiscard]] std::uint32_t read_table(std::uint32_t offset) const;
    void write_table(std::uint32_t offset, std::uint32_t value, unsigned byte_enables);
    [[nodiscard]] std::uint32_t read_pba(std::uint32_t offset) const;

    /// What the capability's message control says.
    void set_function_mask(bool masked) { function_mask_ = masked; }

    /// The vector fires: the message to send, or nothing if it is masked and now pending.
    std::optional<MsiMessage> raise(unsigned vector);
    /// The next pending vector that is no longer masked, if there is one; clears its bit.
    std::optional<MsiMessage> take_unmasked();
    [[nodiscard]] bool pending(unsigned vector) const { return pending_[vector]; }
    /// Everything as after a reset: all vectors masked, nothing pending.
    void reset();

private:
    struct Entry {
        std::uint64_t address = 0;
        std::uint32_t data = 0;
        std::uint32_t control = entry_mask;
    };
    [[nodiscard]] bool masked(unsigned vector) const {
        return function_mask_ || (entries_[vector].control & entry_mask) != 0;
    }

    std::vector<Entry> entries_;
    std::vector<bool> pending_;
    unsigned pending_count_ = 0;
    bool function_mask_ = false;
};

}  // namespace nicsim::pcie
