# SPDX-License-Identifier: Apache-2.0 OR MIT
# Goal: a scenario brings a script as load, Debian's packages that it needs, a module and a setting of
# the kernel; the same samples come twice; the manifest says what went along; a load that ends, fails,
# or is not there, a module that does not load, and paths and commands that would have to be trusted
# are said with their remedies.
# Runs: beside others, early
. tests/lib/lib.sh

cp -r "$TESTS/scenarios/own/." "$WORK"
own=$WORK/own.toml

expect 0 "$IRQSCOPE" scenario check "$own"
expect 2 "$IRQSCOPE" run "$own" --out "$WORK/one"
says "add --allow-commands"
expect 0 "$IRQSCOPE" run "$own" --allow-commands --wide --out "$WORK/one"
says "6.1/mine"
expect 0 "$IRQSCOPE" run "$own" --allow-commands --out "$WORK/two"
cmp "$WORK/one/samples.parquet" "$WORK/two/samples.parquet" || fail "other samples the second time"
python3 - "$WORK/one" <<'PY' || fail "the manifest does not say what went along"
import json, sys
cases = json.load(open(f"{sys.argv[1]}/manifest.json"))["cases"]
for case in cases:
    origin = case["payload_origin"]
    assert any(part.startswith("file load/hammer/hammer.sh SHA256:") for part in origin), origin
    assert any(part.startswith("package dash 0.") and "SHA256:" in part for part in origin), origin
    assert any(part.startswith("module irqscope_own SHA256:") for part in origin), origin
    assert case["plan"]["sysctls"] == [{"name": "kernel.sched_rt_runtime_us", "value": "-1"}]
[own] = cases[1]["state"]["own"]
assert own["command"] == ["./hammer.sh", "16"] and own["at_end"] == "fail", own
PY
# The load's own programs were what ran: explain names them, and the module's function.
expect 0 "$IRQSCOPE" run "$own" --allow-commands --explain --state mine --out "$WORK/explained"
target/venv/bin/python - "$WORK/explained" <<'PY' || fail "the load did not run"
import duckdb, sys
parts = f"'{sys.argv[1]}/interference.parquet'"
[[hits]] = duckdb.sql(f"select count(*) from {parts} where detail like 'own_disturbs%'").fetchall()
[[loads]] = duckdb.sql(f"select count(*) from {parts} where name ~ '^(dd|sh|hammer)' or detail ~ 'dd'").fetchall()
print(hits, loads)
assert hits > 5 and loads > 0
PY

edited() { # NAME SED...
	local name=$1
	shift
	sed "$@" "$own" >"$WORK/$name.toml"
}
trusting() { expect "$1" "$IRQSCOPE" run "$WORK/$2.toml" --allow-commands --state mine --out "$WORK/$2" "${@:3}"; }

# A load runs in a root file system that it brings, as a directory or as a file of tar: the same guest.
root=$WORK/root
mkdir -p "$root/usr/bin" "$root/etc" "$root/empty"
cp /bin/busybox "$root/usr/bin"
ln -s usr/bin "$root/bin"
ln -s /usr/bin/busybox "$root/usr/bin/sh" # absolute: right within it
ln -s busybox "$root/usr/bin/dd"
ln -s busybox "$root/usr/bin/[" # the test of the script
echo inside >"$root/etc/marker"
echo "app:x:1234:1234::/:/bin/sh" >"$root/etc/passwd"
cat >"$WORK/app.sh" <<'SH'
#!/bin/sh
read -r where </etc/marker
[ "$where $PWD" = "inside /load" ] || { echo "in $PWD of $where" >&2; exit 5; }
[ -e /proc/self/stat ] && [ -c /dev/null ] && [ -d /sys/kernel ] && [ ! -e /init ] || exit 6
while read -r name first rest; do [ "$name" != Uid: ] || [ "$first" = 1234 ] || exit 7; done </proc/self/status
while :; do dd if=/dev/zero of=/dev/null bs=64k count=16 2>/dev/null; done
SH
chmod +x "$WORK/app.sh"
tar -C "$root" -cf "$WORK/root.tar" .
gzip -k "$WORK/root.tar"
in_root() { # NAME ROOT [SED]
	sed -e 's|^command = .*|command = "./app.sh"|' -e 's|^files = .*|files = ["app.sh"]|' \
		-e "s|^packages = .*|root = \"$2\"|" -e 's|^modules.*||' -e "${3:-}" "$own" >"$WORK/$1.toml"
}
for name in root root.tar root.tar.gz; do
	in_root "in-$name" $name 's|^environment.*|user = "app"|'
	trusting 0 "in-$name"
	grep -qF "\"root load/hammer/root of $name SHA256:" "$WORK/in-$name/manifest.json" || fail "$name is not in the manifest"
	cmp "$WORK/in-root/samples.parquet" "$WORK/in-$name/samples.parquet" || fail "other samples with $name"
