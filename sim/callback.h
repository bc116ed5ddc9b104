// SPDX-License-Identifier: Apache-2.0
// A callback without allocation: an object and one of its member functions.
#pragma once

#include <utility>

namespace nicsim::sim {

template <class... Args>
class Callback {
public:
    Callback() = default;

    /// `Callback<int>::to<&Block::on_value>(this)`
    template <auto Member, class T>
    static Callback to(T* object) {
        Callback c;
        c.object_ = object;
        c.call_ = [](void* self, Args... args) {
            (static_cast<T*>(self)->*Member)(std::forward<Args>(args)...);
        };
        return c;
    }

    void operator()(Args... args) const { call_(object_, std::forward<Args>(args)...); }
    explicit operator bool() const { return call_ != nullptr; }

private:
    void* object_ = nullptr;
    void (*call_)(void*, Args...) = nullptr;
};

}  // namespace nicsim::sim
