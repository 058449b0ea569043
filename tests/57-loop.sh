# SPDX-License-Identifier: Apache-2.0 OR MIT
# Goal: one period of `bench sched` costs no more instructions than one of
# cyclictest, on a stock and on an RT kernel, counted on the twin's clock.
# Runs: beside others
. tests/lib/lib.sh

need_guest
for kernel in 6.1 6.1-rt; do
	exchange=$WORK/$kernel
	mkdir "$exchange"
	cp "$PARTS/irqscope-agent-x86_64" "$exchange/agent"
	cp "$TESTS/57-loop.py" "$exchange/loop.py"
	echo 'exec python3 /exchange/loop.py' >"$exchange/script"
	"$GUEST" "$kernel" "$exchange" virtual >"$WORK/said" 2>&1 || {
		cat "$WORK/said" "$exchange/script.output"
		fail "$kernel"
	}
	echo "$kernel: $(grep instructions "$exchange/script.output")"
done
