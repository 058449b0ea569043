# SPDX-License-Identifier: Apache-2.0 OR MIT
# Goal: a fleet measures at places of labgrid, with its own coordinator, exporter and client: each job
# reserves a place by tags, measures over ssh what is there, and gives it back; one that finds it taken
# waits; without a coordinator that is said, and a wait for a place that is not there ends with the fleet. A test
# of labgrid's measures by the Python package's driver. For make soak: 20 places and 200 runs, while coordinator,
# exporter, a guest and the fleet are killed, of which each is measured once (PLACES, RUNS).
# Runs: beside others, early
. tests/lib/lib.sh

need_guest
# shellcheck source=tests/lib/ssh.sh
. "$TESTS/lib/ssh.sh"
export PATH=$PWD/target/labgrid/bin:$PATH
coordinator=127.0.0.1:$(shuf -i 20000-60000 -n 1)

{
	cat <<-TOML
		version = 1
		about = "At a place of labgrid"
		rig = "ssh"
		states = ["idle"]
		[trigger]
		kind = "timer"
		period = "4ms"
		count = 100
	TOML
	# The place knows the way; the key is the test's.
	ssh_toml | grep -v "^host" | sed "s/\"-p\", \"$PORT\", //"
} >"$WORK/at.toml"
cat >"$WORK/plan.toml" <<-TOML
	version = 1
	scenarios = ["at.toml"]
	seeds = [1, 2]
	[place.lab]
	tags = { irqscope = "guest" }
TOML
expect 3 env LG_COORDINATOR=$coordinator "$IRQSCOPE" fleet run "$WORK/plan.toml" --out "$WORK/without" --allow-ssh-options
grep -q "is LG_COORDINATOR right" "$WORK/said" || fail "does not say that there is no coordinator"

# One place and two jobs at the same time, of which one waits.
cat >"$WORK/exporter.yaml" <<-YAML
	guest1:
	  NetworkService:
	    address: 127.0.0.1
	    port: $PORT
	    username: root
YAML
# It keeps its places in files where it is started.
(cd "$WORK" && exec labgrid-coordinator -l $coordinator >coordinator.log 2>&1) &
export LG_COORDINATOR=$coordinator
there() { labgrid-client resources >"$WORK/said" 2>&1; }
within 60 there
labgrid-exporter -n lab "$WORK/exporter.yaml" >"$WORK/exporter.log" 2>&1 &
# Into a file first: the client does not like a reader that goes.
client_says() { labgrid-client "$1" >"$WORK/client" 2>&1 && grep -q "$2" "$WORK/client"; }
exported() { client_says resources guest1; }
within 60 exported
labgrid-client -p one create
labgrid-client -p one add-match 'lab/guest1/*'
labgrid-client -p one set-tags irqscope=guest

start_target 6.1
expect 0 "$IRQSCOPE" fleet run "$WORK/plan.toml" --out "$WORK/lab" --allow-ssh-options --jobs 2
says "2 jobs = 2 measured"
for seed in 1 2; do
	holds "$WORK/lab/runs/at-seed$seed/summary.json" "c['triggers'] == 100 and c['identity_holds']" "seed $seed"
done
[ "$(grep -c '"event":"done".*"machine":"one"' "$WORK/lab/journal.jsonl")" = 2 ] || fail "the journal does not say where: $(cat "$WORK/lab/journal.jsonl")"

# A test of labgrid's measures there by the driver of the Python package.
cat >"$WORK/lab.yaml" <<-YAML
	imports:
	- irqscope.labgrid
	targets:
	  main:
	    resources:
	      RemotePlace: {name: one}
	    drivers:
	      IrqscopeDriver:
	        keyfile: key
	        ssh_options: [-F, none, -o, UserKnownHostsFile=$WORK/known, -o, IdentitiesOnly=yes]
	        program: $IRQSCOPE
	        out: $WORK/driven
YAML
cat >"$WORK/test_latency.py" <<-'PYTHON'
	import irqscope
	import pytest

	def test_latency(target):
	    driver = target.get_driver("IrqscopeDriver")
	    run = driver.run("at.toml", count=60)
	    again = driver.run("at.toml", count=60)
	    assert run.path != again.path and run.samples(stage="irq").height == 60
	    driver.gate(run, "irq<10s@max")
	    with pytest.raises(irqscope.GateExceeded, match="irq"):
	        driver.gate(run, "irq<1ns@max")
	    with pytest.raises(irqscope.Refused, match="nothing"):
	        driver.gate(run, "nothing<1ns@max")
PYTHON
labgrid-client -p one acquire
(cd "$WORK" && PYTHONPATH=$TESTS/../python pytest -q -p no:cacheprovider --lg-env lab.yaml --lg-coordinator $coordinator \
	test_latency.py) || fail "labgrid's test"
labgrid-client -p one release

client_says reservations token && fail "a reservation was left: $(cat "$WORK/client")"
client_says who one && fail "the place was kept"

