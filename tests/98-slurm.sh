# SPDX-License-Identifier: Apache-2.0 OR MIT
# Goal: a place of a plan starts its jobs by a cluster's program, with Slurm's own controller and two nodes on
# loopback: they run on both nodes, give the samples that they give without it, and end with the fleet; what
# the cluster refuses is said; a launcher is started only where it is allowed, and one that is not there is named.
# Runs: beside others
. tests/lib/lib.sh
# shellcheck source=tests/lib/slurm.sh
. "$TESTS/lib/slurm.sh"

[ "$(id -u)" = 0 ] || skip root "nodes of Slurm change users"
trap end_slurm EXIT
start_slurm

cp "$TESTS/scenarios/quick.toml" "$WORK"
plan() { # NAME LAUNCHER
	cat >"$WORK/$1.toml" <<-TOML
		version = 1
		scenarios = ["quick.toml"]
		kernels = ["6.1"]
		seeds = [1, 2, 3, 4]
		set = ["trigger.count=100", "stages=[\"irq\", \"user\"]"]
		[place.cluster]
		launcher = [$2]
		at-once = 4
	TOML
}
plan cluster '"srun", "--quiet", "--ntasks=1", "--cpus-per-task=1"'
expect 0 "$IRQSCOPE" fleet show "$WORK/cluster.toml"
says "srun --quiet --ntasks=1 --cpus-per-task=1 irqscope run $WORK/quick.toml"
expect 2 "$IRQSCOPE" fleet run "$WORK/cluster.toml" --out "$WORK/cluster"
says "place.cluster.launcher runs srun on this machine; if you trust the plan, add --allow-commands"
expect 0 "$IRQSCOPE" fleet run "$WORK/cluster.toml" --out "$WORK/cluster" --allow-commands
says "4 jobs = 4 measured"
scontrol show job >"$WORK/jobs"
[ "$(grep -c 'JobState=COMPLETED' "$WORK/jobs")" = 4 ] || fail "not four jobs of the cluster: $(cat "$WORK/jobs")"
for node in one two; do
	grep -q "NodeList=$node$" "$WORK/jobs" || fail "nothing ran on node $node"
done
expect 0 "$IRQSCOPE" run "$WORK/quick.toml" --kernel 6.1 --seed 3 --set trigger.count=100 --stage irq --stage user \
	--no-report --out "$WORK/here"
cmp "$WORK/here/samples.parquet" "$WORK/cluster/runs/quick-6.1-seed3/samples.parquet" ||
	fail "the cluster gives other samples"

# A cluster refuses what it has not.
plan partition '"srun", "--partition=none"'
expect 3 "$IRQSCOPE" fleet run "$WORK/partition.toml" --out "$WORK/partition" --allow-commands
says "failed (1): srun: error: Unable to allocate resources: Invalid partition name specified"

# A fleet that is asked to end takes its jobs along.
sed -i 's/trigger.count=100/trigger.count=900000/' "$WORK/cluster.toml"
"$IRQSCOPE" fleet run "$WORK/cluster.toml" --out "$WORK/long" --allow-commands >"$WORK/fleet" 2>&1 &
fleet=$!
both_run() { [ "$(squeue -h -t running | wc -l)" = 2 ]; }
within 60 both_run
kill -TERM $fleet
status=0
wait $fleet || status=$?
[ $status = 130 ] || fail "exit $status after SIGTERM: $(cat "$WORK/fleet")"
none_left() { [ "$(squeue -h | wc -l)" = 0 ]; }
within 60 none_left
nothing_left "(irqscope run|qemu-system-x86_64).*$WORK/long"

plan absent '"no-such-launcher"'
expect 2 "$IRQSCOPE" fleet run "$WORK/absent.toml" --out "$WORK/absent" --allow-commands
says "place.cluster.launcher: there is no program no-such-launcher"
sed 's/^at-once.*/host = "root@nowhere"/' "$WORK/cluster.toml" >"$WORK/host.toml"
expect 2 "$IRQSCOPE" fleet run "$WORK/host.toml" --out "$WORK/host" --allow-commands
says "with a host or tags there is nothing to launch"
