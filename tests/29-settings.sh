# SPDX-License-Identifier: Apache-2.0 OR MIT
# Goal: every setting of the table (docs/settings.md) is asked of the twin's generator
# and of the VM's, and is then in force as it was asked; a named value that a generator
# does not have is refused, and says which it has. A scenario asks the twin for all of
# them and is measured; one that asks it for a falling trigger ends at once with the
# setting's name and a remedy, and measures nothing.
# Runs: beside others
. tests/lib/lib.sh

PLUGIN=$(realpath "${CARGO_TARGET_DIR:-target}/release/libirqscope_twin.so")

# NAME FIELD COUNTS VALUES of each row; names are the values' last column.
sed -n 's/^| `\([a-z-]*\)` | `[a-z_]*` | \([a-z ]*\) | \(.*\) | .* | \(yes\|no\) | .*$/\1|\2|\3/p' \
	docs/settings.md >"$WORK/table"
[ "$(wc -l <"$WORK/table")" -ge 14 ] || fail "the table has too few rows"

# One value of each setting that is none of the defaults, and as JSON has it.
python3 - "$WORK" <<'PY'
import json, re, sys
work = sys.argv[1]
options, expected = [], {}
for row in open(f"{work}/table"):
    name, counts, values = (part.strip() for part in row.rstrip("\n").split("|", 2))
    names = re.findall(r"`([a-z]+)`", values)
    if names:
        text, raw = names[-1], names[-1]
    elif counts == "ticks":
        ns = 8_000_000 if name == "period" else 40_000
        text, raw = f"{ns}ns", ns
    elif counts == "per mille":
        text, raw = "12.5%", 125
    else:
        text, raw = "3", 3
    options.append([name, text, names])
    expected[name.replace("-", "_")] = raw
json.dump([options, expected], open(f"{work}/asked.json", "w"))
PY

# asks RIG ADDRESS: each setting alone, with the one that it needs, then all together.
asks() {
	python3 - "$IRQSCOPE" "$WORK" "$@" <<'PY'
import json, subprocess, sys, time
program, work, rig, address = sys.argv[1:]
options, expected = json.load(open(f"{work}/asked.json"))

def run(*words):
    # The host before, which has gone, may still be there for a generator on a busy machine.
    for _ in range(200):
        done = subprocess.run([program, "generator", *words], capture_output=True, text=True)
        if "serves another host" not in done.stderr:
            break
        time.sleep(0.05)
    return done.returncode, done.stdout + done.stderr

def in_force():
    code, said = run("status", "--connect", address, "--json")
    assert code == 0, said
    return json.loads(said)["status"]["settings"]

texts, refused = {name: text for name, text, _ in options}, []
for name, text, names in options:
    words = [f"--{name}={text}"]
    if name == "jitter":
        words.append(f"--jitter-amount={texts['jitter-amount']}")
    if name == "jitter-amount":
        words.append("--jitter=uniform")
    code, said = run("set", "--connect", address, *words)
    field = name.replace("-", "_")
    if names and code == 2 and "not possible with this generator: ask for" in said:
        assert in_force()[field] == names[0], f"{rig}: a refusal has changed {name}"
        expected[field], texts[name] = names[0], names[0]
        refused.append(name)
        continue
    assert code == 0, f"{rig}: {name}: {said}"
    got = in_force()[field]
    assert got == expected[field], f"{rig}: {name}: asked {expected[field]}, in force {got}"
words = [f"--{name}={text}" for name, text in texts.items()]
code, said = run("set", "--connect", address, *words)
assert code == 0, f"{rig}: all together: {said}"
settings = in_force()
wrong = {name: settings[name] for name, value in expected.items() if settings[name] != value}
assert not wrong, f"{rig}: in force are {wrong}"
print(f"{rig}: {len(expected)} settings in force as asked; refused: {', '.join(refused)}")
PY
}

# A guest in place of the BIOS that halts: nothing has to answer.
python3 - "$WORK/rom" <<'PY'
import sys
rom = bytearray(65536)
rom[-16:-13] = bytes.fromhex("f4ebfd")
open(sys.argv[1], "wb").write(rom)
PY
: >"$WORK/qemu.log"
timeout 300 qemu-system-x86_64 -nodefaults -no-user-config -display none -machine pc \
	-accel tcg -icount shift=1,sleep=off -m 16 -rtc base=2026-01-01,clock=vm -bios "$WORK/rom" \
	-chardev null,id=lpt -device isa-parallel,chardev=lpt \
	-plugin "$PLUGIN,port=0,lines=5" 2>"$WORK/qemu.log" &
qemu=$!
mkfifo "$WORK/stdin"
"${IRQSCOPE}-vm" --doorbell "$WORK/bell" --lines 5 <"$WORK/stdin" >"$WORK/address" &
vm=$!
exec 3>"$WORK/stdin"
trap 'kill $qemu $vm 2>/dev/null || true' EXIT
within 30 grep -q "listens on" "$WORK/qemu.log"
within 30 [ -s "$WORK/address" ]
asks twin "$(sed -n 's/.*listens on //p' "$WORK/qemu.log")" | tee "$WORK/twin.said"
asks vm "$(cat "$WORK/address")" | tee "$WORK/vm.said"
grep -q "refused: polarity$" "$WORK/twin.said" || fail "the twin has a falling trigger"
grep -q "refused: shape, polarity$" "$WORK/vm.said" || fail "words in memory have pulses"
kill $qemu $vm
exec 3>&-

# All that a scenario can ask: the rig itself compares after the start.
scenario() { # NAME LINE...
	printf '%s\n' 'version = 1' 'about = "Settings"' 'kernels = ["6.1"]' 'states = ["idle"]' \
		'stages = ["irq", "softirq"]' '[trigger]' 'kind = "line"' "${@:2}" >"$WORK/$1.toml"
}
all='period = "4ms"|duty = "12.5%"|packet = 3|count = 30|jitter = "exponential"
jitter-amount = "40us"|seed = 3|timeout = "1s"|burst = 3|interval = "900us"'
scenario all "${all//|/$'\n'}"
expect 0 "$IRQSCOPE" run "$WORK/all.toml" --out "$WORK/all"
holds "$WORK/all/summary.json" "o['generator'] == 'twin' and o['triggers'] == 30" "the twin's generator"

scenario falling 'period = "4ms"' 'count = 30' 'polarity = "falling"'
expect 2 "$IRQSCOPE" run "$WORK/falling.toml" --out "$WORK/falling"
says "polarity falling is not possible with this generator: ask for rising"
says "remedy"
