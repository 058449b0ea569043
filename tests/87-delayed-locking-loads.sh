# SPDX-License-Identifier: Apache-2.0 OR MIT
# Goal: the scenario delayed-locking, with fewer sleeps, on each patched kernel: loads that were not made for it, off and
# on; with the technique on the worst sleep beside files is less than half as late, every urgent timer
# was seen, nothing was forced; and `irqscope locks` shows what the monitor counted, with figures that agree
# with each other, and on an unpatched kernel the sections that its events report, by that name.
# Runs: beside others, in make soak
. tests/lib/lib.sh

sed -e 's/^count = .*/count = 1600/' -e 's/^settle = .*/settle = "1s"/' -e 's/^modes = .*/modes = ["off", "on"]/' \
	"$TESTS/../scenarios/delayed-locking.toml" >"$WORK/loads.toml"
for kernel in delayed-locking source:6.12+delayed-locking; do
	loads=$WORK/${kernel#source:}
	expect 0 "$IRQSCOPE" kernel build "$kernel"
	expect 0 "$IRQSCOPE" run "$WORK/loads.toml" --kernel "$kernel" --out "$loads"
	expect 0 "$IRQSCOPE" locks "$loads" --period 4ms
	says "hold times of every section, by the kernel's monitor"
	"$IRQSCOPE" locks "$loads" --period 4ms --json >"$WORK/locks.json"
	python3 "$TESTS/87-delayed-locking-loads.py" "$loads/summary.json" "$WORK/locks.json" || fail "$kernel: see above"
done

expect 0 "$IRQSCOPE" run "$TESTS/scenarios/quick.toml" --kernel 6.1 --explain --out "$WORK/unpatched"
expect 0 "$IRQSCOPE" locks "$WORK/unpatched"
says "no monitor in this kernel: what was left, after a trigger"
nothing_left "qemu-system-x86_64.*$WORK"
