#!/usr/bin/env python3
"""Makes the targets of gallery/three-link-leg and gallery/ostrich-leg.

    tools/make_targets.py build/dev/pliant

Each is the motion of a design within the scene's bounds, found by random search for open loops; its
higher harmonics are cut off, and it is sampled at 64 times of a period.
"""
import csv
import math
import pathlib
import subprocess
import sys
import tempfile

GALLERY = pathlib.Path(__file__).resolve().parents[1] / "gallery"
LEG = dict(m_knee=86, m_ankle=47, m_toe=14, m_thigh=26, m_shank=24, thigh=133, shank=145, foot=80,
           knee_a=0.31, knee_b=0.79, knee_a_off=-8, knee_b_off=-11,
           foot_a=0.33, foot_b=0.46, foot_a_off=9, foot_b_off=11)
OSTRICH = dict(m_ankle=9, m_heel=6, m_foot=57, m_knuckle=16, m_toe=18, m_tibia=16, m_tarsus=49)


def make(pliant, name, values, watch, frequency, harmonics):
    with tempfile.TemporaryDirectory() as folder:
        sets = ["--set=parameters.%s.value=%g" % v for v in values.items()]
        subprocess.run([pliant, "run", GALLERY / name / "scene.yaml", "-q", "--only", "periodic",
                        "-o", folder, "--set=output.report=no", "--set=output.vtu=no", *sets],
                       check=True, stdout=subprocess.DEVNULL)
        with open(folder + "/periodic-harmonics.csv") as f:
            rows = [r for r in csv.DictReader(f) if int(r["harmonic"]) <= harmonics]
    for place in watch:
        with open(GALLERY / name / (place + ".csv"), "w") as out:
            print("time_s,%s_x_m,%s_y_m" % (place, place), file=out)
            for j in range(64):
                at = [sum(float(r["%s_%s_sin_m" % (place, c)]) * math.sin(angle)
                          + float(r["%s_%s_cos_m" % (place, c)]) * math.cos(angle)
                          for r in rows for angle in [2 * math.pi * j / 64 * int(r["harmonic"])])
                      for c in "xy"]
                print("%.8f,%.6f,%.6f" % (j / 64 / frequency, *at), file=out)


make(sys.argv[1], "three-link-leg", LEG, ["toe"], 3.0, 2)
make(sys.argv[1], "ostrich-leg", OSTRICH, ["ankle", "toe"], 1.2, 5)
