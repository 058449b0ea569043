#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Puts the figures of `irqscope run matrix --out RUN` into docs/kernels.md, and its picture beside it:

    scripts/kernels-page.py RUN
"""

import json
import pathlib
import shutil
import sys

TABLES = (("Median, idle, µs", "idle", "p50_ns"), ("p99, load, µs", "load", "p99_ns"), ("Maximum, load, µs", "load", "max_ns"))

docs = pathlib.Path(__file__).parent.parent / "docs"
run = pathlib.Path(sys.argv[1])
cases = json.loads((run / "summary.json").read_text())["cases"]
figures = {(c["kernel"], c["state"], one["stage"]): one for c in cases for one in c["stages"] if one["view"] == "outside"}
kernels = list(dict.fromkeys(case["kernel"] for case in cases))
kernels.sort(key=lambda kernel: kernel.endswith("-rt"))
stages = list(dict.fromkeys(stage for _, _, stage in figures))
order = ["irq", "softirq", "tasklet_hi", "tasklet", "work_bh", "work_hi", "work", "work_unbound", "thread", "kthread", "user"]
stages.sort(key=order.index)


def cell(kernel, state, stage, name):
    """Returns microseconds; a dash for a quantile of too few, nothing for a stage that the kernel lacks."""
    one = figures.get((kernel, state, stage))
    if one is None:
        return ""
    return "–" if one[name] is None else f"{one[name] / 1000:.2f}"


page = docs / "kernels.md"
text = page.read_text()
for title, state, name in TABLES:
    begin = text.index(f"**{title}**") + len(f"**{title}**")
    end = text.index("\n\n", begin + 2)
    rows = [f"| stage | {' | '.join(kernels)} |", "| --- |" + " ---: |" * len(kernels)]
    rows += [f"| {stage} | " + " | ".join(cell(kernel, state, stage, name) for kernel in kernels) + " |" for stage in stages]
    text = text[:begin] + "\n\n" + "\n".join(rows) + text[end:]
page.write_text(text)
shutil.copy(run / "figures/histogram-user-outside.png", docs / "pictures/kernels-user.png")
