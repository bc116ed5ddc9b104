#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Simulates the bandwidth of DMA over every generation, width, several MPS, MRRS and RCB, sizes of
# 1 to 4096 bytes, reads, writes and both, and compares it with the closed form.
#   scripts/pcie_sweep.sh [real|closed_form] [TABLE.csv]
# Columns: link and transfer, simulated, expected and published Gbit/s, relative error.
set -euo pipefail
. "$(dirname "$0")/lib/setup.sh"
cd "$project_dir"
charge=${1:-closed_form}
table=${2:-}
case $charge in
  closed_form) filter=Bandwidth.IsTheClosedFormWhenDllpsAreChargedAsTheFormDoes ;;
  real) filter=Bandwidth.IsTheClosedFormOfEachDirectionWithRealDllps ;;
  *) die "unknown way of charging DLLPs '$charge'; allowed are real, closed_form" ;;
esac
program=build/release/tests/pcie/test_pcie
[ -x "$program" ] || die "$program is not built; run scripts/test.sh first"
[ -n "$table" ] && : > "$table"
parts=100
failed=0
for ((i = 0; i < parts; i++)); do
  output=$(NICSIM_SWEEP=$i/$parts NICSIM_SWEEP_TABLE=$table "$program" --gtest_filter="$filter") ||
    failed=1
  grep -E "points|Failure|^gen " <<<"$output" || true
done
exit $failed
