# SPDX-License-Identifier: Apache-2.0 OR MIT
# Goal: a scenario has one digest, wherever the cache lies, by whatever user, in whatever
# language, and with an agent of another size: directories of other lengths, a link, a moved
# program, another user, another locale and time zone, 1 byte more.
# Runs: beside others, in make soak
. tests/lib/lib.sh

[ "$(id -u)" = 0 ] || skip root "another user is one of the cases"

# Its own directory, which another user can read.
PLACE=$(mktemp -d /tmp/irqscope-anywhere.XXXXXX)
trap 'rm -rf "$PLACE"' EXIT
chmod 755 "$PLACE"
sed 's/^kernels = .*/kernels = ["6.1"]/; s/^count = .*/count = 150/' \
	tests/scenarios/quick.toml >"$PLACE/quick.toml"
mkdir "$PLACE/bin"
cp "$IRQSCOPE" "$PARTS"/{libirqscope_twin.so,irqscope-agent-x86_64} "$PLACE/bin"
expect 0 "$IRQSCOPE" kernel fetch 6.1

# The kernel is copied once and moved from cache to cache, and not fetched again; its headers may still
# name the old place.
cp -a "$CACHE/kernels/6.1" "$PLACE/kernel"
kernel=$PLACE/kernel
cache() { # DIRECTORY
	mkdir -p "$1/kernels"
	mv "$kernel" "$1/kernels/6.1"
	kernel=$1/kernels/6.1
	headers_anywhere "$kernel"
}

run() { # NAME CACHE COMMAND...
	local name=$1 cache=$2
	shift 2
	mkdir -p "$PLACE/$name"
	cache "$cache"
	chmod -R a+rwX "$PLACE/$name"
	find "$cache" -type d -exec chmod a+rwx {} +
	(cd "$PLACE/$name" && expect 0 "$@" run "$PLACE/quick.toml" --out "$PLACE/$name/run")
	digest=$(field "$PLACE/$name/run/summary.json" "j['digest']")
	echo "$name: $digest"
	: "${first:=$digest}"
	[ "$digest" = "$first" ] || fail "$name has another digest"
}

run here "$PLACE/c" env IRQSCOPE_CACHE="$PLACE/c" "$IRQSCOPE"
LONG=$PLACE/user/a-directory-with-a-name-that-is-longer/than-those-that-people/usually-choose/for-a-cache
run user "$LONG" setpriv --reuid 65534 --regid 65534 --clear-groups \
	env HOME="$PLACE/user" USER=nobody XDG_CACHE_HOME= IRQSCOPE_CACHE="$LONG" \
	TZ=Asia/Kathmandu LC_ALL=tr_TR.UTF-8 TMPDIR="$PLACE/user" "$PLACE/bin/irqscope"
printf x >>"$PLACE/bin/irqscope-agent-x86_64"
run larger "$PLACE/larger-cache" env IRQSCOPE_CACHE="$PLACE/larger-cache" "$PLACE/bin/irqscope"

# A cache of which a part is a link: the compiler sees the headers elsewhere.
mkdir "$PLACE/linked"
ln -s "$(dirname "$kernel")" "$PLACE/linked/kernels"
expect 0 env IRQSCOPE_CACHE="$PLACE/linked" "$IRQSCOPE" run "$PLACE/quick.toml" --out "$PLACE/linked/run"
digest=$(field "$PLACE/linked/run/summary.json" "j['digest']")
[ "$digest" = "$first" ] || fail "a cache with a link has another digest: $digest"
