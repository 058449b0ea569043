# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Compares /metrics with summary.json, and a Grafana dashboard's queries with /metrics.

    73-metrics.py METRICS DASHBOARD SUMMARY
"""

import json
import re
import sys

metrics, dashboard, summary = sys.argv[1:]
LABEL = re.compile(r'(\w+)="((?:[^"\\]|\\.)*)"')
values = {}
for line in open(metrics):
    if line.startswith("#"):
        continue
    name, labels, value = re.fullmatch(r"(\w+)\{(.*)\} (\S+)\n", line).groups()
    values[name, frozenset(LABEL.findall(labels))] = float(value)

# Minimum, maximum, count and mean live are the finished run's.
case = json.load(open(summary))["cases"][0]
assert len(case["stages"]) == 6, case["stages"]
for one in case["stages"]:
    of = frozenset({"case": case["case"], "stage": one["stage"], "view": one["view"]}.items())
    assert values["irqscope_latency_seconds_count", of] == one["count"] >= 600, one
    for name, key in ("min", "min_ns"), ("max", "max_ns"), ("stddev", "stddev_ns"):
        found = values[f"irqscope_{name}_seconds", of]
        assert abs(found - one[key] / 1e9) < 1e-11, (name, one, found)
    mean = values["irqscope_latency_seconds_sum", of] / one["count"]
    assert abs(mean - one["mean_ns"] / 1e9) < 1e-11, (one, mean)

# Each metric that the dashboard names is there, with each label that it names of it.
known = {}
for name, labels in values:
    known.setdefault(name, set()).update(label for label, _ in labels)
known["irqscope_samples_per_second"] = {"case"}  # only while it measures, which the script has seen
board = json.load(open(dashboard))
queries = [target["expr"] for panel in board["panels"] for target in panel["targets"]]
queries += [one["query"] for one in board["templating"]["list"] if one["type"] == "query"]
seen = 0
for query in queries:
    for name, labels in re.findall(r"(irqscope_\w+)(?:\{([^}]*)\})?", query):
        seen += 1
        assert name in known, f"{name} of {query} is not in /metrics"
        for label in re.findall(r"(\w+)\s*=~?", labels):
            assert label in known[name], f"{name} has no label {label}: {query}"
legends = {name for panel in board["panels"] for target in panel["targets"] for name in re.findall(r"\{\{(\w+)\}\}", target["legendFormat"])}
assert legends <= set.union(*known.values()), legends
ids = [panel["id"] for panel in board["panels"]]
assert len(ids) == len(set(ids)) and seen > 12, (ids, seen)
print(len(values), "samples,", len(queries), "queries")
