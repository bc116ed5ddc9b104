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


RINGS = (64, 128, 256, 512, 1024, 2048, 4096)
INTERVALS = (10, 25, 50, 100, 125, 250)  # microseconds asked for
EITR_UNIT = 2.048  # microseconds
KEPT_FREE = 21  # descriptors
PER_PACKET = 0.1865  # microseconds of the core


def in_force(interval):
    """What EITR makes of an interval: the driver writes half the microseconds as units."""
    return interval // 2 * EITR_UNIT


def closed_form(ring, interval):
    """Mpps of a ring that is freed once per interval by a core that takes its time."""
    return min((ring - KEPT_FREE) / in_force(interval), 1 / PER_PACKET)


def ring_run(nicsim, ring, interval):
    """Mpps, and how often the queue stopped in an interval."""
    sets = {"driver.tx_ring": ring, "driver.itr_mode": "fixed",
            "driver.itr_interval": f"{interval}us", "warmup": "70ms", "duration": "10ms"}
    statistics = run(nicsim, "i82599/ring", sets)["statistics"]
    rate = statistics["far_end.generator.packet_rate"]["value"] / 1e6
    stops = statistics["driver.tx_queue0.stops"]["measured"]
    return rate, stops * in_force(interval) / 10_000


def find_knee(nicsim, interval):
    """The smallest ring, a multiple of 8, whose queue stops in less than half of the intervals."""
    low, high = 8, 512  # in units of 8; the lower one stops, the higher one does not
    while high - low > 1:
        middle = (low + high) // 2
        if ring_run(nicsim, 8 * middle, interval)[1] < 0.5:
            high = middle
        else:
            low = middle
    return 8 * high


def ring_study(nicsim, pool):
    """Rate of the 82599 over the size of its ring and the interrupt interval, and the knees."""
    jobs = {(ring, interval): pool.submit(ring_run, nicsim, ring, interval)
            for interval in INTERVALS for ring in RINGS}
    searches = {interval: pool.submit(find_knee, nicsim, interval) for interval in INTERVALS}
    rates = {key: job.result()[0] for key, job in jobs.items()}
    knees = {interval: job.result() for interval, job in searches.items()}
    for interval in INTERVALS:
        row = " ".join(f"{rates[ring, interval]:.3f} ({closed_form(ring, interval):.3f})"
                       for ring in RINGS)
        print(f"{interval} us ({in_force(interval):.2f}): {row}; knee {knees[interval]}")
    figure, (left, right) = plt.subplots(1, 2, figsize=(8, 3.4))
    fine = [64 * 2 ** (i / 8) for i in range(49)]
    for interval in INTERVALS:
        (line,) = left.plot(RINGS, [rates[ring, interval] for ring in RINGS], "o", markersize=4,
                            label=f"{interval} us")
        left.plot(fine, [closed_form(n, interval) for n in fine], color=line.get_color(),
                  linewidth=0.9)
    left.set_xscale("log", base=2)
    left.set_xticks(RINGS, [str(n) for n in RINGS])
    left.set_xlabel("descriptors of the ring")
    left.set_ylabel("packets per second (millions)")
    left.set_ylim(0, 6)
    left.legend(title="interval", fontsize=7)
    left.grid(alpha=0.3)
    exact = [in_force(interval) for interval in INTERVALS]
    right.plot([0, 260], [KEPT_FREE, KEPT_FREE + 260 / PER_PACKET], color="0.5", linewidth=0.9,
               label="21 + I / 186.5 ns")
    right.plot(exact, [knees[interval] for interval in INTERVALS], "o", markersize=4,
               color="#4c72b0", label="simulated")
    right.set_xlabel("interval I (us)")
    right.set_ylabel("ring at the knee (descriptors)")
    right.legend(loc="upper left")
    right.grid(alpha=0.3)
    figure.tight_layout()
    return figure


BATCHES = (1, 2, 4, 8, 16, 32, 64)
LINKS = {"gen1 x1": "{generation: 1, width: 1}", "gen3 x8": "{generation: 3, width: 8}"}
CLOCKS = (0.5, 1.0, 2.0)  # relative to 4 GHz


def forwarding(nicsim, sets):
    """kpps that come through from an overloading generator."""
    usual = {"warmup": "300ms", "duration": "15ms", "driver.doorbell": "batched"}
    statistics = run(nicsim, "ar8151/forward", {**usual, **sets})["statistics"]
    doorbells = statistics["ports.b.driver.tx_ring0.packets_per_doorbell"]["mean"]
    return statistics["generators.tester.received_rate"]["value"] / 1e3, doorbells


