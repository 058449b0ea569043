# SPDX-License-Identifier: Apache-2.0 OR MIT
# Goal: with mode isolated each stage's median latency, seen from outside, is the one
# that it has alone; both views agree on every sample, also where interrupts are lost and stages
# answer late; and without the view from inside whose turn it is is known as well.
# Runs: beside others
. tests/lib/lib.sh

scenario() { # NAME MODE STAGES TRIGGER MORE
	cat >"$WORK/$1.toml" <<-TOML
		version = 1
		about = "One stage in turn, for tests"
		rig = "twin"
		kernels = ["6.1", "6.1-rt"]
		states = ["idle"]
		stages = [$3]
		$5
		[trigger]
		kind = "line"
		mode = "$2"
		$4
	TOML
	expect 0 "$IRQSCOPE" run "$WORK/$1.toml" --out "$WORK/$1"
}

STAGES='"irq", "softirq", "tasklet", "work", "thread", "user"'
JITTERED=$'period = "1ms"\njitter = "uniform"\njitter-amount = "300us"'
scenario turns isolated "$STAGES" "$JITTERED"$'\ncount = 1_000' ''
for stage in softirq tasklet work thread user; do
	scenario "$stage" together "\"irq\", \"$stage\"" "$JITTERED"$'\ncount = 200' ''
done
scenario blind isolated "$STAGES" "$JITTERED"$'\ncount = 1_000' 'views = ["outside"]'
# The handler takes longer than the way to the next two triggers: interrupts are lost, and stages
# answer when younger triggers are out.
scenario dense isolated "$STAGES" $'period = "20ms"\nburst = 50\ninterval = "10us"\ncount = 500\nturn-length = 7' \
	'execution = { irq = "25us" }'

python3 - "$WORK" <<'PY'
import json, sys
work = sys.argv[1]
load = lambda name: {c["case"]: c for c in json.load(open(f"{work}/{name}/summary.json"))["cases"]}
stages = lambda case, view: {s["stage"]: s for s in case["stages"] if s["view"] == view}

turns, blind, dense = load("turns"), load("blind"), load("dense")
for name, case in turns.items():
    assert case["identity_holds"] and not case["violations"], (name, case["violations"])
    outside, inside = stages(case, "outside"), stages(case, "inside")
    assert outside["irq"]["count"] == 1000, outside["irq"]
    for stage, figures in outside.items():
        if stage == "irq":
            continue
        assert figures["count"] == inside[stage]["count"] == 200, (name, stage, figures)
        assert figures["missing"] == figures["coalesced"] == figures["unsure"] == 0, (name, stage)
        alone = stages(load(stage)[name], "outside")[stage]
        apart = figures["p50_ns"] / alone["p50_ns"] - 1
        print(f"{name} {stage}: in turn {figures['p50_ns']}, alone {alone['p50_ns']}")
        assert abs(apart) < 0.05, (name, stage, apart)
    # One clock: what lies between stamp and edge is the same for every sample.
    for offset in case["edge_offsets"]:
        assert offset["min_ns"] == offset["max_ns"], (name, offset)

for name, case in blind.items():
    for stage, figures in stages(case, "outside").items():
        assert figures["count"] == (1000 if stage == "irq" else 200), (name, stage, figures)
        assert figures["unsure"] == figures["missing"] == 0, (name, stage, figures)

for name, case in dense.items():
    account = case["outside"]
    outside, inside = stages(case, "outside"), stages(case, "inside")
    print(name, "lost interrupts:", account["lost_interrupts"])
    assert account["lost_interrupts"] > 0, (name, account)
    handled = 500 - account["lost_interrupts"]
    assert inside["irq"]["count"] == outside["irq"]["count"] == handled, (name, handled)
    others = [s for s in outside if s != "irq"]
    asked = sum(outside[s]["count"] + outside[s]["coalesced"] + outside[s]["missing"] for s in others)
    assert asked == handled, (name, asked, handled)
    for stage in others:
        assert outside[stage]["count"] == inside[stage]["count"], (name, stage)
        assert abs(outside[stage]["max_ns"] - inside[stage]["max_ns"]) < 2000, (name, stage)
PY
