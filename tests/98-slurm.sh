# SPDX-License-Identifier: Apache-2.0 OR MIT
# Goal: a place of a plan starts its jobs by a cluster's program, or submits them as arrays, with Slurm's own
# controller and two nodes on loopback: they run on both nodes, give the samples that they give without it, and
# end with the fleet; arrays outlive one that is killed, and a task that the cluster ends is measured again; what
# the cluster refuses is said; a launcher is started only where it is allowed, and one that is not there is named.
# Runs: beside others
. tests/lib/lib.sh
# shellcheck source=tests/lib/slurm.sh
. "$TESTS/lib/slurm.sh"

[ "$(id -u)" = 0 ] || skip root "nodes of Slurm change users"
trap end_slurm EXIT
start_slurm

cp "$TESTS/scenarios/quick.toml" "$WORK"
plan() { # NAME SEEDS LINE
	cat >"$WORK/$1.toml" <<-TOML
		version = 1
		scenarios = ["quick.toml"]
		kernels = ["6.1"]
		seeds = [$2]
		set = ["trigger.count=100", "stages=[\"irq\", \"user\"]"]
		[place.cluster]
		$3
		at-once = 4
	TOML
}
fleet() { "$IRQSCOPE" fleet run "$WORK/$1.toml" --out "$WORK/$1" --allow-commands; }
on_both_nodes() { # FILE
	local node
	for node in one two; do
		grep -q "NodeList=$node$" "$1" || fail "nothing ran on node $node: $(cat "$1")"
	done
}
same_samples() { # FLEET
	cmp "$WORK/here/samples.parquet" "$WORK/$1/runs/quick-6.1-seed2/samples.parquet" ||
		fail "the cluster gives other samples: $1"
}
# A fleet that is asked to end takes its jobs along.
ends_with_its_fleet() { # PLAN
	sed 's/trigger.count=100/trigger.count=900000/' "$WORK/$1.toml" >"$WORK/$1-long.toml"
	fleet "$1-long" >"$WORK/fleet" 2>&1 &
	local fleet=$! status=0
	both_run() { [ "$(squeue -h -t running | wc -l)" = 2 ]; }
	within 60 both_run
	pkill -TERM -P $fleet
	wait $fleet || status=$?
	[ $status = 130 ] || fail "exit $status after SIGTERM: $(cat "$WORK/fleet")"
	none_left() { [ "$(squeue -h | wc -l)" = 0 ]; }
	within 60 none_left
	nothing_left "(irqscope run|qemu-system-x86_64).*$WORK/$1-long"
}
expect 0 "$IRQSCOPE" run "$WORK/quick.toml" --kernel 6.1 --seed 2 --set trigger.count=100 --stage irq --stage user \
	--no-report --out "$WORK/here"

plan cluster 1,2 'launcher = ["srun", "--quiet", "--ntasks=1", "--cpus-per-task=1"]'
expect 0 "$IRQSCOPE" fleet show "$WORK/cluster.toml"
says "srun --quiet --ntasks=1 --cpus-per-task=1 irqscope run $WORK/quick.toml"
expect 2 "$IRQSCOPE" fleet run "$WORK/cluster.toml" --out "$WORK/cluster"
says "place.cluster.launcher runs srun on this machine; if you trust the plan, add --allow-commands"
expect 0 fleet cluster
says "2 jobs = 2 measured"
scontrol show job >"$WORK/jobs"
[ "$(grep -c 'JobState=COMPLETED' "$WORK/jobs")" = 2 ] || fail "not two jobs of the cluster: $(cat "$WORK/jobs")"
on_both_nodes "$WORK/jobs"
same_samples cluster
ends_with_its_fleet cluster

# An array goes on when its fleet is killed. A task that the cluster ends is measured again.
plan array 1,2,3,4 'slurm = ["--ntasks=1", "--cpus-per-task=1"]'
expect 0 "$IRQSCOPE" fleet show "$WORK/array.toml"
says "sbatch --ntasks=1 --cpus-per-task=1 irqscope run $WORK/quick.toml"
expect 2 "$IRQSCOPE" fleet run "$WORK/array.toml" --out "$WORK/array"
says "place.cluster.slurm runs sbatch on this machine"
"$IRQSCOPE" fleet run "$WORK/array.toml" --out "$WORK/array" --allow-commands >"$WORK/fleet" 2>&1 &
killed=$!
third_runs() { [ -e "$WORK/array/arrays/1/3.begun" ]; }
within 120 third_runs
kill -KILL $killed
wait $killed || true
scancel "$(squeue -h -r -o '%F_%K' -n "$(squeue -h -r -o %j | head -n 1)" | grep '_3$')"
expect 0 fleet array
says "of an earlier call are in the cluster or were measured there"
says "quick-6.1-seed3: its rig was lost; it is tried again"
says "4 jobs = 4 measured"
same_samples array
scontrol show job >"$WORK/jobs"
grep -q "ArrayTaskId=3" "$WORK/jobs" || fail "not as an array: $(cat "$WORK/jobs")"
journal=$WORK/array/journal.jsonl
[ "$(grep -c '"event":"done"' "$journal")" = 4 ] || fail "not once each: $(cat "$journal")"
[ "$(grep -c '"event":"started"' "$journal")" = 5 ] || fail "not five attempts: $(cat "$journal")"
expect 0 fleet array
says "4 of 4 jobs are done already"
ends_with_its_fleet array

# A cluster refuses what it has not.
plan partition 1 'launcher = ["srun", "--partition=none"]'
expect 3 fleet partition
says "failed (1): srun: error: Unable to allocate resources: Invalid partition name specified"
plan no-partition 1,2 'slurm = ["--partition=none"]'
expect 3 fleet no-partition
says "2 jobs = 0 measured + 0 known + 2 failed"
says "failed (1): sbatch: error: Batch job submission failed: Invalid partition name specified"

plan absent 1 'launcher = ["no-such-launcher"]'
expect 2 fleet absent
says "place.cluster.launcher: there is no program no-such-launcher"
sed 's/^at-once.*/host = "root@nowhere"/' "$WORK/array.toml" >"$WORK/host.toml"
expect 2 fleet host
says "with a host or tags there is nothing to launch"
plan both 1 'slurm = []
launcher = ["srun"]'
expect 2 fleet both
says "place.cluster: a place has slurm or a launcher, not both"
