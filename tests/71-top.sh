# SPDX-License-Identifier: Apache-2.0 OR MIT
# Goal: `irqscope top` in a terminal, on a real kernel's twin that stays up: every
# stage is there, keys pause, choose and end, and what was shown is in a run directory
# that is complete; `serve` ends by a signal in mid-measurement and keeps what came.
# Runs: beside others
. tests/lib/lib.sh
cd "$WORK"

expect 2 "$IRQSCOPE" top demo </dev/null
says "top needs a terminal"
expect 2 "$IRQSCOPE" top
expect 2 "$IRQSCOPE" serve --page "$WORK"
says "there is no page in"

# await_text FILE TEXT: waits until the file says so.
await_text() {
	for _ in $(seq 1200); do
		grep -qF -- "$2" "$1" && return
		sleep 0.1
	done
	cat "$1"
	fail "never said: $2"
}

"$IRQSCOPE" twin >twin.said 2>&1 &
twin=$!
terminal="tmux -L irqscope-$$"
trap '{ kill $twin; $terminal kill-server; } 2>/dev/null || true' EXIT
await_text twin.said "listens on"
at=$(sed -n 's/.*listens on //p' twin.said)
await_text twin.said "the target answers"
"$IRQSCOPE" generator set --connect "$at" --frequency 500Hz --count 4294967296 --packet 16 >/dev/null

# The screen's present content.
screen() {
	$terminal capture-pane -p >screen
}

# shows TEXT: waits until it is on the screen.
shows() {
	for _ in $(seq 300); do
		screen
		grep -qF -- "$1" screen && return
		sleep 0.2
	done
	cat screen
	fail "the screen does not show: $1"
}

# triggers: the account's first figure on the screen.
triggers() {
	screen
	sed -n 's/^\([0-9]*\) triggers =.*/\1/p' screen
}

# logged DIRECTORY BYTES: whether the log of its only run has them.
logged() {
	[ "$(cat "$1"/*-board/run.log 2>/dev/null | wc -c)" -ge "$2" ]
}

stages=irq,softirq,tasklet_hi,tasklet,work_hi,work,work_unbound,thread,kthread,user
$terminal new-session -d -x 170 -y 40 "'$IRQSCOPE' top --connect $at --stages $stages; echo ended with \$?; sleep 600"
for stage in irq softirq tasklet_hi tasklet work_hi work work_unbound thread kthread user; do
	shows "$stage "
done
shows "✓"
shows "virtual nanoseconds"

# Counts grow; paused they stand still while the measurement goes on.
first=$(triggers)
grown() { [ "$(triggers)" -gt "$1" ]; }
within 60 grown "$first"
$terminal send-keys p
shows PAUSED
stood=$(triggers)
within 60 logged runs $(($(cat runs/*-board/run.log | wc -c) + 20000))
[ "$(triggers)" = "$stood" ] || fail "the paused picture moves"
$terminal send-keys p
within 60 grown "$stood"

# Another stage's longest latencies.
shows "irq outside: largest latency"
$terminal send-keys Down
shows "softirq outside: largest latency"

# q ends the generator's run, waits for the rest, and leaves.
$terminal send-keys q
shows "ended with 0"
run=$(echo runs/*-board)
[ "$(field "$run/manifest.json" 'j["complete"], j["rig"]')" = "True board" ] || fail "the run is not complete"
[ "$(field "$run/summary.json" 'len(j["cases"][0]["stages"]), j["cases"][0]["identity_holds"], j["cases"][0]["twin"]')" = "10 True True" ] ||
	fail "the summary is another"
for file in samples.parquet report.html; do
	[ -s "$run/$file" ] || fail "$file is not derived"
done
expect 0 "$IRQSCOPE" report "$run"
says "virtual nanoseconds"

# A server that is ended in mid-measurement.
mkdir page
echo page >page/index.html
"$IRQSCOPE" serve --listen 127.0.0.1:0 --name scope.example --page page --runs interrupted --connect "$at" >serve.said 2>&1 &
serve=$!
await_text serve.said "open http://127.0.0.1:"
python3 - "$(sed -n 's/.*open //p' serve.said)" <<'PY'
import sys, urllib.request
request = urllib.request.Request(sys.argv[1] + "api/generator/start", b"{}", {"Content-Type": "application/json"})
print(urllib.request.urlopen(request).read())

# By its own name and that which it was given, and by no other, as a page elsewhere would ask.
port = sys.argv[1].rstrip("/").rsplit(":", 1)[1]
for host, status in ("127.0.0.1", 200), ("scope.example", 200), ("other.example", 403):
    try:
        answer = urllib.request.urlopen(urllib.request.Request(sys.argv[1], headers={"Host": f"{host}:{port}"})).status
    except urllib.error.HTTPError as error:
        answer = error.code
    assert answer == status, (host, answer)
PY
within 60 logged interrupted 20000
kill -TERM $serve
wait $serve || fail "serve ended with $?"
[ "$(field interrupted/*-board/manifest.json 'j["complete"], j["cases"][0]["failure"] is None')" = "False False" ] ||
	fail "the interrupted run says nothing of it"

kill -INT $twin
wait $twin || fail "twin ended with $?"
