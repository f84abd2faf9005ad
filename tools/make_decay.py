#!/usr/bin/env python3
"""Writes scenes/decay.csv: a film of the tip of a struck strip. Two modes of stiffness damping b, d = b lambda / 2, on an offset,
with noise of 1 % of the amplitude, and 10 ms before the release."""
import math
import pathlib
import random

B = 1e-5                     # s
MODES = ((2.0, 318.0), (0.5, 1990.0))      # amplitude in mm, undamped frequency in Hz
OFFSET, NOISE, STEP, BEFORE, ROWS = 12.4, 0.02, 1e-4, 0.010, 500


def motion(t):
    y = OFFSET
    for size, frequency in MODES:
        lam = (2 * math.pi * frequency) ** 2
        d = B * lam / 2
        y += size * math.exp(-d * max(t, 0)) * math.cos(math.sqrt(lam - d * d) * max(t, 0))
    return y


random.seed(1)
rows = [f"{i * STEP:.4f},{motion(i * STEP - BEFORE) + random.gauss(0, NOISE):.4f}" for i in range(ROWS)]
out = pathlib.Path(__file__).resolve().parent.parent / "scenes" / "decay.csv"
out.write_text("time_s,displacement_mm\n" + "\n".join(rows) + "\n")