def doorbell_study(nicsim, pool):
    """Forwarding rate of the AR8151 over the batch of a doorbell, by link and clock."""
    jobs = {}
    for link, settings in LINKS.items():
        for clock in CLOCKS:
            for batch in BATCHES:
                generation, width = settings.strip("{}").split(", ")
                sets = {"workloads.bridge.batch": batch, "host.core.relative_clock": clock,
                        "pcie.link.generation": generation.split(": ")[1],
                        "pcie.link.width": width.split(": ")[1]}
                jobs[link, clock, batch] = pool.submit(forwarding, nicsim, sets)
    points = {key: job.result() for key, job in jobs.items()}
    figure, axes = plt.subplots(1, 2, figsize=(8, 3.4), sharey=True)
    for axis, link in zip(axes, LINKS):
        for clock in CLOCKS:
            rates = [points[link, clock, b][0] for b in BATCHES]
            print(link, clock, " ".join(f"{r:.0f}" for r in rates), "packets per doorbell",
                  " ".join(f"{points[link, clock, b][1]:.1f}" for b in BATCHES))
            axis.plot(BATCHES, rates, ".-", label=f"{4 * clock:g} GHz")
        axis.set_xscale("log", base=2)
        axis.set_xticks(BATCHES, [str(b) for b in BATCHES])
        axis.set_title(link)
        axis.set_xlabel("packets handed over at once")
        axis.grid(alpha=0.3)
    axes[0].set_ylabel("forwarded (kpps)")
    axes[0].set_ylim(bottom=0)
    axes[0].legend(title="core clock", fontsize=7)
    figure.tight_layout()
    return figure


RX_IMT = (1, 5, 10, 25, 50, 100, 150, 200)  # units of 2 us
LOADS = (200, 500, 800)  # kpps
BASE_AT = 10  # where the closed form takes its base from
EXIT = {"none": lambda gap: 0,
        "C6": lambda gap: next(w for t, w in ((400, 133), (100, 33), (20, 10), (2, 2), (0, 0))
                               if max(gap, 0) >= t)}


OWN_WORK = 10  # microseconds of an interval for an interrupt and its poll: the core is not idle
PER_FORWARDED = 1 / 1.07  # microseconds of the core that forwards


def mean_wait(gap, wake, load):
    """Half a vacation of the core, which polls until nothing is left. The next interval begins when
    the core has woken and acknowledged. A poll that is over before the interval is takes its share
    of it; after a longer one a whole interval follows."""
    busy = load / 1e3 * PER_FORWARDED
    if busy < 0.5:
        return (gap + wake(gap * (1 - busy) - OWN_WORK)) * (1 - busy) / 2
    return (gap + wake(gap - OWN_WORK)) / 2


def mean_latency(nicsim, sets):
    usual = {"driver.doorbell": "batched", "warmup": "285ms", "duration": "25ms"}
    result = run(nicsim, "ar8151/latency", {**usual, **sets})
    return result["statistics"]["generators.tester.latency"]["mean"] / 1e6


def moderation_study(nicsim, pool):
    """Mean latency over the receive moderation timer at three loads, without and with idle states."""
    jobs = {(deepest, load, imt): pool.submit(mean_latency, nicsim, {
                "host.idle.deepest": deepest, "driver.rx_imt": imt,
                "generators.tester.rate": f"{load}kpps"})
            for deepest in EXIT for load in LOADS for imt in RX_IMT}
    points = {key: job.result() for key, job in jobs.items()}
    figure, axes = plt.subplots(1, 2, figsize=(8, 3.4), sharey=True)
    gaps = [2 * n for n in RX_IMT]
    for axis, deepest in zip(axes, EXIT):
        wake = EXIT[deepest]
        base = points[deepest, LOADS[0], BASE_AT] - mean_wait(2 * BASE_AT, wake, LOADS[0])
        for load, colour in zip(LOADS, ("#4c72b0", "#55a868", "#c44e52")):
            form = [base + mean_wait(gap, wake, load) for gap in gaps]
            print(deepest, load, "closed form", " ".join(f"{v:.1f}" for v in form))
            axis.plot(gaps, form, color=colour, linewidth=0.9)
            means = [points[deepest, load, imt] for imt in RX_IMT]
            print(deepest, load, " ".join(f"{v:.1f}" for v in means))
            axis.plot(gaps, means, "o", color=colour, markersize=3.5, label=f"{load} kpps")
        axis.set_title("no idle states" if deepest == "none" else "idle states up to " + deepest)
        axis.set_xlabel("moderation V = 2 x rx_imt (us)")
        axis.grid(alpha=0.3)
    axes[0].set_ylabel("mean latency (us)")
    axes[0].set_ylim(bottom=0)
    axes[0].legend(loc="upper left", fontsize=7)
    figure.tight_layout()
    return figure


FIGURES = {
    "i210_published": against_published,
    "i210_buffer_study": buffer_study,
    "i82599_ring_study": ring_study,
    "ar8151_doorbell": doorbell_study,
    "ar8151_moderation": moderation_study,
}


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
