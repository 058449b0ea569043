# SPDX-License-Identifier: Apache-2.0 OR MIT
# Goal: a target that lies harms itself alone: a module that it built is never loaded on
# another one, even if both name one kernel; a release that is a path is refused; and a
# link among its modules is not followed. The targets are played by a program `ssh`.
# Runs: beside others
. tests/lib/lib.sh

export IRQSCOPE_CACHE=$WORK/cache IRQSCOPE_PARTS=$WORK/parts TMPDIR=$WORK/tmp
agent=$IRQSCOPE_PARTS/irqscope-agent-x86_64
mkdir -p "$WORK/bin" "$TMPDIR" "$IRQSCOPE_PARTS"
printf '#!/bin/sh\nexit 1\n' >"$agent"
echo secret >"$WORK/secret"

# Each target is a directory: its release, and what its compiler and its insmod do.
cat >"$WORK/bin/ssh" <<-SSH
	#!/bin/bash
	for ((i = 1; i < \$#; i++)); do
	    case \${!i} in
	    -S) j=\$((i + 1)); socket=\${!j} ;;
	    -M) master=1 ;;
	    esac
	done
	if [ -n "\${master-}" ]; then touch "\$socket"; exec sleep 60; fi
	for ((i = 1; i <= \$#; i++)); do [ "\${!i}" != -- ] || { j=\$((i + 1)); place=$WORK/\${!j}; break; }; done
	export PATH=\$place/bin:\$PATH
	case \${!#} in
	*headers_dir=*)
	    printf 'release=%s\n' "\$(cat "\$place/release")"
	    printf 'machine=x86_64\nuid=0\nheaders_dir=/x\nheaders=abc\ncompiler=yes\nmodules=yes\n'
	    printf 'disabled=0\nenforced=N\nonline=0-1\n'
	    ;;
	*) exec sh -c "\${!#}" ;;
	esac
SSH

target() { # NAME RELEASE MAKE
	mkdir -p "$WORK/$1/bin"
	echo "$2" >"$WORK/$1/release"
	printf '#!/bin/sh\n%s\n' "$3" >"$WORK/$1/bin/make"
	printf '#!/bin/sh\ncat "$1" >>%s\n' "$WORK/$1/loaded" >"$WORK/$1/bin/insmod"
	printf '#!/bin/sh\nexit 0\n' >"$WORK/$1/bin/rmmod"
	cp "$WORK/$1/bin/rmmod" "$WORK/$1/bin/dmesg"
}
target evil 6.1.0-99-one "echo EVIL >irqscope.ko"
target good 6.1.0-99-one "echo GOOD >irqscope.ko"
target path ../../pwned/x "echo EVIL >irqscope.ko"
target link 6.1.0-99-two "ln -s $WORK/secret irqscope.ko"
chmod +x "$WORK"/bin/* "$WORK"/*/bin/* "$agent"

cat >"$WORK/scenario.toml" <<-TOML
	version = 1
	about = "For targets that lie"
	rig = "ssh"
	views = ["inside"]
	states = ["idle"]
	[trigger]
	kind = "timer"
	period = "1ms"
	count = 10
TOML
measure() { # STATUS TARGET
	expect "$1" env PATH="$WORK/bin:$PATH" "$IRQSCOPE" run "$WORK/scenario.toml" \
		--host "$2" --out "$WORK/out-$2-$RANDOM"
}

measure 3 evil
[ "$(cat "$WORK/evil/loaded")" = EVIL ] || fail "the target does not get its own module"
measure 3 good
[ "$(cat "$WORK/good/loaded")" = GOOD ] || fail "a module of another target was loaded"
measure 3 evil
[ "$(find "$WORK/cache/drivers" -mindepth 1 -maxdepth 1 -not -name ".*" | wc -l)" = 2 ] || fail "not kept once for each"

measure 2 path
says 'path says "../../pwned/x", which is no release of a kernel'
[ -z "$(find "$WORK" -name '*pwned*')" ] || fail "a release became a path"

measure 2 link
says 'which is no module'
! [ -e "$WORK/link/loaded" ] || fail "a file of this machine was sent: $(cat "$WORK/link/loaded")"
echo "PASS: a target that lies harms itself alone"
