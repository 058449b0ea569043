# SPDX-License-Identifier: Apache-2.0 OR MIT
# Goal: rig ssh measures a machine with nothing installed and leaves nothing
# behind; a CPU of it injects and watches, and its packets come through the same
# connection; one that breaks is exit 3 and no latency, Ctrl-C is exit 130, and
# after both, and kill -9, the target is as it was. The target is a guest with two
# CPUs in real time behind a loopback port.
. "$(dirname "$0")/lib.sh"

need_guest
PORT=$(shuf -i 20000-60000 -n 1)

# Debian's sshd, unpacked and not installed: no machine gets a server by testing.
SERVER=$CACHE/openssh-server
if ! [ -d "$SERVER" ]; then
	mkdir -p "$WORK/debs"
	(cd "$WORK/debs" && apt-get -q -o APT::Sandbox::User=root download openssh-server libwrap0)
	for deb in "$WORK"/debs/*.deb; do dpkg -x "$deb" "$WORK/server"; done
	mv "$WORK/server" "$SERVER"
fi

ssh-keygen -q -t ed25519 -N '' -C irqscope-test -f "$WORK/key"
cp "$WORK/key" "$WORK/own-key" # tells our connection from irqscope's
ssh-keygen -q -t ed25519 -N '' -C irqscope-test -f "$WORK/host-key"
printf '[127.0.0.1]:%s %s\n' "$PORT" "$(cut -d' ' -f1,2 "$WORK/host-key.pub")" >"$WORK/known"
cat >"$WORK/sshd_config" <<EOT
HostKey /run/host-key
AuthorizedKeysFile /run/key.pub
StrictModes no
UsePAM no
UseDNS no
# An emulated CPU takes seconds for the post-quantum ones.
KexAlgorithms curve25519-sha256
EOT

cat >"$WORK/script" <<SCRIPT
export LD_LIBRARY_PATH=$SERVER/usr/lib/x86_64-linux-gnu:$SERVER/lib/x86_64-linux-gnu
grep -q ^sshd: /etc/passwd || echo sshd:x:101:65534::/run/sshd:/usr/sbin/nologin >>/etc/passwd
mkdir -p /run/sshd
cp /exchange/host-key /exchange/key.pub /run
chmod 600 /run/host-key
$SERVER/usr/sbin/sshd -f /exchange/sshd_config -E /exchange/sshd.log
until [ -e /exchange/done ]; do sleep 1; done
SCRIPT

COMMON=(-F none -p "$PORT" -o "UserKnownHostsFile=$WORK/known" -o IdentitiesOnly=yes)
OPTIONS=("${COMMON[@]}" -i "$WORK/key")
SOCKETS=$(mktemp -d)
OWN=("${COMMON[@]}" -i "$WORK/own-key" -o BatchMode=yes -o ConnectTimeout=5 -o LogLevel=ERROR
	-o ControlMaster=auto -o ControlPersist=yes -o "ControlPath=$SOCKETS/own")
target() {
	timeout 60 ssh "${OWN[@]}" root@127.0.0.1 "$@"
}

scenario() { # NAME TRIGGER COUNT
	{
		cat <<-TOML
			version = 1
			about = "For rig ssh"
			rig = "ssh"
			states = ["idle"]
			[trigger]
			kind = "$2"
			period = "4ms"
			count = $3
			[ssh]
			host = "root@127.0.0.1"
		TOML
		printf 'options = ['
		printf '"%s", ' "${OPTIONS[@]}"
		printf ']\n'
	} >"$WORK/$1.toml"
}
scenario timer timer 500
scenario inject inject 500
scenario long inject 30000

snapshot() {
	target '
		cut -d" " -f1,2 /proc/modules | sort
		grep -H . /proc/sys/vm/* /proc/sys/kernel/sched* /proc/sys/kernel/watchdog* 2>/dev/null
		grep -H . /proc/irq/*/smp_affinity /sys/module/*/parameters/* 2>/dev/null | sort
		ls -d /tmp/irqscope.* /var/tmp/irqscope.* /dev/irqscope* 2>/dev/null
		pgrep -lx "irqscope.*"; true' # not a kworker that is named after its last work
}

unchanged() { # AFTER SECONDS
	local tries=$2
	while snapshot >"$WORK/after"; ! cmp -s "$WORK/before" "$WORK/after"; do
		[ "$tries" -gt 0 ] || { diff "$WORK/before" "$WORK/after" || true; fail "not as before: $1"; }
		tries=$((tries - 1))
		sleep 1
	done
	echo "$SECONDS s: as before, after $1"
}

# Starts the long run and waits until it measures; $pid is it.
begin() { # OUT
	"$IRQSCOPE" run "$WORK/long.toml" --out "$WORK/$1" >"$WORK/said" 2>&1 &
	pid=$!
	local tries=30
	until [ "$(target cat /sys/class/misc/irqscope/state 2>/dev/null)" = running ]; do
		tries=$((tries - 1))
		[ $tries -gt 0 ] || { cat "$WORK/said"; fail "no agent was started"; }
		sleep 1
	done
	sleep 2
}

ended() { # STATUS
	local status=0
	wait "$pid" || status=$?
	[ $status = "$1" ] || { cat "$WORK/said"; fail "exit $status instead of $1"; }
	! pgrep -f "ssh.*$WORK/key" || fail "an ssh was left behind"
}

timeout 700 "$GUEST" 6.1 "$WORK" "$PORT" &
guest=$!
trap 'touch "$WORK/done"; wait $guest; rm -rf "$SOCKETS"' EXIT
tries=60
until target true 2>/dev/null; do
	tries=$((tries - 1))
	[ $tries -gt 0 ] || { cat "$WORK/console" "$WORK/script.output"; fail "the guest has no sshd"; }
	sleep 1
done
echo "$SECONDS s: the target is up"

snapshot >"$WORK/before"
grep -q '^virtio_net ' "$WORK/before" || fail "the snapshot is empty"
for trigger in timer inject; do
	expect 0 "$IRQSCOPE" run "$WORK/$trigger.toml" --out "$WORK/$trigger"
	unchanged $trigger 0
	summary=$WORK/$trigger/summary.json
	case="j['cases'][0]"
	[ "$(field "$summary" "$case['triggers']")" = 500 ] || fail "$trigger: not 500 triggers"
	[ "$(field "$summary" "$case['identity_holds']")" = True ] || fail "$trigger: no identity"
	[ "$(field "$summary" "$case['overrun']")" = 0 ] || fail "$trigger: overrun"
done
outside="$case['outside']"
[ "$(field "$summary" "$outside['generator']")" = cpu ] || fail "no spare CPU"
[ "$(field "$summary" "$outside['lost_interrupts'] + $outside['dropped']")" = 0 ] || fail "the views do not join"
[ "$(field "$summary" "$outside['edges'] - $outside['answers'] - $outside['extra']")" = 0 ] || fail "lost edges"

begin broken
pkill -KILL -P "$pid" -x ssh
ended 3
grep -q "connection to root@127.0.0.1 was lost" "$WORK/said" || fail "does not say what was lost"
unchanged "a broken connection" 20

begin interrupted
kill -INT "$pid"
ended 130
unchanged "Ctrl-C" 0

begin killed
kill -KILL "$pid"
wait "$pid" || true
nothing_left "ssh.*$WORK/key"
unchanged "kill -9" 20

expect 2 "$IRQSCOPE" run "$WORK/timer.toml" --host absent@127.0.0.1 --out "$WORK/absent"
says "ssh-copy-id"

ssh "${OWN[@]}" -O exit root@127.0.0.1 2>/dev/null
touch "$WORK/done"
status=0
wait $guest || status=$?
trap 'rm -rf "$SOCKETS"' EXIT
[ $status = 0 ] || { tail -n 20 "$WORK/console"; fail "the guest ended with $status"; }
grep -E "WARNING:|BUG:|Oops" "$WORK/console" && fail "the target's kernel complained"
nothing_left "qemu-system-x86_64.*$WORK"
echo "PASS: rig ssh measures with both triggers and leaves nothing behind"
