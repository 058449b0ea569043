# SPDX-License-Identifier: Apache-2.0 OR MIT
# Goal: a finished run's page shows what the command line prints as JSON, figure by figure: tails and
# verdicts, the path of a response, bursts by place, a sweep with its knee, critical sections, and what
# disturbs an isolated CPU; it offers them only where the run has them. A run is held against a baseline, a
# path is compared with another, and its flame graph is the one that the command line draws. Both themes are looked at, on a
# screen and on a phone, and so are reports, whose links lead to the files beside them.
# Runs: beside others, early
. tests/lib/lib.sh

cat >"$WORK/plain.toml" <<-TOML
	version = 1
	about = "Three stages while processes come and go"
	rig = "twin"
	kernels = ["6.1"]
	states = ["exec"]
	stages = ["irq", "softirq", "user"]
	[trigger]
	kind = "line"
	mode = "together"
	frequency = "1kHz"
	jitter = "uniform"
	jitter-amount = "500us"
	seed = 1
	count = 1200
TOML
sed 's/^count = .*/count = 160/' scenarios/bursts.toml >"$WORK/bursts.toml"
expect 0 "$IRQSCOPE" run "$WORK/plain.toml" --trace 40 --out "$WORK/runs/plain"
expect 0 "$IRQSCOPE" run "$WORK/bursts.toml" --kernel 6.1 --sections --out "$WORK/runs/bursts"
expect 0 "$IRQSCOPE" run bursts-counter --kernel 6.1 --count 80 --out "$WORK/runs/counted"
# The limits that a scenario sets are held without being written.
expect 0 "$IRQSCOPE" run "$TESTS/scenarios/isolate/isolate.toml" --set 'limits=["isolate<1s@max"]' --allow-commands --kernel 6.1 --out "$WORK/runs/isolate"
expect 0 "$IRQSCOPE" sweep knee --kernel 6.1 --stage irq --stage work --count 100 \
	--from 50kHz --to 100kHz --steps-per-octave 1 --out "$WORK/runs/sweep"

# Samples whose tail is known, and the same ones a third later.
python3 - "$WORK" <<'PY'
import random, sys
for name, scale in (("base", 1.0), ("later", 1.3)):
    draw = random.Random(7)
    lines = (f"0:{n}:{int(1000 * scale * (5 + draw.expovariate(1 / 6.0)))}" for n in range(20_000))
    open(f"{sys.argv[1]}/{name}.txt", "w").write("\n".join(lines) + "\n")
PY
for name in base later; do
	expect 0 "$IRQSCOPE" import --nanoseconds "$WORK/$name.txt" --out "$WORK/runs/$name"
done
# A file that does not say its interval has no tail in time.
expect 2 "$IRQSCOPE" tail "$WORK/runs/later" --every 1s
says "no period"

worst=$(field "$WORK/runs/plain/summary.json" "max(s['max_ns'] for s in c['stages'] if s['stage']=='user' and s['view']=='outside')")
echo "user<${worst}ns@max,irq<1s@p50" >"$WORK/limits"

keep() { # FILE STATUS COMMAND...
	expect "$2" "$IRQSCOPE" "${@:3}" --json
	cp "$WORK/said" "$WORK/json/$1.json"
}
mkdir "$WORK/json"
for stage in irq softirq user; do
	# It ends with 4 where these samples support no tail.
	"$IRQSCOPE" tail "$WORK/runs/plain" --stage $stage --every 1s --json >"$WORK/json/tail-$stage.json" || [ $? = 4 ] ||
		fail "no tail of $stage"
done
keep tail-sched 0 tail "$WORK/runs/later"
keep against 1 gate "$WORK/runs/later" --against "$WORK/runs/base" --allow 25%
keep gate 1 gate "$WORK/runs/plain" --max "user<${worst}ns@max" --max 'irq<1s@p50'
keep path 0 path "$WORK/runs/plain" --stage user --at max
keep paths 0 path "$WORK/runs/plain" --stage user --from max --to p50
expect 0 "$IRQSCOPE" path "$WORK/runs/plain" --stage user --at max --svg "$WORK/json/path.svg"
keep bursts 0 bursts "$WORK/runs/bursts"
keep counted 0 bursts "$WORK/runs/counted"
keep locks 0 locks "$WORK/runs/bursts"
keep locks-beside 0 locks "$WORK/runs/bursts" --period 40us
keep isolate 0 isolate "$WORK/runs/isolate"
cp "$WORK/runs/sweep/sweep.json" "$WORK/json/sweep.json"

serve_page ${PAGE:+--page "$PAGE"}
timeout 200 node "$TESTS/83-page-results.mjs" "$page" "$WORK/json" "$WORK/limits" "$WORK/pictures"
end_page
