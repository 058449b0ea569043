# SPDX-License-Identifier: Apache-2.0 OR MIT
# Runs `irqscope-agent threads` on a target once and takes it away again. The
# agent comes on stdin; $set is what to change, or empty.
#
# stdout  the length of the file that leads back, a newline, that file, and what
#         the agent printed
# stderr  what was changed, or why not
# exit    the agent's status, or 91: no directory in which programs may run
set -u
umask 077
for base in "${TMPDIR:-/tmp}" /var/tmp /dev/shm "${HOME:-/root}"; do
    dir=$(mktemp -d "$base/irqscope.XXXXXX" 2>/dev/null) || continue
    printf '#!/bin/sh\n' >"$dir/try" && chmod 700 "$dir/try"
    "$dir/try" 2>/dev/null && break
    rm -rf "$dir"
    dir=''
done
[ -n "${dir:-}" ] || exit 91
trap 'rm -rf "$dir"' EXIT
trap 'exit 90' HUP INT TERM PIPE
cat >"$dir/agent" && chmod 700 "$dir/agent" || exit 91
: >"$dir/out"
if [ -n "$set" ]; then
    printf %s "$set" >"$dir/set"
    "$dir/agent" threads "$@" --set "$dir/set" --undo "$dir/undo" >"$dir/out"
else
    "$dir/agent" threads "$@" >"$dir/out"
fi
status=$?
touch "$dir/undo"
wc -c <"$dir/undo"
cat "$dir/undo" "$dir/out"
exit $status
