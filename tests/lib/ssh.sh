# SPDX-License-Identifier: Apache-2.0 OR MIT
# A target that is reached by ssh: a guest behind a loopback port, with Debian's sshd.
#
#   start_target KERNEL WORD...   boots it and waits until it is up; the words are
#                                 tests' guest's own
#   target COMMAND                runs something on it, by a connection of the test's
#   measuring COUNT               whether its driver has had that many triggers
#   snapshot                      all that a run may leave behind, or change
#   unchanged AFTER SECONDS       as in as-before.sh
#   ssh_toml                      the scenario's table [ssh] that leads there
# shellcheck source=tests/lib/as-before.sh
. "$TESTS/lib/as-before.sh"
PORT=$(shuf -i 20000-60000 -n 1)

# Unpacked and not installed: no machine gets a server by testing.
SERVER=$CACHE/openssh-server
if ! [ -d "$SERVER" ]; then
	mkdir -p "$WORK/debs"
	(cd "$WORK/debs" && apt-get -q -o APT::Sandbox::User=root download openssh-server libwrap0)
	for deb in "$WORK"/debs/*.deb; do dpkg -x "$deb" "$WORK/server"; done
	mv "$WORK/server" "$SERVER"
fi

ssh-keygen -q -t ed25519 -N '' -C irqscope-test -f "$WORK/key"
cp "$WORK/key" "$WORK/own-key" # distinguishes our connection from irqscope's
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
mkdir -p /run/sshd /run/root
# A home of its own: bash reads the .bashrc of this machine's for each command, and what that runs takes
# an emulated CPU many seconds.
sed -i 's|^root:.*|root:x:0:0:root:/run/root:/bin/bash|' /etc/passwd
cp /exchange/host-key /exchange/key.pub /run
chmod 600 /run/host-key
$SERVER/usr/sbin/sshd -f /exchange/sshd_config -E /exchange/sshd.log
until [ -e /exchange/done ]; do sleep 1; done
SCRIPT

COMMON=(-F none -p "$PORT" -o "UserKnownHostsFile=$WORK/known" -o IdentitiesOnly=yes)
SOCKETS=$(mktemp -d)
OWN=("${COMMON[@]}" -i "$WORK/own-key" -o BatchMode=yes -o ConnectTimeout=5 -o LogLevel=ERROR
	-o ControlMaster=auto -o ControlPersist=yes -o "ControlPath=$SOCKETS/own")
target() {
	timeout 60 ssh "${OWN[@]}" root@127.0.0.1 "$@"
}

measuring() {
	[ "$(target cat /sys/class/misc/irqscope/counters/triggers 2>/dev/null || echo 0)" -ge "$1" ]
}

ssh_toml() {
	printf '[ssh]\nhost = "root@127.0.0.1"\noptions = ['
	printf '"%s", ' "${COMMON[@]}" -i "$WORK/key"
	printf ']\n'
}

start_target() {
	timeout 700 "$GUEST" "$1" "$WORK" "$PORT" "${@:2}" &
	guest=$!
	trap 'touch "$WORK/done"; wait $guest; rm -rf "$SOCKETS"' EXIT
	await 240 target true 2>/dev/null || { cat "$WORK/console" "$WORK/script.output"; fail "the guest has no sshd"; }
	echo "$SECONDS s: the target is up"
	snapshot >"$WORK/before"
	grep -q '^virtio_net ' "$WORK/before" || fail "the snapshot is empty"
}

snapshot() {
	target sh -s <<-SCRIPT
		$(cat "$TESTS/lib/as-before.sh")
		state_of_machine /tmp/irqscope.* /var/tmp/irqscope.*
	SCRIPT
}
