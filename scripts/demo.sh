#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs what is missing, builds nicsim and runs its main job: best-effort TCP through an I210 in
# Qav mode with two splits of its transmit packet buffer, what limits each, and every published
# figure of the card beside the simulated one.
set -euo pipefail
. "$(dirname "$0")/lib/setup.sh"

install_missing "${build_packages[@]}"
# A build folder that has the tests configured keeps them; a new one does not need their packages.
options=()
[ -f "$project_dir/build/release/CMakeCache.txt" ] ||
  options=(-DNICSIM_BUILD_TESTS=OFF -DNICSIM_BUILD_BENCHMARKS=OFF)
build release "${options[@]}" -- nicsim
nicsim=$project_dir/build/release/nicsim

for split in 8844 6666; do
  say "nicsim run i210/qav_$split"
  "$nicsim" run "i210/qav_$split"
done
say "nicsim fidelity --device i210 (published against simulated)"
# A record that misses its goal is part of the answer, not a failure of the demonstration.
"$nicsim" fidelity --device i210 || [ $? -eq 1 ]
cat <<'END'

The 8/8/4/4 split leaves best effort 4 KiB. While one frame is stored there, less than DTXMXPKTSZ
(4032 bytes) is free, so the next fetch over PCIe has to wait until the frame has left: fetch and
wire take turns. With 6 KiB the next frame is fetched while the last one is on the wire.
END
