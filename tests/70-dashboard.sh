# SPDX-License-Identifier: Apache-2.0 OR MIT
# Goal: the dashboard, in a real browser, against a real kernel: connect, set the
# trigger, start, see every stage, pause, stop, open, compare, download. Its figures
# are those of summary.json, it is accessible, and it can be linked to.
#
# PAGE=ui/dist takes the page from there. UPDATE=1 keeps the pictures that README and docs show.
# Runs: beside others, early
. tests/lib/lib.sh

# said FILE PATTERN PROCESS: what the pattern's group matched, within two minutes.
said() {
	for _ in $(seq 1200); do
		found=$(sed -nE "s|.*$2.*|\1|p" "$1" | head -n 1)
		[ -n "$found" ] && { echo "$found"; return; }
		kill -0 "$3" 2>/dev/null || break
		sleep 0.1
	done
	cat "$1" >&2
	fail "never said: $2"
}

"$IRQSCOPE" twin --port 0 >"$WORK/twin" 2>&1 &
twin=$!
"$IRQSCOPE" serve --port 0 --runs "$WORK/runs" ${PAGE:+--page "$PAGE"} >"$WORK/serve" 2>&1 &
serve=$!
generator=$(said "$WORK/twin" 'listens on ([0-9.:]+)' $twin)
said "$WORK/twin" '(the target answers)' $twin >/dev/null
page=$(said "$WORK/serve" 'open (http://[^ ]+)' $serve)

timeout 400 node "$TESTS/70-dashboard.mjs" "$page" "$generator" "$WORK/runs" "$WORK/pictures"

kill -INT $serve $twin
wait $serve || fail "serve ended with $?"
wait $twin || fail "twin ended with $?"

[ -n "${UPDATE-}" ] || exit 0
for name in light dark narrow-light run-light lines-light compare-light; do
	picture=$WORK/pictures/dashboard-$name.png
	[ "$(stat -c %s "$picture")" -lt 200000 ] || fail "$picture is too large for the docs"
	cp "$picture" docs/pictures/
done
