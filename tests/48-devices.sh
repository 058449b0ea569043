# SPDX-License-Identifier: Apache-2.0 OR MIT
# Goal: two network cards of a guest interrupt the CPU under test. The same samples come twice; the
# cards' interrupts and softirqs are named as what delays a thread that has nothing to do with them; a
# load runs on the other side; a setting of sysfs is made; a watch follows frames to a thread. A disk
# interrupts in the virtual machine. Devices that a rig has not, and cannot repeat, are refused.
# Runs: beside others, early
. tests/lib/lib.sh

network() { expect 0 "$IRQSCOPE" run network --state network --count 200 "$@"; }

network --out "$WORK/one"
network --kernel 6.1 --out "$WORK/two"
target/venv/bin/python - "$WORK/one" "$WORK/two" <<'PY' || fail "the network delays nothing, or is not named"
import duckdb, sys
parts = f"'{sys.argv[1]}/interference.parquet'"
once, twice = (duckdb.sql(f"""select * from '{run}/samples.parquet' where "case" = '6.1/network' order by all""").fetchall()
               for run in sys.argv[1:])
assert once and once == twice, "other samples the second time"
rows = duckdb.sql(f"""select "case", sum(length_ns) filter (cause = 'softirq' and name = 'net_rx'),
    count(*) filter (cause = 'interrupt' and name like '%e1000%'), sum(length_ns) from {parts}
    where stage = 'user' group by all order by 1""").fetchall()
print(rows)
[(rt, threaded, _, all_rt), (stock, softirq, interrupts, all_ns)] = rows
assert (stock, rt) == ("6.1/network", "6.1-rt/network")
# On stock kernels softirqs come before any thread, on RT kernels not before one of this priority.
assert softirq > all_ns / 4 and interrupts > 20, "softirqs and interrupts of the card"
assert (threaded or 0) < softirq / 10 and all_rt < all_ns / 3, "RT keeps them off"
PY
expect 0 "$IRQSCOPE" explain "$WORK/one" --case 6.1/network
says "softirq: net_rx"

# The other side of the hub, by a load of one's own; NAPI in a thread.
cat >"$WORK/own.toml" <<'TOML'
version = 1
about = "Datagrams from the other card"
kernels = ["6.1"]
states = ["datagrams"]
stages = ["irq", "user"]
[devices]
network = "e1000e"
[sysctl]
"/sys/class/net/eth0/threaded" = 1
[load.datagrams]
command = ["bash", "-c", "exec 3>/dev/udp/10.77.0.1/9; while echo frame >&3; do :; done"]
packages = ["bash"]
peer = true
at-end = "restart"
[state.datagrams]
loads = ["datagrams"]
[trigger]
kind = "line"
period = "997us"
count = 100
TOML
own() { "$IRQSCOPE" run "$WORK/own.toml" --allow-commands "$@"; }
expect 2 own --set 'sysctl={ "/sys/../etc/passwd" = 1 }' --out "$WORK/none"
says "as a path below /sys"
expect 2 own --set 'sysctl={ "/sys/class/net/eth7/threaded" = 1 }' --out "$WORK/absent"
says "/sys/class/net/eth7/threaded"
expect 2 own --set 'devices={}' --out "$WORK/none"
says "needs a guest with two network cards"
expect 0 own --out "$WORK/own"

# Frames, followed from the card to the thread that they wake.
expect 0 "$IRQSCOPE" run network-path --set bench.watch.duration=50ms --out "$WORK/path"
for stage in "eth0 softirq net_rx" "eth0 napi" "eth0 on-cpu load-network" "eth0 on-cpu napi/eth0"; do
	says "$stage"
done

cat >"$WORK/disk.toml" <<'TOML'
version = 1
about = "A disk that is read, and cards of the other model"
rig = "vm"
kernels = ["6.1"]
states = ["busy"]
stages = ["irq", "user"]
views = ["inside"]
explain = true
[devices]
network = "@CARD@"
disk = "@DISK@"
[load.read]
command = ["dd", "if=/dev/@FILE@", "of=/dev/null", "bs=64k", "count=64", "iflag=direct"]
packages = ["coreutils"]
at-end = "restart"
[state.busy]
loads = ["read", "network"]
[trigger]
kind = "timer"
period = "5ms"
count = 100
TOML
disk() { # MODEL FILE HANDLER CARD
	sed "s/@DISK@/$1/; s/@FILE@/$2/; s/@CARD@/$4/" "$WORK/disk.toml" >"$WORK/$1.toml"
	expect 0 "$IRQSCOPE" run "$WORK/$1.toml" --allow-commands --out "$WORK/$1"
	target/venv/bin/python - "$WORK/$1" "$3" <<-'PY' || fail "the disk did not interrupt"
		import duckdb, sys
		names = duckdb.sql(f"select distinct name from '{sys.argv[1]}/interference.parquet'").fetchall()
		print(names)
		assert any(sys.argv[2] in name for (name,) in names), "the disk"
	PY
}
disk nvme nvme0n1 nvme_irq virtio-net
if in_soak "disks of the other models"; then
	disk virtio-blk vda vring_interrupt e1000e
	disk ahci sda ahci_single_level_irq_intr virtio-net
fi

refused() { # TEXT OPTION...
	local text=$1
	shift
	expect 2 "$IRQSCOPE" scenario show network --set explain=false "$@"
	says "$text"
}
refused "which the twin cannot repeat: use" --set 'devices.network="virtio-net"'
refused "a disk answers at instants of the host's" --set 'devices.disk="nvme"'
refused "load network needs a guest with two network cards" --set 'devices={}'