# A job waits for a place that does not exist, and its wait ends with the fleet.
sed 's/guest/none/' "$WORK/plan.toml" >"$WORK/absent.toml"
"$IRQSCOPE" fleet run "$WORK/absent.toml" --out "$WORK/absent" --allow-ssh-options --jobs 1 >"$WORK/said" 2>&1 &
fleet=$!
waiting() { client_says reservations waiting; }
within 60 waiting
kill -TERM $fleet
status=0
wait $fleet || status=$?
[ $status = 130 ] || fail "exit $status when a wait is ended"
none() { ! client_says reservations token; }
within 30 none

ssh "${OWN[@]}" -O exit root@127.0.0.1 2>/dev/null
touch "$WORK/done"
wait $guest || fail "the guest ended with $?"
trap 'rm -rf "$SOCKETS"' EXIT

# Many places, each a guest of its own, and all that a fleet needs killed in between.
many_places() {
	local count=${PLACES:-20} runs=${RUNS:-200} first=$((PORT + 1)) place n
	boots() { # NUMBER
		local dir=$WORK/place$1
		mkdir -p "$dir"
		cp "$WORK"/{host-key,key.pub,sshd_config,script} "$dir"
		rm -f "$dir/done"
		"$GUEST" 6.1 "$dir" $((first + $1)) cpus=1 memory=512 boot=900 limit=14400 >"$dir/words" 2>&1 &
		guests[$1]=$!
	}
	is_up() { timeout 60 ssh -F none -p $((first + $1)) -i "$WORK/own-key" -o BatchMode=yes -o ConnectTimeout=5 \
		-o "UserKnownHostsFile=$WORK/known" -o IdentitiesOnly=yes root@127.0.0.1 true 2>/dev/null; }
	restart_lab() {
		pkill -KILL -P $$ -f 'labgrid-(coordinator|exporter)' || true
		(cd "$WORK" && exec labgrid-coordinator -l $coordinator >>coordinator.log 2>&1) &
		within 60 there
		labgrid-exporter -n lab "$WORK/exporter.yaml" >>"$WORK/exporter.log" 2>&1 &
		within 60 client_says resources "place$count"
	}
	for n in $(seq "$count"); do
		printf '[127.0.0.1]:%s %s\n' $((first + n)) "$(cut -d' ' -f1,2 "$WORK/host-key.pub")" >>"$WORK/known"
		printf 'place%s:\n  NetworkService:\n    address: 127.0.0.1\n    port: %s\n    username: root\n' \
			"$n" $((first + n)) >>"$WORK/exporter.yaml"
		boots "$n"
		# Four at a time: all of them together take as long, and look stuck.
		[ $((n % 4)) != 0 ] || within 900 is_up "$n"
	done
	for n in $(seq "$count"); do within 900 is_up "$n"; done
	echo "$SECONDS s: $count places are up"
	restart_lab
	for n in $(seq "$count"); do
		labgrid-client -p "many$n" create
		labgrid-client -p "many$n" add-match "lab/place$n/*"
		labgrid-client -p "many$n" set-tags irqscope=many
	done
	sed -e "s/^seeds.*/seeds = [$(seq -s, "$runs")]\nset = [\"trigger.count=50\"]/" -e "s/guest/many/" \
		-e "\$ a at-once = $count" "$WORK/plan.toml" >"$WORK/many.toml"
	many() { "$IRQSCOPE" fleet run "$WORK/many.toml" --out "$WORK/many" --allow-ssh-options; }
	measured() {
		local jobs
		jobs=$(grep -c '"event":"done"' "$WORK/many/journal.jsonl" 2>/dev/null)
		[ "${jobs:-0}" -ge "$1" ]
	}
	many >"$WORK/fleet" 2>&1 &
	fleet=$!
	within 3600 measured $((runs / 4))
	pkill -KILL -P $fleet || true
	wait $fleet || true
	restart_lab
	many >>"$WORK/fleet" 2>&1 &
	fleet=$!
	within 3600 measured $((runs / 2))
	touch "$WORK/place1/done" # a guest goes, and comes again
	wait "${guests[1]}" || true
	boots 1
	restart_lab # under the fleet, whose jobs find no coordinator for a while
	wait $fleet || true
	for n in 1 2 3 4 5; do
		within 900 is_up 1
		many >>"$WORK/fleet" 2>&1 && break
	done
	[ "$(grep -c '"event":"done"' "$WORK/many/journal.jsonl")" = "$runs" ] || fail "not each once: $(tail "$WORK/fleet")"
	"$IRQSCOPE" fleet status "$WORK/many" --json >"$WORK/many.json"
	holds "$WORK/many.json" "len({r['run'] for r in j if r['event'] == 'done'}) == $runs" "runs"
	for n in $(python3 -c 'import json, sys; print(*[row["run"] for row in json.load(sys.stdin)])' <"$WORK/many.json"); do
		holds "$WORK/many/$n/summary.json" "c['triggers'] == 50 and c['identity_holds']" "run $n"
	done
	echo "$SECONDS s: $runs runs; places used: $(grep -o '"machine":"many[0-9]*"' "$WORK/many/journal.jsonl" | sort -u | wc -l)"
	for n in $(seq "$count"); do touch "$WORK/place$n/done"; done
	wait "${guests[@]}" || true
}
declare -A guests
if in_soak "20 places of labgrid and 200 runs"; then many_places; fi
pkill -P $$ -f 'labgrid-(coordinator|exporter)' || true
nothing_left "qemu-system-x86_64.*$WORK"
