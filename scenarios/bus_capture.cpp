// SPDX-License-Identifier: Apache-2.0
#include "scenarios/bus_capture.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <stdexcept>

#include "pcie/link.h"
#include "scenarios/diagnostics.h"

namespace nicsim::scenarios {
namespace {

constexpr std::size_t buffer_bytes = std::size_t{1} << 18U;

bool ends_with(const std::string& text, const std::string& end) {
    return text.size() > end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

[[noreturn]] void cannot(const std::string& path, const std::string& why) {
    throw InputError(fmt::format("--tlp {}: cannot be written: {}\n", printable(path, 200), why));
}

pcie::TlpFilter filter_of(const std::string& expression) {
    try {
        return pcie::TlpFilter(expression);
    } catch (const std::invalid_argument& e) {
        throw InputError(fmt::format("--tlp-filter: {}\n", e.what()));
    }
}

}  // namespace

BusCapture::BusCapture(const std::string& path, const std::string& filter) : path_(path) {
    if (path.empty()) {
        if (!filter.empty()) throw InputError("--tlp-filter: needs --tlp FILE\n");
        return;
    }
    const bool json = ends_with(path, ".jsonl");
    if (!json && !ends_with(path, ".txt"))
        throw InputError(
            fmt::format("--tlp {}: the name must end in .txt (text) or .jsonl (JSON lines)\n",
                        printable(path, 200)));
    const pcie::TlpFilter parsed = filter_of(filter);
    filter_links_ = parsed.links();
    std::error_code error;
    if (std::filesystem::is_directory(path, error)) cannot(path, "it is a folder");
    const std::filesystem::path target(path);
    const std::filesystem::path folder =
        target.has_parent_path() ? target.parent_path() : std::filesystem::path(".");
    temporary_ = (folder / ("." + target.filename().string() + ".XXXXXX")).string();
    file_ = mkstemp(temporary_.data());
    if (file_ < 0) cannot(path, std::strerror(errno));
    capture_ = std::make_unique<pcie::TlpCapture>(
        json ? pcie::CaptureFormat::json_lines : pcie::CaptureFormat::text, parsed,
        [this](std::string_view line) { write(line); });
}

BusCapture::~BusCapture() {
    if (file_ < 0) return;
    close(file_);
    unlink(temporary_.c_str());
}

void BusCapture::attach(Machine& machine) {
    if (!capture_) return;
    std::vector<std::string> names;
    for (pcie::Link* link : machine.links()) {
        link->observe(*capture_);
        names.emplace_back(link->basename());
    }
    for (const std::string& wanted : filter_links_)
        if (std::find(names.begin(), names.end(), wanted) == names.end())
            throw InputError(fmt::format("--tlp-filter: there is no link '{}'; the links are {}\n",
                                         printable(wanted, 200), fmt::join(names, ", ")));
}

void BusCapture::write(std::string_view text) {
    buffer_ += text;
    if (buffer_.size() >= buffer_bytes) flush();
}

void BusCapture::flush() {
    for (std::size_t done = 0; done < buffer_.size() && error_ == 0;) {
        const ssize_t n = ::write(file_, buffer_.data() + done, buffer_.size() - done);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0)
            error_ = n < 0 ? errno : ENOSPC;
        else
            done += static_cast<std::size_t>(n);
    }
    buffer_.clear();
}

void BusCapture::finish(Machine& machine) {
    if (!capture_) return;
    for (pcie::Link* link : machine.links()) link->settle();
    capture_->finish();
    flush();
    if (error_ == 0 && fsync(file_) != 0 && errno != EINVAL && errno != EROFS) error_ = errno;
    const mode_t mask = umask(0);
    umask(mask);
    if (error_ == 0 && fchmod(file_, 0666 & ~mask) != 0) error_ = errno;
    if (close(file_) != 0 && error_ == 0) error_ = errno;
    file_ = -1;
    if (error_ == 0 && rename(temporary_.c_str(), path_.c_str()) != 0) error_ = errno;
    if (error_ == 0) return;
    unlink(temporary_.c_str());
    cannot(path_, std::strerror(error_));
}

}  // namespace nicsim::scenarios
