# SPDX-License-Identifier: Apache-2.0 OR MIT
# Goal: the generator works in the QEMU of Debian's backports as well as in the
# installed one, by the same plugin: both views, every edge,
# the same constant between them, and a path of as many instructions as its latency.
# (The jitter lets triggers come at every phase of the tick: with one phase alone the
# tick may fall between a stage's stamp and its edge, time and again.)
# Runs: beside others
. tests/lib/lib.sh

cat >"$WORK/few.toml" <<-TOML
	version = 1
	about = "A few triggers"
	kernels = ["6.1", "6.12-rt"]
	states = ["idle"]
	[trigger]
	kind = "line"
	mode = "together"
	period = "1ms"
	jitter = "uniform"
	jitter-amount = "500us"
	count = 100
TOML

installed=$(qemu-system-x86_64 --version | sed -n 1p)
# A guest of two CPUs has it fetched where the installed one is too old.
expect 0 "$IRQSCOPE" run "$WORK/few.toml" --set twin.cpus=2 --count 1 --kernel 6.1 --out "$WORK/two" --no-report
newer=$(echo "$CACHE"/qemu/*-amd64/usr)
[ -x "$newer/bin/qemu-system-x86_64" ] || fail "no newer QEMU than $installed was fetched"
mkdir "$WORK/bin"
cat >"$WORK/bin/qemu-system-x86_64" <<-SH
	#!/bin/sh
	exec "$newer/bin/qemu-system-x86_64" -L "$newer/share/qemu" -L /usr/share/seabios "\$@"
SH
chmod +x "$WORK/bin/qemu-system-x86_64"
PATH=$WORK/bin:$PATH
[ "$(qemu-system-x86_64 --version | sed -n 1p)" != "$installed" ] || fail "the same QEMU again: $installed"
expect 0 "$IRQSCOPE" run "$WORK/few.toml" --out "$WORK/run" --trace 20
expect 0 "$IRQSCOPE" path "$WORK/run" --case 6.1/idle --against-case 6.12-rt/idle --json

python3 - "$WORK/run/summary.json" "$WORK/said" <<'PY'
import json, sys
paths = json.load(open(sys.argv[2]))
for path in (paths["first"], paths["second"]):
    check = path["check"]
    assert check["samples"] >= 20 * 10 and not check["mismatches"] and not check["cut_off"], check
for case in json.load(open(sys.argv[1]))["cases"]:
    outside = case["outside"]
    assert case["identity_holds"] and case["complete"] == case["triggers"] == 100, case["case"]
    assert outside["edges"] == outside["answers"] == 100 * len(case["missing"]), outside
    assert all(o["at_p50"] == 100 for o in case["edge_offsets"] if o["stage"] != "user"), case["edge_offsets"]
PY
