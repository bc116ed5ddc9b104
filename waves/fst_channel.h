// SPDX-License-Identifier: Apache-2.0
// The two ends that an FstReader needs of its decoder. The decoder is a process (FstProcess); tests
// put recorded or invented words in its place.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <string>
#include <string_view>

#include "waves/wave_reader.h"

namespace nicsim::waves {

class FstChannel {
public:
    virtual ~FstChannel() = default;
    /// Up to `size` bytes of the decoder's words; 0 when it has ended.
    virtual std::size_t read(char* to, std::size_t size) = 0;
    /// Which handles are wanted, a byte each. A decoder that is gone shows at the next read.
    virtual void send(std::string_view bytes) = 0;
    /// After read gave 0: how the decoder ended, for people.
    virtual std::string ending() = 0;
};

/// fstapi in a child process. It is killed when it makes no progress: no word and no processor time
/// used, or no word in spite of much processor time, for `decoder_seconds`.
class FstProcess : public FstChannel {
public:
    /// Throws WaveError.
    FstProcess(const std::string& file, const ReaderOptions& options);
    ~FstProcess() override;
    FstProcess(const FstProcess&) = delete;
    FstProcess& operator=(const FstProcess&) = delete;

    std::size_t read(char* to, std::size_t size) override;
    void send(std::string_view bytes) override;
    std::string ending() override;

private:
    /// Waits until `fd` is ready; false when the child stands still.
    bool wait_for(int fd, short what);
    void stop();

    std::string file_;
    unsigned patience_;  ///< seconds
    pid_t child_ = -1;
    int from_child_ = -1;
    int to_child_ = -1;
    bool stalled_ = false;
};

}  // namespace nicsim::waves
