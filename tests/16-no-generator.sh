# SPDX-License-Identifier: Apache-2.0 OR MIT
# Goal: where QEMU does not take the generator, the twin measures from inside, by
# the driver's own timer, and says so and why.
# Runs: beside others
. tests/lib/lib.sh

without_generator() { # NAME
	expect 0 "$IRQSCOPE" run "$TESTS/scenarios/few.toml" --wide --out "$WORK/$1"
	says "the generator cannot be used"
	says "the driver's own timer triggers"
	says "triggers 50 = 50 complete"
	[ "$(field "$WORK/$1/manifest.json" "j['cases'][0]['plan']['work']['stages']['trigger']")" = timer ] || fail "$1: the manifest says otherwise"
	[ "$(field "$WORK/$1/summary.json" "{s['view'] for s in j['cases'][0]['stages']}")" = "{'inside'}" ] || fail "$1: another view"
}

# A plugin for an interface that no QEMU has yet.
echo 'int qemu_plugin_version = 9999; int qemu_plugin_install(void) { return 0; }' >"$WORK/other.c"
gcc -shared -fPIC -o "$WORK/other.so" "$WORK/other.c"
IRQSCOPE_PARTS=$(parts_with "$WORK/other.so" libirqscope_twin.so) without_generator other-version

# A machine that ours does not take, which it says itself.
mkdir "$WORK/bin"
qemu=$(command -v qemu-system-x86_64)
cat >"$WORK/bin/qemu-system-x86_64" <<-SH
	#!/bin/sh
	case " \$* " in *" -plugin "*) exec "$qemu" "\$@" -smp 2 ;; esac
	exec "$qemu" "\$@"
SH
chmod +x "$WORK/bin/qemu-system-x86_64"
PATH=$WORK/bin:$PATH without_generator two-cpus
says "it needs a machine with one CPU, not 2"

# A file that is not there is the user's to mend.
expect 2 env IRQSCOPE_PARTS="$(parts_with none libirqscope_twin.so)" "$IRQSCOPE" run "$TESTS/scenarios/few.toml" --out "$WORK/none"
says "there is no libirqscope_twin.so in $WORK/parts"
says "unset IRQSCOPE_PARTS"
