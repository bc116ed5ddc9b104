// SPDX-License-Identifier: Apache-2.0
// The registers of one BAR: 32-bit registers at their real offsets with their access rules, and
// hooks for those that do something. Lookup is one table access; nothing is allocated.
//
// Offsets that no register was declared for are answered as plain storage - a write is remembered
// and read back, a read before any write gives 0 - and every such access is counted by offset, so
// that a run can list what software used and the model does not have. They are cleared by reset().
//
// A narrow write (fewer than 32 bits) changes the bits of its lanes only; what a hook is told of
// the others is what a read-write register keeps there, and 0 for other kinds.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <vector>

namespace nicsim::models {

/// How software's reads and writes change a register. `write_mask` limits the bits further.
enum class Access : std::uint8_t {
    read_write,
    read_only,      ///< writes are ignored (but the hook is told)
    write_only,     ///< reads give 0
    read_clear,     ///< a read gives the value and clears it; writes are ignored
    write_1_clear,  ///< ones written clear
    self_clearing,  ///< writes go to the hook only; the register keeps its reset value
};
const char* name_of(Access access);

/// Called on a read with the index in the array; gives the value read (before read-clear).
class ReadHook {
public:
    ReadHook() = default;
    /// `ReadHook::to<&Block::on_read>(this)` with `std::uint32_t on_read(unsigned index)`.
    template <auto Member, class T>
    static ReadHook to(T* object) {
        ReadHook hook;
        hook.object_ = object;
        hook.call_ = [](void* self, unsigned index) {
            return (static_cast<T*>(self)->*Member)(index);
        };
        return hook;
    }
    std::uint32_t operator()(unsigned index) const { return call_(object_, index); }
    explicit operator bool() const { return call_ != nullptr; }

private:
    void* object_ = nullptr;
    std::uint32_t (*call_)(void*, unsigned) = nullptr;
};

/// Called after a write was applied, with the index in the array and the value as software wrote
/// it. The value stored by then follows the access rule and may be changed with Register::set.
class WriteHook {
public:
    WriteHook() = default;
    /// `WriteHook::to<&Block::on_write>(this)` with
    /// `void on_write(unsigned index, std::uint32_t value)`.
    template <auto Member, class T>
    static WriteHook to(T* object) {
        WriteHook hook;
        hook.object_ = object;
        hook.call_ = [](void* self, unsigned index, std::uint32_t value) {
            (static_cast<T*>(self)->*Member)(index, value);
        };
        return hook;
    }
    void operator()(unsigned index, std::uint32_t value) const { call_(object_, index, value); }
    explicit operator bool() const { return call_ != nullptr; }

private:
    void* object_ = nullptr;
    void (*call_)(void*, unsigned, std::uint32_t) = nullptr;
};

/// Declaration of a register or of an array of equal ones.
struct RegisterSpec {
    std::string name;  ///< as in the datasheet, without index: `TDBAL`
    std::uint32_t offset = 0;
    std::uint32_t reset = 0;
    Access access = Access::read_write;
    std::uint32_t write_mask = 0xffff'ffff;  ///< bits that software can change
    unsigned count = 1;
    std::uint32_t stride = 4;
    ReadHook read = {};
    WriteHook write = {};
    /// The read hook has no side effect and also answers debug reads.
    bool pure_read = false;
    /// Keeps its value over reset().
    bool sticky = false;
};

/// A declared register. References stay valid as long as the file lives.
class Register {
public:
    [[nodiscard]] std::uint32_t get(unsigned index = 0) const { return values_[index]; }
    void set(std::uint32_t value) { values_[0] = value; }
    void set(unsigned index, std::uint32_t value) { values_[index] = value; }
    [[nodiscard]] const RegisterSpec& spec() const { return spec_; }

private:
    friend class RegisterFile;
    explicit Register(const RegisterSpec& spec) : spec_(spec), values_(spec.count, spec.reset) {}
    RegisterSpec spec_;
    std::vector<std::uint32_t> values_;
};

/// What software did at an offset that is not modelled.
struct UnmodelledAccess {
    std::uint64_t reads = 0;
    std::uint64_t writes = 0;
    std::uint32_t value = 0;  ///< last written
};

/// The same, as a list for reports.
struct UnmodelledOffset {
    std::uint32_t offset = 0;
    std::uint64_t reads = 0;
    std::uint64_t writes = 0;
};

class RegisterFile {
public:
    /// `size`: bytes of the BAR, a multiple of 4.
    explicit RegisterFile(std::uint32_t size);
    RegisterFile(const RegisterFile&) = delete;
    RegisterFile& operator=(const RegisterFile&) = delete;

    /// Declares a register. Throws std::invalid_argument if it leaves the BAR, is not aligned or
    /// overlaps another.
    Register& add(const RegisterSpec& spec);
    /// The `count` registers from `offset` on also answer at `other`, `other_stride` apart.
    void alias(std::uint32_t other, std::uint32_t offset, unsigned count = 1,
               std::uint32_t other_stride = 4, std::uint32_t stride = 4);
    /// The declared register at this offset, or null.
    [[nodiscard]] Register* find(std::uint32_t offset);

    /// As software reads and writes; `offset` is aligned and inside the BAR.
    std::uint32_t read(std::uint32_t offset);
    /// `lanes`: the bits that the write carries.
    void write(std::uint32_t offset, std::uint32_t value, std::uint32_t lanes = 0xffff'ffff);
    /// The lanes of the write that a hook is being told of.
    [[nodiscard]] std::uint32_t lanes() const { return lanes_; }
    /// Without side effects and without counting: what a debugger sees and changes.
    [[nodiscard]] std::uint32_t peek(std::uint32_t offset) const;
    void poke(std::uint32_t offset, std::uint32_t value);

    /// Every register that is not sticky goes back to its reset value; no hook is called.
    void reset();

    [[nodiscard]] std::uint32_t size() const { return size_; }
    [[nodiscard]] const std::deque<Register>& registers() const { return registers_; }
    [[nodiscard]] const std::map<std::uint32_t, UnmodelledAccess>& unmodelled() const {
        return unmodelled_;
    }
    [[nodiscard]] std::vector<UnmodelledOffset> unmodelled_offsets() const;
    [[nodiscard]] const std::uint64_t& reads() const { return reads_; }
    [[nodiscard]] const std::uint64_t& writes() const { return writes_; }
    [[nodiscard]] const std::uint64_t& unmodelled_accesses() const { return unmodelled_accesses_; }

private:
    struct Slot {
        std::uint16_t number = 0;  ///< of the register, from 1; 0 is nobody
        std::uint16_t index = 0;   ///< in its array
    };
    Slot& claim(std::uint32_t offset, const std::string& name);

    std::uint32_t size_;
    std::uint32_t lanes_ = 0xffff'ffff;
    std::vector<Slot> slots_;
    std::deque<Register> registers_;
    std::map<std::uint32_t, UnmodelledAccess> unmodelled_;
    std::uint64_t reads_ = 0;
    std::uint64_t writes_ = 0;
    std::uint64_t unmodelled_accesses_ = 0;
};

}  // namespace nicsim::models
