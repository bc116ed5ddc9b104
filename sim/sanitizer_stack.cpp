// SPDX-License-Identifier: Apache-2.0
#include "sim/sanitizer_stack.h"

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define NICSIM_ADDRESS_SANITIZER
#endif
#endif
#if defined(__SANITIZE_ADDRESS__)
#define NICSIM_ADDRESS_SANITIZER
#endif

#ifdef NICSIM_ADDRESS_SANITIZER
#include <pthread.h>
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>

#include <cstddef>
#endif

namespace nicsim::sim {

void name_main_stack_to_sanitizer() {
#ifdef NICSIM_ADDRESS_SANITIZER
    pthread_attr_t attributes;
    if (pthread_getattr_np(pthread_self(), &attributes) != 0) return;
    void* bottom = nullptr;
    std::size_t size = 0;
    pthread_attr_getstack(&attributes, &bottom, &size);
    pthread_attr_destroy(&attributes);
    void* fake_stack = nullptr;
    __sanitizer_start_switch_fiber(&fake_stack, bottom, size);
    __sanitizer_finish_switch_fiber(fake_stack, nullptr, nullptr);
    __asan_handle_no_return();  // what an exception on the way out of sc_start has left poisoned
#endif
}

}  // namespace nicsim::sim
