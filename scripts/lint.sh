#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# clang-tidy over the sources that are compiled (not the tests).
#   scripts/lint.sh [PATH_PREFIX ...]      e.g. scripts/lint.sh pcie/ models/
set -euo pipefail
. "$(dirname "$0")/lib/setup.sh"
cd "$project_dir"
install_missing "${build_packages[@]}" "${test_packages[@]}"
command -v clang-tidy >/dev/null || install_missing clang-tidy
# clang's own build: its commands hold no option that clang-tidy does not know. The RTL blocks are
# translated first, as their headers are included.
cmake --preset clang >/dev/null
cmake --build build/clang --target nicsim_verilated >/dev/null
[ $# -gt 0 ] || set -- sim/ pcie/ models/ host_driver/ waves/ scenarios/
mapfile -t sources < <(for p in "$@"; do git ls-files -- "$p*.cpp"; done)
printf '%s\0' "${sources[@]}" |
  xargs -0 -P "$(nproc)" -n 1 clang-tidy -p build/clang --quiet --warnings-as-errors='*' 2>/dev/null
