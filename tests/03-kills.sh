# SPDX-License-Identifier: Apache-2.0 OR MIT
# Goal: kill -9 at random instants of the program, of QEMU, of an agent on this machine and of the
# page's server: what was in the log stays and can be read, the run is marked incomplete, no process
# is left, and the next start removes the temporary files. KILLS of each, by KILLS_SEED; make soak
# does 1,000.
# Runs: beside others
. tests/lib/lib.sh

export TMPDIR=$WORK/tmp
mkdir "$TMPDIR"
python3 "$TESTS/03-kills.py" "$WORK" "$IRQSCOPE" "${KILLS:-3}" "${KILLS_SEED:-$(date +%s)}"
nothing_left "(qemu-system-x86_64|irqscope-agent|irqscope serve).*$WORK"
