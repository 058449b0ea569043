# SPDX-License-Identifier: Apache-2.0 OR MIT
# Goal: GPIO lines trigger and answer in Debian's arm64 kernels, through their real
# controller and gpiolib: every sample complete in both views, from stamp to edge
# the same in all, two runs with the same bytes. Asked for more stages than there
# are lines, the rig refuses before anything is booted.
# Runs: beside others
. tests/lib/lib.sh

need_rustup "there is no agent for arm64"

cat >"$WORK/gpio.toml" <<-TOML
	version = 1
	about = "GPIO lines of an emulated Arm machine"
	kernels = ["6.1-arm64", "6.1-rt-arm64"]
	states = ["idle"]
	stages = ["irq", "softirq", "tasklet", "work", "thread", "kthread", "user"]
	[trigger]
	kind = "line"
	mode = "together"
	frequency = "1kHz"
	jitter = "uniform"
	jitter-amount = "500us"
	count = 300
TOML
expect 0 "$IRQSCOPE" run "$WORK/gpio.toml" --out "$WORK/a"
expect 0 "$IRQSCOPE" run "$WORK/gpio.toml" --out "$WORK/b" --jobs 2
a=$(field "$WORK/a/summary.json" "j['digest']")
b=$(field "$WORK/b/summary.json" "j['digest']")
[ "$a" = "$b" ] || fail "digests differ: $a $b"
cmp "$WORK/a/samples.parquet" "$WORK/b/samples.parquet"

target/venv/bin/python "$TESTS/lib/both_views.py" "$WORK/a" 2 300
lines=$(field "$WORK/a/summary.json" "[(len(c['edge_offsets']), c['outside']['edges']) for c in j['cases']]")
[ "$lines" = "[(7, 2100), (7, 2100)]" ] || fail "not seven lines: $lines"

# One more stage than there are lines.
sed 's/"user"\]/"user", "tasklet_hi"]/' "$WORK/gpio.toml" >"$WORK/eight.toml"
expect 2 "$IRQSCOPE" run "$WORK/eight.toml" --out "$WORK/eight"
says "8 stages are asked, and line gpio of this machine has 7"
[ ! -e "$WORK/eight" ] || fail "a run was begun"
