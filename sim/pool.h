// SPDX-License-Identifier: Apache-2.0
// Reference-counted objects that go back to a free list instead of the heap.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace nicsim::sim {

template <class T>
class Pool;

/// Base of a pooled object. `T` must offer `void recycle()`, which brings it back to its first
/// state without giving up its buffers.
template <class T>
class Pooled {
public:
    Pooled() = default;
    /// Contents are copied, never who owns the object.
    Pooled(const Pooled&) {}
    // NOLINTNEXTLINE(bugprone-unhandled-self-assignment): nothing is assigned
    Pooled& operator=(const Pooled&) { return *this; }

private:
    friend class Pool<T>;
    template <class U>
    friend class PoolPtr;
    std::uint32_t references_ = 0;
    Pool<T>* home_ = nullptr;
};

/// Shared ownership of a pooled object. Not thread safe: one process runs one simulation.
template <class T>
class PoolPtr {
public:
    PoolPtr() = default;
    explicit PoolPtr(T* object) : object_(object) { acquire(); }
    PoolPtr(const PoolPtr& other) : object_(other.object_) { acquire(); }
    PoolPtr(PoolPtr&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
    PoolPtr& operator=(const PoolPtr& other) {
        if (this != &other) *this = PoolPtr(other);
        return *this;
    }
    PoolPtr& operator=(PoolPtr&& other) noexcept {
        T* const object = std::exchange(other.object_, nullptr);
        if (object_ != nullptr) release();
        object_ = object;
        return *this;
    }
    // Most pointers that end have been moved from: only the test is worth its place in the caller.
    ~PoolPtr() {
        if (object_ != nullptr) release();
    }

    [[nodiscard]] T* get() const { return object_; }
    T* operator->() const { return object_; }
    T& operator*() const { return *object_; }
    explicit operator bool() const { return object_ != nullptr; }

private:
    void acquire() {
        if (object_ != nullptr) ++static_cast<Pooled<T>*>(object_)->references_;
    }
    void release() {
        Pooled<T>& counted = *object_;
        if (--counted.references_ == 0) counted.home_->give_back(object_);
    }

    T* object_ = nullptr;
};

template <class T>
class Pool {
public:
    Pool() = default;
    Pool(const Pool&) = delete;
    Pool& operator=(const Pool&) = delete;

    PoolPtr<T> make() {
        if (free_.empty()) {
            all_.push_back(std::make_unique<T>());
            static_cast<Pooled<T>&>(*all_.back()).home_ = this;
            return PoolPtr<T>(all_.back().get());
        }
        T* object = free_.back();
        free_.pop_back();
        return PoolPtr<T>(object);
    }
    /// Objects handed out and not yet returned.
    [[nodiscard]] std::size_t in_use() const { return all_.size() - free_.size(); }
    /// Calls `f` with every object ever made, handed out or not, in order of making.
    template <class F>
    void for_each(F f) {
        for (const std::unique_ptr<T>& object : all_) f(*object);
    }
    /// The most objects that were ever alive at once.
    [[nodiscard]] std::size_t high_water() const { return all_.size(); }

private:
    template <class U>
    friend class PoolPtr;
    void give_back(T* object) {
        object->recycle();
        free_.push_back(object);
    }

    std::vector<std::unique_ptr<T>> all_;
    std::vector<T*> free_;
};

}  // namespace nicsim::sim
