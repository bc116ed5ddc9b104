// SPDX-License-Identifier: Apache-2.0
#include "waves/fst_decoder.h"

#include <fcntl.h>
#include <fstapi.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <ctime>
#include <vector>

#include "waves/fst/fst_library.h"
#include "waves/fst_unpack.h"

#if defined(__SANITIZE_ADDRESS__)
#define NICSIM_ADDRESS_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define NICSIM_ADDRESS_SANITIZER 1
#endif
#endif

namespace nicsim::waves::fst {
namespace {

constexpr std::size_t pipe_chunk = 64 * 1024;
constexpr std::size_t longest_path = 64 * 1024;
constexpr std::uint32_t longest_string = 4 * max_width;
constexpr std::uint64_t most_at_a_time = std::uint64_t{1} << 28U;

class Decoder {
public:
    Decoder(int to_parent, int from_parent, const ReaderOptions& options)
        : out_(to_parent), in_(from_parent), options_(options) {
        buffer_.reserve(2 * pipe_chunk);
    }

    void run(const std::string& file) {
        self_ = this;
        nicsim_fst_reset();
        nicsim_fst_give_up = library_gave_up;
        try {
            decode(file);
        } catch (const WaveError& error) {
            give_up(error.what());
        }
    }

private:
    void decode(const std::string& file) {
        // By the name of the descriptor, since fstapi looks for files beside the one it reads.
        const int fd = open_plain_fst(file, options_.decoder_memory / 2);
        void* reader = fstReaderOpen(path_of(fd).c_str());
        if (reader == nullptr) give_up("fstapi does not accept it");
        fstReaderIterBlocksSetNativeDoublesOnCallback(reader, 1);
        handles_ = fstReaderGetMaxHandle(reader);
        put(Word::header);
        put(static_cast<std::int32_t>(fstReaderGetTimescale(reader)));
        put(static_cast<std::uint64_t>(fstReaderGetStartTime(reader)));
        put(static_cast<std::uint64_t>(fstReaderGetEndTime(reader)));
        put(static_cast<std::uint32_t>(handles_));
        const char* version = fstReaderGetVersionString(reader);
        text(version, strnlen(version, 128));
        hierarchy(reader);
        put(Word::ready);
        flush();
        selection(reader);
        if (fstReaderIterBlocks2(reader, on_change, on_string, this, nullptr) == 0)
            give_up("fstapi stopped");
        put(Word::done);
        flush();
        _exit(0);
    }

    void hierarchy(void* reader) {
        kinds_.assign(handles_, Kind::bits);
        widths_.assign(handles_, 0);
        std::vector<std::size_t> open;
        std::string scopes;
        while (const fstHier* item = fstReaderIterateHier(reader)) {
            if (item->htyp == FST_HT_SCOPE) {
                open.push_back(scopes.size());
                if (scopes.size() + item->u.scope.name_length > longest_path)
                    give_up("the path of a scope is too long");
                if (item->u.scope.name_length != 0) {
                    const char* name = item->u.scope.name;
                    const bool escaped = name[0] == '\\' && name[1] != 0;
                    scopes.append(escaped ? name + 1 : name).append(".");
                }
            } else if (item->htyp == FST_HT_UPSCOPE) {
                if (open.empty()) give_up("a scope is left that was not entered");
                scopes.resize(open.back());
                open.pop_back();
            } else if (item->htyp == FST_HT_VAR) {
                variable(*item, scopes);
            }
        }
    }

    void variable(const fstHier& item, const std::string& scopes) {
        const auto& var = item.u.var;
        Kind kind = Kind::bits;
        switch (var.typ) {
            case FST_VT_VCD_REAL:
            case FST_VT_VCD_REAL_PARAMETER:
            case FST_VT_VCD_REALTIME:
            case FST_VT_SV_SHORTREAL:
                kind = Kind::real;
                break;
            case FST_VT_GEN_STRING:
                kind = Kind::string;
                break;
            case FST_VT_VCD_EVENT:
                kind = Kind::event;
                break;
            default:
                break;
        }
        if (var.handle == 0 || var.handle > handles_) give_up("a variable has no values");
        if (kind == Kind::bits && (var.length == 0 || var.length > max_width))
            give_up("the width of a variable is out of range");
        kinds_[var.handle - 1] = kind;
        widths_[var.handle - 1] = kind == Kind::bits ? var.length : kind == Kind::real ? 64 : 0;
        put(Word::variable);
        put(kind);
        put(widths_[var.handle - 1]);
        put(static_cast<std::uint32_t>(var.handle - 1));
        text(scopes.data(), scopes.size());
        const bool escaped = var.name[0] == '\\' && var.name[1] != 0;
        text(var.name + (escaped ? 1 : 0), var.name_length - (escaped ? 1U : 0U));
    }

    void selection(void* reader) {
        std::vector<char> wanted(handles_);
        for (std::size_t got = 0; got < wanted.size();) {
            const ssize_t n = ::read(in_, wanted.data() + got, wanted.size() - got);
            if (n == 0) _exit(0);  // the parent wanted the names only
            if (n < 0 && errno != EINTR) _exit(1);
            if (n > 0) got += static_cast<std::size_t>(n);
        }
        fstReaderClrFacProcessMaskAll(reader);
        for (std::uint32_t i = 0; i < handles_; ++i)
            if (wanted[i] != 0) fstReaderSetFacProcessMask(reader, i + 1);
    }

