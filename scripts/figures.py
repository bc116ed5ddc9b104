#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Draws the figures of the documentation from runs of nicsim.

    scripts/figures.py [--nicsim build/release/nicsim] [--out docs/figures]

Needs python3-matplotlib. Same program, same bytes: the SVG files carry no date.
"""
import argparse
import concurrent.futures
import json
import os
import pathlib
import subprocess
import sys

import matplotlib

matplotlib.use("Agg")
matplotlib.rcParams["svg.hashsalt"] = "nicsim"
matplotlib.rcParams["font.size"] = 9
import matplotlib.pyplot as plt  # noqa: E402

SPLITS = {
    "8/8/4/4": "[8KiB, 8KiB, 4KiB, 4KiB]",
    "6/6/6/6": "[6KiB, 6KiB, 6KiB, 6KiB]",
    "5/5/7/7": "[5KiB, 5KiB, 7KiB, 7KiB]",
}
COLOURS = {"8/8/4/4": "#c44e52", "6/6/6/6": "#4c72b0", "5/5/7/7": "#55a868"}
UNIT = 64  # bytes of one step of DTXMXPKTSZ


def run(nicsim, scenario, sets):
    """The result of one run as a dictionary."""
    command = [nicsim, "run", scenario, "--json", "--quiet"]
    for key, value in sets.items():
        command += ["--set", f"{key}={value}"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode not in (0, 1) or not done.stdout:
        sys.exit(f"{' '.join(command)}\n{done.stderr}")
    return json.loads(done.stdout)


def goodput(result, workload):
    """Mbit/s of one workload."""
    for flow in result["headline"]["workloads"]:
        if flow["name"] == workload:
            return flow["goodput_bit_per_s"] / 1e6
    sys.exit(f"no workload '{workload}' in the result")


def buffer_study(nicsim, pool):
    """Best-effort goodput over DTXMXPKTSZ for three splits, with and without the talker."""
    units = list(range(24, 64, 3)) + [63]
    jobs = {}
    for split, sizes in SPLITS.items():
        for talker in (False, True):
            for n in units:
                sets = {
                    "driver.tx_packet_buffer": sizes,
                    "driver.max_tx_packet": f"{n * UNIT}B",
                    "workloads.talker.enabled": str(talker).lower(),
                    "duration": "200ms",
                }
                jobs[split, talker, n] = pool.submit(run, nicsim, "i210/qav_6666", sets)
    points = {key: goodput(job.result(), "tcp") for key, job in jobs.items()}
    figure, axes = plt.subplots(1, 2, figsize=(8, 3.2), sharey=True)
    for axis, talker in zip(axes, (False, True)):
        for split in SPLITS:
            axis.plot([n * UNIT for n in units], [points[split, talker, n] for n in units],
                      ".-", color=COLOURS[split], label=split + " KiB")
        axis.axvline(63 * UNIT, color="0.6", linewidth=0.8, linestyle=":")
        axis.set_title("with time-sensitive traffic" if talker else "best effort alone")
        axis.set_xlabel("DTXMXPKTSZ (bytes; igb writes 4032)")
        axis.grid(alpha=0.3)
    axes[0].set_ylabel("best-effort TCP (Mbit/s)")
    axes[0].set_ylim(0, 1000)
    axes[0].legend(loc="lower left")
    figure.tight_layout()
    return figure


def against_published(nicsim, pool):
    """Every published figure of the I210 beside the simulated one."""
    done = subprocess.run([nicsim, "fidelity", "--device", "i210", "--json"],
                          capture_output=True, text=True, check=False)
    records = json.loads(done.stdout)
    labels = [r["id"].removeprefix("i210.") for r in records]
    y = range(len(records))
    figure, axis = plt.subplots(figsize=(8, 4.2))
    axis.barh([i - 0.2 for i in y], [r["measured"] for r in records], 0.38, color="0.75",
              label="published")
    axis.barh([i + 0.2 for i in y], [r["simulated"] for r in records], 0.38, color="#4c72b0",
              label="simulated")
    for i, r in zip(y, records):
        axis.text(max(r["measured"], r["simulated"]) + 6, i, f"{100 * r['error']:+.1f} %",
                  va="center", fontsize=7)
    axis.set_yticks(list(y), labels)
    axis.invert_yaxis()
    axis.set_xlim(0, 1250)
    axis.set_xlabel("best-effort goodput (Mbit/s)")
    axis.legend(loc="center right")
    axis.grid(axis="x", alpha=0.3)
    figure.tight_layout()
    return figure


FIGURES = {"i210_published": against_published, "i210_buffer_study": buffer_study}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--nicsim", default="build/release/nicsim")
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("docs/figures"))
    parser.add_argument("names", nargs="*", choices=[[], *FIGURES], help="default: all")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for name in options.names or FIGURES:
            figure = FIGURES[name](options.nicsim, pool)
            figure.savefig(options.out / f"{name}.svg", metadata={"Date": None})
            print(options.out / f"{name}.svg")


if __name__ == "__main__":
    main()
