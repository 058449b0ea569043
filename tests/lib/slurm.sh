# SPDX-License-Identifier: Apache-2.0 OR MIT
# shellcheck shell=bash
# A cluster of Slurm on loopback: munge, a controller and two nodes, all of them in $WORK/slurm.
#   start_slurm       starts it, and waits until both nodes are idle; SLURM_CONF is set
#   end_slurm         ends it

start_slurm() {
	local port=$((20000 + RANDOM % 20000)) dir=$WORK/slurm node
	mkdir -p "$dir/state" "$dir/one" "$dir/two"
	head -c 128 /dev/urandom >"$dir/key"
	chmod 400 "$dir/key"
	# Sockets have short names, and munge refuses directories that others could have written.
	SLURM_RUN=$(mktemp -d /run/irqscope-slurm.XXXXXX)
	munged --key-file="$dir/key" --socket="$SLURM_RUN/munge" --pid-file="$SLURM_RUN/munge.pid" \
		--log-file="$dir/munge.log" --seed-file="$dir/seed" --force
	cat >"$dir/slurm.conf" <<-CONF
		ClusterName=irqscope
		SlurmctldHost=$(hostname -s)(127.0.0.1)
		SlurmctldPort=$port
		SlurmUser=root
		AuthType=auth/munge
		AuthInfo=socket=$SLURM_RUN/munge
		CredType=cred/munge
		StateSaveLocation=$dir/state
		SlurmdSpoolDir=$dir/%n
		SlurmctldPidFile=$SLURM_RUN/slurmctld.pid
		SlurmdPidFile=$SLURM_RUN/%n.pid
		SlurmctldLogFile=$dir/slurmctld.log
		SlurmdLogFile=$dir/%n.log
		ProctrackType=proctrack/linuxproc
		TaskPlugin=task/none
		SelectType=select/cons_tres
		ReturnToService=2
		SchedulerParameters=sched_min_interval=100000
		NodeName=one NodeAddr=127.0.0.1 NodeHostname=$(hostname -s) Port=$((port + 1)) CPUs=1 State=UNKNOWN
		NodeName=two NodeAddr=127.0.0.1 NodeHostname=$(hostname -s) Port=$((port + 2)) CPUs=1 State=UNKNOWN
		PartitionName=all Nodes=one,two Default=YES State=UP
	CONF
	# Its plugins for resources are not used; Slurm 22 loads one, and later ones refuse it in a container.
	case $(slurmd -V) in
	*" 2"[0-2].*) echo "CgroupPlugin=cgroup/v1" ;;
	*) echo "CgroupPlugin=disabled" ;;
	esac >"$dir/cgroup.conf"
	export SLURM_CONF=$dir/slurm.conf
	slurmctld -D >"$dir/slurmctld.out" 2>&1 &
	for node in one two; do
		slurmd -D -N $node >"$dir/$node.out" 2>&1 &
	done
	both_idle() { [ "$(sinfo -h -N -t idle -o %N 2>/dev/null | wc -l)" = 2 ]; }
	within 60 both_idle
}

end_slurm() {
	local file
	for file in "$SLURM_RUN"/*.pid; do
		[ ! -e "$file" ] || kill "$(cat "$file")" 2>/dev/null || true
	done
	kill $(jobs -p) 2>/dev/null || true
	wait
	rm -rf "$SLURM_RUN"
}
