# SPDX-License-Identifier: Apache-2.0 OR MIT
# Goal: a guest that hangs or panics ends in exit 3 with its console log kept and
# shown; it is never a latency and never a pass.
# Runs: beside others
. tests/lib/lib.sh

# A cache without states of guests: the boot takes longer than the limit.
cache_without "$WORK/cache" snapshots
export IRQSCOPE_CACHE="$WORK/cache"
{
	cat "$TESTS/scenarios/quick.toml"
	printf '[twin]\nlimit = 2\n'
} >"$WORK/hung.toml"
expect 3 "$IRQSCOPE" run "$WORK/hung.toml" --kernel 6.1 --out "$WORK/hung"
says "did not end within 2 s"
says "console-6.1-idle.log"
[ -z "$(find "$WORK/cache/snapshots" -name '.making-*')" ] || fail "something half-made is left"

# A file that is no agent: the kernel cannot start it and panics.
printf 'no program' >"$WORK/agent"
expect 3 env IRQSCOPE_PARTS="$(parts_with "$WORK/agent" irqscope-agent-x86_64)" "$IRQSCOPE" run "$TESTS/scenarios/quick.toml" --kernel 6.1 --out "$WORK/panic"
says "Kernel panic"
grep -q "Kernel panic" "$WORK/panic/console-6.1-idle.log" || fail "the console log was not kept"
[ "$(field "$WORK/panic/manifest.json" "j['complete']")" = False ] || fail "marked complete"
nothing_left "qemu-system-x86_64.*$WORK"
