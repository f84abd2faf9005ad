#!/usr/bin/env python3
"""Writes mail.csv: how far printed 4-in-1 chainmail can be stretched in every direction.

Rings hang in their four neighbours along the diagonals. Two things stop them: the play of a link,
which lets the distance of two linked rings grow by PLAY, and rings in the next row, which stop the
cloth from shearing when links have turned to LOCK from an axis (45 degrees at rest). A sheet of
such links at angle t has the stretches sqrt(2) (1 + PLAY) cos t and sqrt(2) (1 + PLAY) sin t along
its axes; the curve is the largest stretch in a direction over all t between the locks.
"""
from math import cos, pi, radians, sin, sqrt

PLAY = 0.04
LOCK = radians(39)


def stretch(angle):
    most = 0
    for k in range(201):
        t = LOCK + (pi / 2 - 2 * LOCK) * k / 200
        most = max(most, (cos(t) * cos(angle)) ** 2 + (sin(t) * sin(angle)) ** 2)
    return sqrt(2 * most) * (1 + PLAY)


with open("mail.csv", "w") as f:
    f.write("# Illustrative, not measured: links with 4 % play that shear until they lock at 39 degrees\n")
    f.write("# (make_curve.py). The thesis shows its measurements as pictures only (Fig. 3.1, 4.7).\n")
    f.write("angle_deg,stretch\n")
    for angle in range(0, 180, 5):
        f.write(f"{angle},{stretch(radians(angle)):.5f}\n")