done
in_root no-program root 's|^command.*|command = "nothing"|'
trusting 4 no-program
says "there is no program nothing in its root file system"
in_root no-account root 's|^environment.*|user = "hammer"|'
trusting 4 no-account
says "there is no user hammer"
in_root no-tar app.sh
trusting 2 no-tar
says "cannot unpack"
in_root packages root 's|^environment.*|packages = ["dash"]|'
expect 2 "$IRQSCOPE" scenario check "$WORK/packages.toml"
says "packages lie in the guest's root"
in_root no-root nowhere
expect 2 "$IRQSCOPE" scenario check "$WORK/no-root.toml"
says 'there is no `nowhere`'

# A load that fails fails its case, with its last words; one that ends does so unless that is wished.
edited failing 's|WHERE = "/tmp"|WHERE = "/none"|'
trusting 4 failing
says "load hammer: it ended with exit status: 3 (it said: hammer: no place to write to)"
edited ending 's|command = .*|command = "true"|'
trusting 4 ending
says "load hammer: it ended with exit status: 0"
edited again 's|command = .*|command = "true"\nat-end = "restart"\ncount = 2\npriority = "fifo 1"|'
trusting 0 again
edited over 's|command = .*|command = "true"\nat-end = "go-on"\nuser = "65534"\ncpu = "any"|'
trusting 0 over
edited absent 's|command = .*|command = "no-such-program"|'
trusting 4 absent
says "there is no program no-such-program"
edited no-user 's|command = .*|command = "true"\nuser = "somebody"|'
trusting 4 no-user
says "there is no user somebody"

# Wrong input.
edited unknown 's|"dash"|"no-such-package"|'
trusting 2 unknown
says "has no package no-such-package"
edited suite 's|"dash"|"dash/stretch"|; s|, "coreutils"||'
trusting 2 suite
says 'unknown suite `stretch`'
edited setting 's|sched_rt_runtime_us|no_such_setting|'
trusting 2 setting
says "cannot set kernel.no_such_setting"
sed 's|"\./module word=ready"|"./wrong"|' "$own" >"$WORK/broken.toml"
mkdir "$WORK/wrong"
echo 'obj-m := wrong.o' >"$WORK/wrong/Kbuild"
echo 'int x = ;' >"$WORK/wrong/wrong.c"
trusting 2 broken
says "wrong.c"
sed 's|"\./module word=ready"|"no_such_module"|' "$own" >"$WORK/none.toml"
trusting 2 none
says "no module no_such_module"
edited typo 's|loads = \["hammer"|loads = ["hamer"|'
expect 2 "$IRQSCOPE" scenario check "$WORK/typo.toml"
says 'did you mean `hammer`'
edited shell 's|command = .*|command = "./hammer.sh 16 \| cat"|'
expect 2 "$IRQSCOPE" scenario check "$WORK/shell.toml"
says "no shell reads a command"
edited outside 's|"hammer.sh"|"/etc/hostname"|; s|^modules.*||'
expect 2 "$IRQSCOPE" run "$WORK/outside.toml" --out "$WORK/outside"
says "is outside the scenario's directory"
edited here 's|^modules.*||; s|^kernels.*|rig = "local"|; s|"line"|"timer"|'
expect 2 "$IRQSCOPE" run "$WORK/here.toml" --out "$WORK/here"
says "would run its command on this machine"
