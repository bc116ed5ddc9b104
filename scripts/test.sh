#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs what is missing, builds and runs every test.
#   scripts/test.sh [PRESET]      PRESET is release (default), dev, asan or clang
set -euo pipefail
. "$(dirname "$0")/lib/setup.sh"

preset=${1:-release}
case $preset in
  release|dev|asan|clang) ;;
  *) die "unknown preset '$preset'; allowed are release, dev, asan, clang" ;;
esac

install_missing "${build_packages[@]}" "${test_packages[@]}"
[ "$preset" = clang ] && install_missing clang
build "$preset" -DNICSIM_WERROR=ON -DNICSIM_BUILD_TESTS=ON --
say "testing (preset $preset)"
cd "$project_dir"
ctest --preset "$preset" --parallel "$(nproc)"
