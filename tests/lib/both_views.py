# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Every sample of every case of a twin is complete in both views, and from a stage's
stamp to its edge it is the same in all of them. Arguments: summary.json, how many cases
it has, and how many triggers each."""

import json
import sys


def check(case, triggers):
    name, outside = case["case"], case["outside"]
    assert case["identity_holds"] and case["triggers"] == case["complete"] == triggers, name
    assert outside["answers"] == outside["edges"] == triggers * len(case["missing"]), (name, outside)
    assert outside["extra"] == outside["dropped"] == outside["lost_interrupts"] == 0, name
    views = {(stage["stage"], stage["view"]): stage["count"] for stage in case["stages"]}
    assert set(views.values()) == {triggers}, (name, views)
    if name.endswith("/outside"):
        assert all(view == "outside" for _, view in views), name
        return
    offsets = {offset["stage"]: offset for offset in case["edge_offsets"]}
    assert len(offsets) == len(views) / 2, name
    for stage, offset in offsets.items():
        # Between the user stage's stamp and its edge lies a system call.
        exact = offset["at_p50"] if stage != "user" else offset["at_p50"] + 1
        assert exact >= triggers, (name, offset)
    print(name, "ns from stamp to edge:", {stage: offset["p50_ns"] for stage, offset in offsets.items()})


cases = json.load(open(sys.argv[1]))["cases"]
assert len(cases) == int(sys.argv[2]), len(cases)
for case in cases:
    check(case, int(sys.argv[3]))
