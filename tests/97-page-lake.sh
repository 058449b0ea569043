# SPDX-License-Identifier: Apache-2.0 OR MIT
# Goal: of a month of a farm, made of runs of the twin, with a regression that was planted in one place on one
# day: the command finds the place, the day and what was another, and nothing else; so does the page, which leads
# to the runs beside it and shows histograms over time; alerts reach a receiver; limits of places are held as
# irqscope gate holds a run's, and the newest figures are metrics; what is missing is said.
# Runs: beside others
. tests/lib/lib.sh

for seed in 1 2; do
	expect 0 "$IRQSCOPE" run demo --kernel 6.1 --state load --stage irq --stage user --count 1200 \
		--seed $seed --out "$WORK/runs/real-$seed"
done
export PATH=$PWD/target/venv/bin:$PATH PYTHONPATH=$PWD/python PYTHONDONTWRITEBYTECODE=1

# No lake, and no package that reads it, before there is a page.
expect 2 "$IRQSCOPE" serve --port 0 --runs "$WORK/runs" --lake "$WORK/lake"
says "irqscope.lake add"
expect 2 env PYTHONPATH= PATH=/usr/bin:/bin "$IRQSCOPE" serve --port 0 --runs "$WORK/runs" --lake "$WORK/lake"
says "python3 -m irqscope.lake --help"

python "$TESTS/97-changes.py"
root=$PWD
cd "$WORK" # its pictures name no directory of this machine
python "$TESTS/97-page-lake.py" months runs planted.json
python "$TESTS/97-lake-gate.py" months runs/real-2 "$IRQSCOPE"
"$root/target/promtool" check metrics <lake.prom || fail "promtool does not take the lake's metrics"
serve_page ${PAGE:+--page "$PAGE"} --lake months
timeout 200 node "$TESTS/97-page-lake.mjs" "$page" "$WORK/planted.json" "$WORK/pictures"

[ "${UPDATE-}" != 1 ] || cp "$WORK/pictures/lake.png" "$root/docs/pictures/lake.png"

# A process that reads the lake and dies is started anew; none is left behind.
pkill -KILL -f "irqscope.lake answer --lake months" || fail "no process reads the lake"
node -e 'fetch(process.argv[1]).then((answer) => process.exit(answer.ok ? 0 : 1))' "${page}api/lake" ||
	node -e 'fetch(process.argv[1]).then((answer) => process.exit(answer.ok ? 0 : 1))' "${page}api/lake" ||
	fail "the lake has no answer after its reader died"
end_page
nothing_left "irqscope.lake answer --lake months"
