# SPDX-License-Identifier: Apache-2.0 OR MIT
# Goal: whatever the kind of trigger, its own interrupt counts as no delay, and culprits of known
# kind and name are named as surely as with the line.
# Runs: beside others
. tests/lib/lib.sh

# INTSPECT's measurement, idle: there is little else than the trigger's own timer.
for kind in timer inject; do
	sed -e 's/^count = .*/count = 400/' -e 's/^period = .*/period = "230us"/' \
		-e 's/^states = .*/states = ["idle"]/' -e "s/^kind = .*/kind = \"$kind\"/" \
		scenarios/intspect.toml >"$WORK/intspect-$kind.toml"
	grep -q "^kind = \"$kind\"" "$WORK/intspect-$kind.toml" || fail "no trigger $kind"
	expect 0 "$IRQSCOPE" run "$WORK/intspect-$kind.toml" --explain --out "$WORK/intspect-$kind"
	expect 0 "$IRQSCOPE" explain "$WORK/intspect-$kind" --json
	python3 - "$WORK/said" <<'PY'
import json, sys
stages = json.load(open(sys.argv[1]))
assert len(stages) == 10, len(stages)
for stage in stages:
    rows = stage["rows"]["rows"]
    calm = sum(row["count"] for row in rows if row["kind"] is None)
    assert stage["count"] == 80 and calm >= 0.95 * 80, (stage["case"], stage["stage"], rows)
    named = [row for row in rows if row["kind"] is not None]
    assert all(row["name"] != "local timer" for row in named), named
PY
done

# The bundled faults: the twin's generator raises no firmware's interrupts without the line. With
# one CPU a trigger is injected by a timer of that CPU, which interrupts-off holds up as well: it
# moves the trigger, and not the response.
for kind in timer inject; do
	sed -e 's/^count = .*/count = 1000/' -e "s/^kind = .*/kind = \"$kind\"/" -e 's/"smi",//' \
		scenarios/faults.toml >"$WORK/$kind.toml"
	expect 0 "$IRQSCOPE" run "$WORK/$kind.toml" --out "$WORK/$kind"
	expect 0 "$IRQSCOPE" explain "$WORK/$kind" --truth --json
	still=()
	[ $kind = timer ] || still=(irqs-off irqs-off-nested hrtimer irq)
	python3 "$TESTS/lib/found_faults.py" "$WORK/said" 400 "${still[@]}"
done
