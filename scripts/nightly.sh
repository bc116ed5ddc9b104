#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What takes too long for every change: all tests under the address and undefined-behaviour
# sanitizers, all of it built and tested with clang (warnings are errors), and clang-tidy.
# About an hour on two cores. Goes on after a failure and says at the end which steps failed.
set -uo pipefail
. "$(dirname "$0")/lib/setup.sh"
cd "$project_dir"

failed=()
step() {
  say "nightly: $*"
  "$@" || failed+=("$*")
}
step scripts/test.sh asan
step scripts/test.sh clang
step scripts/lint.sh

[ ${#failed[@]} -eq 0 ] || die "failed: $(printf '%s; ' "${failed[@]}")"
say "nightly: all passed"
