# SPDX-License-Identifier: Apache-2.0 OR MIT
# What runs on a real target while one case is measured. It makes a directory,
# loads the driver, runs the agent, and takes all of it away again, however it
# ends. Nothing else ever changes the target, so nothing else has to tidy up.
#
# stdin   the lifeline: when it ends, the case ends. A line `go MODULE...` says
#         that the directory was filled (a module is its name, then parameters,
#         with semicolons), and one `generator ARGUMENT...` before it that a CPU of
#         the target is to be one; the agent reads the plan after it.
# stdout  the directory's name in one line, in another the generator's first
#         words (where it listens, and its CPU), then the agent's frames
# stderr  words, and at the end the kernel's log since the beginning
# exit    the agent's status, or one of those that session.rs names and sets before
#         this script begins
set -u
: "${STOPPED:?} ${NO_DIRECTORY:?} ${NOT_LOADED:?} ${NOT_UNLOADED:?} ${NO_GENERATOR:?}"
umask 077
PATH=$PATH:/usr/sbin:/sbin
agent='' generator='' inserted='' borrowed='' dir=''

say() {
    echo "irqscope: $*" >&2
}

# The first directory whose file system lets programs run.
make_dir() {
    for base in "${TMPDIR:-/tmp}" /var/tmp /dev/shm "${HOME:-/root}"; do
        dir=$(mktemp -d "$base/irqscope.XXXXXX" 2>/dev/null) || continue
        printf '#!/bin/sh\n' >"$dir/try" && chmod 700 "$dir/try"
        "$dir/try" 2>/dev/null && return
        rm -rf "$dir"
    done
    dir=''
    return 1
}

# A module that was brought is inserted; one of the kernel's own is borrowed,
# and given back only if it was not there before.
load() {
    name=$1
    shift
    if [ -f "$dir/$name.ko" ]; then
        insmod "$dir/$name.ko" "$@" >&2 || return
        inserted="$name $inserted"
    elif ! grep -q "^$name " /proc/modules; then
        modprobe "$name" "$@" >&2 || return
        if grep -q "^$name " /proc/modules; then borrowed="$name $borrowed"; fi
    fi
}

# Once is enough, unless a dying process of a load still holds the device.
unload() {
    for attempt in 1 2 3 4 5; do
        rmmod "$1" 2>/dev/null && return
        sleep 1
    done
    rmmod "$1" >&2
}

end_process() {
    kill -TERM "$1" 2>/dev/null
    for second in 1 2 3 4 5; do
        kill -0 "$1" 2>/dev/null || break
        sleep 1
    done
    kill -KILL "$1" 2>/dev/null
    wait "$1"
}

# It says where it listens, or nothing and ends.
start_generator() {
    mkfifo "$dir/words" || return
    "$dir/irqscope-agent" generator "$@" >"$dir/words" </dev/null &
    generator=$!
    read -r words <"$dir/words" && echo "$words"
}

show_log() {
    dmesg >/dev/null 2>&1 || return
    if dmesg | grep -qF "$mark"; then
        dmesg | sed "1,/${dir##*/}/d" >&2
    else
        dmesg >&2
    fi
}

tidy() {
    status=$?
    trap '' HUP INT TERM PIPE
    trap - EXIT
    if [ -n "$agent" ]; then end_process "$agent"; fi
    if [ -n "$generator" ]; then end_process "$generator"; fi
    for module in $inserted; do
        unload "$module" || status=$NOT_UNLOADED
    done
    for module in $borrowed; do modprobe -r "$module" >&2; done
    show_log
    # Twice, because a build that was cut short may still write.
    rm -rf "$dir" || { sleep 1 && rm -rf "$dir"; }
    exit "$status"
}

make_dir || {
    say 'no directory for temporary files in which programs may run'
    exit "$NO_DIRECTORY"
}
mark="irqscope: a case begins in ${dir##*/}"
trap tidy EXIT
trap 'exit "$STOPPED"' HUP INT TERM PIPE
# Benchmarks alone do not need root.
(echo "$mark" >/dev/kmsg) 2>/dev/null
echo "$dir"
read -r go modules || exit "$STOPPED"
arguments=''
if [ "$go" = generator ]; then
    arguments=$modules
    read -r go modules || exit "$STOPPED"
fi
[ "$go" = go ] || exit "$STOPPED"
for module in $modules; do
    IFS=';'
    set -- $module
    unset IFS
    load "$@" || {
        say "cannot load module $*"
        exit "$NOT_LOADED"
    }
done
if [ -n "$arguments" ]; then
    start_generator $arguments || {
        say 'no CPU of this machine can be the generator'
        exit "$NO_GENERATOR"
    }
fi
# In the background, so that the traps are run while it works.
exec 3<&0
"$dir/irqscope-agent" run --plan - --stop-on-eof <&3 &
agent=$!
exec 3<&- </dev/null
wait "$agent"
status=$?
agent=''
exit "$status"
