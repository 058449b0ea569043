# SPDX-License-Identifier: Apache-2.0 OR MIT
# Goal: GPIO lines trigger and answer in Debian's kernels for arm64 and riscv64, through their
# real controllers and gpiolib: every sample complete in both views, from stamp to edge
# the same in all, two runs with the same bytes, also from boots of their own; what a late
# response waited for is named, by the caller of a lock's function. Asked for more stages than there are lines, the rig refuses
# before anything is booted.
# Runs: beside others, early
. tests/lib/lib.sh

need_rustup "there is no agent for arm64 and riscv64"

# machine NAME KERNELS STAGES: writes a scenario.
machine() {
	cat >"$WORK/$1.toml" <<-TOML
		version = 1
		about = "GPIO lines of an emulated machine"
		kernels = [$2]
		states = ["idle"]
		stages = [$3]
		[trigger]
		kind = "line"
		mode = "together"
		frequency = "1kHz"
		jitter = "uniform"
		jitter-amount = "500us"
		count = 300
	TOML
}

# measure NAME CASES EDGES: what both views and two runs show of each case.
measure() {
	expect 0 "$IRQSCOPE" run "$WORK/$1.toml" --out "$WORK/$1-a"
	# The states that cases go on from are made anew, so that two boots are compared.
	IRQSCOPE_CACHE=$WORK/cache-$1
	cache_without "$IRQSCOPE_CACHE" snapshots
	export IRQSCOPE_CACHE
	expect 0 "$IRQSCOPE" run "$WORK/$1.toml" --out "$WORK/$1-b" --jobs 2
	unset IRQSCOPE_CACHE
	a=$(field "$WORK/$1-a/summary.json" "j['digest']")
	b=$(field "$WORK/$1-b/summary.json" "j['digest']")
	[ "$a" = "$b" ] || fail "digests differ: $a $b"
	cmp "$WORK/$1-a/samples.parquet" "$WORK/$1-b/samples.parquet"
	target/venv/bin/python "$TESTS/lib/both_views.py" "$WORK/$1-a" "$2" 300
	lines=$(field "$WORK/$1-a/summary.json" "{(len(c['edge_offsets']), c['outside']['edges']) for c in j['cases']}")
	[ "$lines" = "{($3, $((300 * $3)))}" ] || fail "not $3 lines: $lines"
}

seven='"irq", "softirq", "tasklet", "work", "thread", "kthread", "user"'
machine arm64 '"6.1-arm64", "6.1-rt-arm64"' "$seven"
machine riscv64 '"6.12-riscv64"' "$seven, \"tasklet_hi\""
measure arm64 2 7
measure riscv64 1 8

# One more stage than there are lines.
for more in arm64:7:tasklet_hi riscv64:8:work_hi; do
	IFS=: read -r name most stage <<<"$more"
	sed "s/^stages = .*\]/stages = [$seven, \"tasklet_hi\", \"$stage\"]/" "$WORK/$name.toml" >"$WORK/more.toml"
	[ $name = riscv64 ] || sed -i 's/"tasklet_hi", //' "$WORK/more.toml"
	expect 2 "$IRQSCOPE" run "$WORK/more.toml" --out "$WORK/more"
	says "$((most + 1)) stages are asked, and line gpio of this machine has $most"
	[ ! -e "$WORK/more" ] || fail "a run was begun"
done

# Two CPUs take turns that the guest alone decides.
if in_soak "RISC-V with two CPUs"; then
	for run in one other; do
		expect 0 "$IRQSCOPE" run "$WORK/riscv64.toml" --set twin.cpus=2 --no-report --out "$WORK/cpus-$run"
	done
	cmp "$WORK/cpus-one/samples.parquet" "$WORK/cpus-other/samples.parquet"
	complete=$(field "$WORK/cpus-one/summary.json" "c['complete']")
	[ "$complete" = 300 ] || fail "with two CPUs $complete of 300 are complete"
fi

# Causes are named on both machines, too, where processes come and go. The controller of the interrupt that hits a late
# stage is named by its handler. The caller of a lock's function may be in a register alone, and
# a breakpoint of the driver's own holds interrupts off on Arm.
for machine in arm64:6.1-arm64:arch_timer riscv64:6.12-riscv64:riscv_timer_interrupt; do
	IFS=: read -r name kernel timer <<<"$machine"
	expect 0 "$IRQSCOPE" run "$WORK/$name.toml" --kernel "$kernel" --state exec --explain --out "$WORK/explained-$name"
	expect 0 "$IRQSCOPE" explain "$WORK/explained-$name"
	says "own path"
	says "softirq: "
	target/venv/bin/python - "$WORK/explained-$name" "$timer" <<'PY'
import sys
import duckdb
run, timer = sys.argv[1:]
causes = duckdb.sql(f"SELECT cause, name, detail, count(*) FROM '{run}/interference.parquet' GROUP BY ALL").fetchall()
assert any(cause == "interrupt" and timer in name for cause, name, *_ in causes), causes
disabled = [(name, detail, count) for cause, name, detail, count in causes if cause == "interrupts disabled"]
print(sorted(disabled, key=lambda one: -one[2])[:6])
helpers = ("_raw_", "arch_local_irq_", "handle_mm_fault", "rcu_cblist_dequeue")
assert disabled and not [one for one in disabled if one[0].startswith(helpers)], disabled
assert any(detail.startswith("called from ") for _, detail, _ in disabled), disabled
PY
done
expect 0 "$IRQSCOPE" run "$WORK/riscv64.toml" --trace 5 --out "$WORK/traced"
expect 0 "$IRQSCOPE" path "$WORK/traced" --stage user --json
says "irqscope_line_handler [irqscope]"
! grep -q '"\.L' "$WORK/said" || fail "a label is called a function"
echo "PASS: lines of two GPIO controllers, seven and eight, in both views"
