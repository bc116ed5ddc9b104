// SPDX-License-Identifier: Apache-2.0
// Small FST files of every kind that fstapi can write, and for each the words of its decoder, to
// start the fuzzers from.
// usage: fuzz_make_seeds FOLDER   (writes FOLDER/fst/* and FOLDER/words/*)
#include <fstapi.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>

#include "waves/fst_channel.h"

namespace {

struct Form {
    const char* name;
    fstWriterPackType pack;
    bool whole;        ///< packed again as a whole
    unsigned vectors;  ///< how many
};
constexpr std::array<Form, 6> forms{{{"lz4", FST_WR_PT_LZ4, false, 4},
                                     {"zlib", FST_WR_PT_ZLIB, false, 4},
                                     {"fastlz", FST_WR_PT_FASTLZ, false, 4},
                                     {"whole", FST_WR_PT_LZ4, true, 4},
                                     {"wide", FST_WR_PT_LZ4, false, 40},
                                     {"one", FST_WR_PT_LZ4, false, 1}}};

unsigned width_of(unsigned vector) {
    return 1 + 7 * vector % 64;
}

void write(const std::string& file, const Form& form) {
    void* to = fstWriterCreate(file.c_str(), 1);
    fstWriterSetTimescale(to, -12);
    fstWriterSetVersion(to, "seed");
    fstWriterSetPackType(to, form.pack);
    fstWriterSetRepackOnClose(to, form.whole ? 1 : 0);
    fstWriterSetScope(to, FST_ST_VCD_MODULE, "tb", nullptr);
    const auto clock = fstWriterCreateVar(to, FST_VT_VCD_WIRE, FST_VD_INPUT, 1, "clk", 0);
    fstWriterSetAttrBegin(to, FST_AT_MISC, FST_MT_COMMENT, "a comment", 1);
    fstWriterSetScope(to, FST_ST_VCD_MODULE, "dut", nullptr);
    const auto real = fstWriterCreateVar(to, FST_VT_VCD_REAL, FST_VD_IMPLICIT, 64, "level", 0);
    const auto string = fstWriterCreateVar(to, FST_VT_GEN_STRING, FST_VD_IMPLICIT, 0, "state", 0);
    const auto event = fstWriterCreateVar(to, FST_VT_VCD_EVENT, FST_VD_IMPLICIT, 1, "go", 0);
    fstWriterCreateVar(to, FST_VT_VCD_WIRE, FST_VD_OUTPUT, 1, "clk_too", clock);
    std::array<fstHandle, 40> counts{};
    for (unsigned i = 0; i < form.vectors; ++i) {
        const std::string name =
            "count" + std::to_string(i) + " [" + std::to_string(width_of(i) - 1) + ":0]";
        counts[i] =
            fstWriterCreateVar(to, FST_VT_VCD_REG, FST_VD_IMPLICIT, width_of(i), name.c_str(), 0);
    }
    fstWriterSetUpscope(to);
    fstWriterSetUpscope(to);
    for (unsigned time = 0; time < 12; ++time) {
        fstWriterEmitTimeChange(to, time * 5U);
        fstWriterEmitValueChange(to, clock, (time & 1U) != 0 ? "1" : "0");
        for (unsigned i = 0; i < form.vectors; ++i)
            fstWriterEmitValueChange64(to, counts[i], width_of(i), time);
        const double level = 0.25 * time;
        if (time % 3 == 0) fstWriterEmitValueChange(to, real, &level);
        if (time % 4 == 1) fstWriterEmitVariableLengthValueChange(to, string, "idle", 4);
        if (time % 5 == 2) fstWriterEmitValueChange(to, event, "1");
        if (time == 4) fstWriterEmitValueChange(to, counts[0], "x");
        if (time == 5) fstWriterEmitDumpActive(to, 0);
        if (time == 6) fstWriterEmitDumpActive(to, 1);
        if (time == 7) fstWriterFlushContext(to);
    }
    fstWriterClose(to);
}

/// All that the decoder says, with everything wanted.
void record(const std::string& file, const std::string& to) {
    using namespace nicsim::waves;
    FstProcess decoder(file, {});
    std::ofstream out(to, std::ios::binary);
    std::array<char, 4096> bytes{};
    decoder.send(std::string(64, '\1'));
    while (const std::size_t got = decoder.read(bytes.data(), bytes.size()))
        out.write(bytes.data(), static_cast<std::streamsize>(got));
    out.put('\0');
}

}  // namespace

extern "C" int sc_main(int argc, char** argv) {
    if (argc != 2) {
        std::fputs("usage: fuzz_make_seeds FOLDER\n", stderr);
        return 2;
    }
    const std::filesystem::path folder = argv[1];
    std::filesystem::create_directories(folder / "fst");
    std::filesystem::create_directories(folder / "words");
    for (const Form& form : forms) {
        const std::string file = folder / "fst" / form.name;
        write(file, form);
        record(file, folder / "words" / form.name);
    }
    return 0;
}
