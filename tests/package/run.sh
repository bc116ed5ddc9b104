#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs a build into a scratch folder, then configures, builds and runs the project beside this
# script against it, and the installed program from there.
#   run.sh BUILD_DIR CXX_COMPILER [CXX_FLAGS]
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cmake --install "$1" --prefix "$scratch/prefix" >/dev/null
cmake -S "$here" -B "$scratch/build" -G Ninja -DCMAKE_CXX_COMPILER="$2" \
  -DCMAKE_CXX_FLAGS="${3:-}" -DCMAKE_PREFIX_PATH="$scratch/prefix" >/dev/null
cmake --build "$scratch/build" >/dev/null
"$scratch/build/consumer" | grep -q 'an I210 of vendor 8086'
cd /
"$scratch/prefix/bin/nicsim" --version | grep -q '^nicsim '
"$scratch/prefix/bin/nicsim" list | grep -q i210
