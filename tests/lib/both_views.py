# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Every sample of every case of a twin is complete in both views, and from a stage's
stamp to its edge it is the same in all of them, but where an interrupt came in between, or where
firmware had the CPU, which RISC-V's timer is set by. The view from inside begins at the first stamp;
where a tick of the counter takes longer than a nanosecond, it is the same to within three.
Arguments: the run's directory, how many cases it has, and how many triggers each."""

import json
import sys

import duckdb

OFFSETS = """
    with offsets as (
        select o.stage, o.interrupts, o.latency_ns - i.latency_ns as ns
        from '{0}/samples.parquet' o join '{0}/samples.parquet' i using ("case", seq, stage)
        where o.view = 'outside' and i.view = 'inside' and "case" = '{1}'
    ),
    usual as (select stage, mode(ns) as ns from offsets group by stage)
    select stage, usual.ns, count(*) as samples,
        count(*) filter (abs(offsets.ns - usual.ns) >= {2}) as others,
        count(*) filter (abs(offsets.ns - usual.ns) >= {2} and
                         (interrupts = 0 and not {3} or offsets.ns < usual.ns)) as unexplained
    from offsets join usual using (stage) group by all order by stage
"""


def check(run, case, triggers):
    name, outside = case["case"], case["outside"]
    assert case["identity_holds"] and case["triggers"] == case["complete"] == triggers, name
    assert outside["answers"] == outside["edges"] == triggers * len(case["missing"]), (name, outside)
    assert outside["extra"] == outside["dropped"] == outside["lost_interrupts"] == 0, name
    views = {(stage["stage"], stage["view"]): stage["count"] for stage in case["stages"]}
    assert set(views.values()) == {triggers}, (name, views)
    if name.endswith("/outside"):
        assert all(view == "outside" for _, view in views), name
        return
    tick_ns = case["tick_femtoseconds"] / 1e6
    within_ns = tick_ns if tick_ns == 1 else 3 * tick_ns
    firmware = case["release"].endswith("-riscv64")
    offsets = duckdb.sql(OFFSETS.format(run, name, within_ns, firmware)).fetchall()
    assert len(offsets) == len(views) / 2, (name, offsets)
    said = {offset["stage"]: offset for offset in case["edge_offsets"]}
    for stage, usual, samples, others, unexplained in offsets:
        # Interrupts are enabled in most stages. One that comes takes microseconds, and is counted.
        assert samples == triggers and unexplained == 0, (name, stage, usual, others, unexplained)
        assert others <= triggers / 100, (name, stage, usual, others)
        assert tick_ns > 1 or said[stage]["p50_ns"] == usual and said[stage]["at_p50"] == triggers - others, said
        assert abs(said[stage]["p50_ns"] - usual) < within_ns, said
    print(name, "ns from stamp to edge:", {stage: (usual, others) for stage, usual, _, others, _ in offsets})


run = sys.argv[1]
cases = json.load(open(f"{run}/summary.json"))["cases"]
assert len(cases) == int(sys.argv[2]), len(cases)
for case in cases:
    check(run, case, int(sys.argv[3]))
