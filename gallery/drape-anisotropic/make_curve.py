#!/usr/bin/env python3
"""Writes weave.csv: the allowed strain of a made-up weave, four unequal lobes over a turn."""
from math import cos, radians


def strain(angle):
    return 7 + 4 * cos(4 * radians(angle - 20)) + 1.5 * cos(2 * radians(angle - 65))


with open("weave.csv", "w") as f:
    f.write("# Illustrative, not measured: lobes at odd angles, as in Fig. 3.2 (right) of the thesis.\n")
    f.write("# Made by make_curve.py.\n")
    f.write("angle_deg,strain_percent\n")
    for angle in range(0, 180, 5):
        f.write(f"{angle},{strain(angle):.4f}\n")