    static void on_change(void* self, std::uint64_t time, fstHandle handle,
                          const unsigned char* value) {
        auto& decoder = *static_cast<Decoder*>(self);
        if (handle == 0 || handle > decoder.handles_) decoder.give_up("a change of nothing");
        const Kind kind = decoder.kinds_[handle - 1];
        std::size_t length = 0;
        if (kind == Kind::bits) length = decoder.widths_[handle - 1];
        if (kind == Kind::real) length = 8;
        // The state of an event before it first happened.
        if (kind == Kind::event && value[0] != '1') return;
        decoder.value(time, handle - 1, value, length);
    }

    static void on_string(void* self, std::uint64_t time, fstHandle handle,
                          const unsigned char* value, std::uint32_t length) {
        auto& decoder = *static_cast<Decoder*>(self);
        if (handle == 0 || handle > decoder.handles_) decoder.give_up("a change of nothing");
        // fstapi delivers everything here once this callback is given.
        if (decoder.kinds_[handle - 1] != Kind::string) return on_change(self, time, handle, value);
        if (length > longest_string) decoder.give_up("a string is too long");
        decoder.value(time, handle - 1, value, length);
    }

    void value(std::uint64_t time, std::uint32_t handle, const unsigned char* bytes,
               std::size_t length) {
        if (!time_known_ || time != time_) {
            put(Word::time);
            put(time);
            time_ = time;
            time_known_ = true;
            at_this_time_ = 0;
        }
        // A table that leads back to itself would go on for ever.
        if (++at_this_time_ > most_at_a_time) give_up("too many changes in one instant");
        put(Word::change);
        put(handle);
        text(reinterpret_cast<const char*>(bytes), length);
        if (buffer_.size() >= pipe_chunk) flush();
    }

    template <class T>
    void put(T value) {
        buffer_.append(reinterpret_cast<const char*>(&value), sizeof value);
    }
    void text(const char* bytes, std::size_t length) {
        put(static_cast<std::uint32_t>(length));
        buffer_.append(bytes, length);
        if (buffer_.size() >= 16 * pipe_chunk) flush();
    }
    void flush() {
        for (std::size_t sent = 0; sent < buffer_.size();) {
            const ssize_t n = ::write(out_, buffer_.data() + sent, buffer_.size() - sent);
            if (n < 0 && errno != EINTR) _exit(1);  // the parent has gone on
            if (n > 0) sent += static_cast<std::size_t>(n);
        }
        buffer_.clear();
        allow_time();
    }
    /// The limit on processor time counts from the last progress.
    void allow_time() const {
        timespec used{};
        ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
        const auto limit = static_cast<rlim_t>(used.tv_sec) + 1 + options_.decoder_seconds;
        rlimit bound{};
        ::getrlimit(RLIMIT_CPU, &bound);
        bound.rlim_cur = std::min(limit, bound.rlim_max);
        ::setrlimit(RLIMIT_CPU, &bound);
    }
    static void library_gave_up(int status) {
        self_->give_up(status == NICSIM_FST_ENDLESS ? "a name has no end"
                                                    : "something in it cannot be unpacked");
    }
    [[noreturn]] void give_up(std::string_view why) {
        put(Word::error);
        text(why.data(), std::min<std::size_t>(why.size(), 1024));
        flush();
        _exit(1);
    }

    static inline Decoder* self_ = nullptr;  ///< there is one in a process

    int out_;
    int in_;
    ReaderOptions options_;
    std::string buffer_;
    std::uint32_t handles_ = 0;
    std::vector<Kind> kinds_;
    std::vector<std::uint32_t> widths_;
    std::uint64_t time_ = 0;
    std::uint64_t at_this_time_ = 0;
    bool time_known_ = false;
};

void limit(int resource, rlim_t value) {
    rlimit bound{};
    ::getrlimit(static_cast<__rlimit_resource_t>(resource), &bound);
    bound.rlim_cur = std::min(value, bound.rlim_max);
    ::setrlimit(static_cast<__rlimit_resource_t>(resource), &bound);
}

}  // namespace

void decode(const std::string& file, int to_parent, int from_parent, const ReaderOptions& options) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    ::prctl(PR_SET_DUMPABLE, 0);
    for (const int number :
         {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL, SIGXCPU, SIGPIPE, SIGINT, SIGTERM, SIGHUP})
        std::signal(number, SIG_DFL);
    // Whatever the decoder prints is worth nothing to users.
    const int nothing = ::open("/dev/null", O_RDWR);
    for (const int fd : {0, 1, 2}) ::dup2(nothing, fd);
    const int low = std::min(to_parent, from_parent);
    const int high = std::max(to_parent, from_parent);
    if (low > 3) ::close_range(3, static_cast<unsigned>(low - 1), 0);
    if (high > low + 1)
        ::close_range(static_cast<unsigned>(low + 1), static_cast<unsigned>(high - 1), 0);
    ::close_range(static_cast<unsigned>(high + 1), ~0U, 0);
    limit(RLIMIT_CORE, 0);
    limit(RLIMIT_FSIZE, options.decoder_memory);
    limit(RLIMIT_CPU, options.decoder_seconds + 1);
#ifndef NICSIM_ADDRESS_SANITIZER
    limit(RLIMIT_AS, options.decoder_memory);
#endif
    try {
        Decoder(to_parent, from_parent, options).run(file);
    } catch (...) {
        _exit(1);
    }
    _exit(1);
}

}  // namespace nicsim::waves::fst
