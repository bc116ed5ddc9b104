// SPDX-License-Identifier: Apache-2.0
// A FIFO on a circular array that only allocates when it has to grow.
#pragma once

#include <cassert>
#include <cstddef>
#include <type_traits>
#include <utility>
#include <vector>

namespace nicsim::sim {

template <class T>
class RingQueue {
public:
    explicit RingQueue(std::size_t initial_capacity = 16) {
        std::size_t capacity = 1;
        while (capacity < initial_capacity) capacity *= 2;
        slots_.resize(capacity);
    }

    [[nodiscard]] bool empty() const { return count_ == 0; }
    [[nodiscard]] std::size_t size() const { return count_; }
    [[nodiscard]] T& front() {
        assert(count_ > 0);
        return slots_[head_];
    }
    [[nodiscard]] const T& front() const {
        assert(count_ > 0);
        return slots_[head_];
    }
    [[nodiscard]] T& back() {
        assert(count_ > 0);
        return slots_[index(count_ - 1)];
    }
    /// The i-th element from the front.
    [[nodiscard]] T& operator[](std::size_t i) { return slots_[index(i)]; }
    [[nodiscard]] const T& operator[](std::size_t i) const { return slots_[index(i)]; }

    void push(T value) { extend() = std::move(value); }
    /// A new last element, to be filled in place; it may hold what an earlier one left.
    [[nodiscard]] T& extend() {
        if (count_ == slots_.size()) grow();
        return slots_[index(count_++)];
    }
    T pop() {
        assert(count_ > 0);
        T value = std::move(slots_[head_]);
        if constexpr (!std::is_trivially_destructible_v<T>) slots_[head_] = T{};
        head_ = (head_ + 1) & (slots_.size() - 1);
        --count_;
        return value;
    }
    void clear() {
        while (!empty()) pop();
    }

private:
    [[nodiscard]] std::size_t index(std::size_t i) const {
        return (head_ + i) & (slots_.size() - 1);
    }
    void grow() {
        std::vector<T> larger(slots_.size() * 2);
        for (std::size_t i = 0; i < count_; ++i) larger[i] = std::move(slots_[index(i)]);
        slots_ = std::move(larger);
        head_ = 0;
    }

    std::vector<T> slots_;
    std::size_t head_ = 0;
    std::size_t count_ = 0;
};

}  // namespace nicsim::sim
