#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Brings every source file into the layout of .clang-format.
set -euo pipefail
. "$(dirname "$0")/lib/setup.sh"
cd "$project_dir"
command -v clang-format >/dev/null || install_missing clang-format
git ls-files -z -- '*.h' '*.cpp' | xargs -0 clang-format -i
