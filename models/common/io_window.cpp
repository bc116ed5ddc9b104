// SPDX-License-Identifier: Apache-2.0
#include "models/common/io_window.h"

namespace nicsim::models {

IoWindow::IoWindow(RegisterFile& target, std::uint32_t address_mask) : target_(target) {
    address_ = &file_.add({.name = "IOADDR", .offset = 0, .write_mask = address_mask});
    file_.add({.name = "IODATA",
               .offset = 4,
               .read = ReadHook::to<&IoWindow::read_data>(this),
               .write = WriteHook::to<&IoWindow::write_data>(this)});
}

std::uint32_t IoWindow::read_data(unsigned) {
    return target_.read(address_->get());
}

void IoWindow::write_data(unsigned, std::uint32_t value) {
    target_.write(address_->get(), value);
}

}  // namespace nicsim::models
