# SPDX-License-Identifier: Apache-2.0 OR MIT
# Goal: the answer and the first rows of the demo's table stand in README as `irqscope run demo` prints them for a
# screen of 80 columns and 24 lines; UPDATE=1 puts them there. Under load a figure depends on the agent's build, so
# that figures are compared of idle cases, and words of all.
# Runs: beside others
. tests/lib/lib.sh

(cd "$WORK" && COLUMNS=80 "$IRQSCOPE" run demo --no-report --out RUN >screen 2>progress) || fail "the demo: exit $?"
python3 "$TESTS/89-first-screen.py" "$WORK/screen" README.md ${UPDATE:+--update} || fail "README has another screen"
