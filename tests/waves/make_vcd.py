#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes a VCD file of a given size for measurements: a clock, counters, flags and buses.

usage: make_vcd.py FILE MEGABYTES [LATE_CYCLES [FAULT_CYCLE]]
All counters run LATE_CYCLES later than with 0; at FAULT_CYCLE one bit of one signal is wrong.
"""
import random
import sys


def code(n):
    text = ""
    n += 1
    while n:
        n -= 1
        text += chr(33 + n % 94)
        n //= 94
    return text


def main():
    name, megabytes = sys.argv[1], float(sys.argv[2])
    late = int(sys.argv[3]) if len(sys.argv) > 3 else 0
    fault = int(sys.argv[4]) if len(sys.argv) > 4 else -1
    dice = random.Random(1)
    widths = [1] * 150 + [8] * 100 + [12] * 100 + [32] * 100 + [64] * 50
    signals = [(code(i + 1), w) for i, w in enumerate(widths)]
    with open(name, "w", encoding="ascii") as out:
        out.write("$timescale 1ps $end\n$scope module tb $end\n$var wire 1 ! clk $end\n")
        for i, (c, w) in enumerate(signals):
            span = f" [{w - 1}:0]" if w > 1 else ""
            out.write(f"$var wire {w} {c} s{i}{span} $end\n")
        out.write("$upscope $end\n$enddefinitions $end\n#0\n$dumpvars\n0!\n")
        for c, w in signals:
            out.write(f"0{c}\n" if w == 1 else f"b0 {c}\n")
        out.write("$end\n")
        cycle, pending = 0, []
        size = out.tell()
        while size < megabytes * 1e6:
            cycle += 1
            lines = []
            for i in dice.sample(range(len(signals)), 60):
                c, w = signals[i]
                value = dice.getrandbits(w)
                if cycle == fault and not lines:
                    value ^= 1
                lines.append(f"{value}{c}" if w == 1 else f"b{value:b} {c}")
            pending.append("\n".join(lines))
            text = f"#{cycle * 8000}\n1!\n"
            if len(pending) > late:
                text += pending.pop(0) + "\n"
            text += f"#{cycle * 8000 + 4000}\n0!\n"
            out.write(text)
            size += len(text)


main()
