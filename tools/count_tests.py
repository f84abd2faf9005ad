#!/usr/bin/env python3
"""Prints failures and the closing line `N passed, M failed` from ctest's JUnit file.

A cmocka program counts its own tests; any other program counts as one."""
import re
import sys
import xml.etree.ElementTree as ET

passed = failed = 0
for case in ET.parse(sys.argv[1]).getroot().iter("testcase"):
    out = case.findtext("system-out") or ""
    good = sum(int(n) for n in re.findall(r"\[  PASSED  \] (\d+) test", out))
    bad = sum(int(n) for n in re.findall(r"\[  FAILED  \] (\d+) test", out))
    ok = case.get("status") == "run"
    if not ok and bad == 0:
        bad = 1
    if ok and good + bad == 0:
        good = 1
    passed += good
    failed += bad
    if not ok or bad:
        print(f"--- {case.get('name')} failed")
        print("\n".join(out.splitlines()[-60:]))
print(f"{passed} passed, {failed} failed")
sys.exit(1 if failed else 0)
