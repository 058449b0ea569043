# SPDX-License-Identifier: Apache-2.0 OR MIT
# Goal: a machine without a network measures with what one file brought: kernels, packages of loads and the
# lists that these were found in. The same samples come. Errors name a missing part with the commands that
# bring it; a bundle that is damaged, no bundle, or for another version or machine is refused before
# anything of it is in the cache.
# Runs: beside others, early
. tests/lib/lib.sh

# Runs the program with a cache of its own where there is no network.
namespaces=(--net)
[ "$(id -u)" = 0 ] || namespaces=(--map-root-user --net)
unshare "${namespaces[@]}" true 2>/dev/null || skip namespace "it takes a network that leads nowhere"
alone() { env IRQSCOPE_CACHE="$WORK/cache" unshare "${namespaces[@]}" "$IRQSCOPE" "$@"; }

cp -r "$TESTS/scenarios/own/." "$WORK"
own=$WORK/own.toml
expect 0 "$IRQSCOPE" fetch "$own" --kernel 6.1
says "kernels/6.1"
says "roots/"
says "apt/trixie-amd64"
# All is in the cache now: packing takes no network.
expect 0 "$IRQSCOPE" fetch --offline "$own" --offline-bundle "$WORK/bundle"
says "packing kernels/6.1"
says "irqscope fetch --from"
expect 2 "$IRQSCOPE" fetch --kernel 6.1 --offline-bundle "$WORK/bundle"
says "is there already"
expect 2 "$IRQSCOPE" fetch spare-cpu
says "nothing has to be downloaded for these"
expect 2 "$IRQSCOPE" fetch --kernel 6.1-tr
says "6.1-rt"

# Errors name what is missing, and the commands that bring it.
expect 2 alone run demo --kernel 6.1 --offline --out "$WORK/none"
says "kernel 6.1: the cache has it not, and --offline or IRQSCOPE_OFFLINE forbids to download it"
says "irqscope fetch --kernel 6.1 --offline-bundle FILE on a machine with a network"
expect 2 env IRQSCOPE_OFFLINE=1 IRQSCOPE_CACHE="$WORK/cache" "$IRQSCOPE" kernel offered
says "the list of bullseye's packages for amd64"
expect 2 alone --offline kernel build plain
says "irqscope fetch --kernel source:6.1"

# A bundle that cannot be used leaves the cache as it was.
refused() { # BUNDLE TEXT REMEDY
	expect 2 alone fetch --from "$1"
	says "$2"
	says "$3"
	[ ! -e "$WORK/cache/kernels/6.1" ] || fail "something came of $1"
}
changed() { # NAME PYTHON, which changes the list
	python3 - "$WORK/bundle" "$WORK/$1" "$2" <<-'PY'
		import io, json, sys, tarfile
		with tarfile.open(sys.argv[1]) as old, tarfile.open(sys.argv[2], "w") as new:
		    for member in old:
		        content = old.extractfile(member).read()
		        if member.name.endswith(".json"):
		            j = json.loads(content)
		            exec(sys.argv[3])
		            content = json.dumps(j).encode()
		            member.size = len(content)
		        new.addfile(member, io.BytesIO(content))
	PY
}
refused "$WORK/absent" "cannot read $WORK/absent" "name a file that irqscope fetch --offline-bundle has written"
refused "$own" "own.toml is no bundle of irqscope" "name a file"
changed newer 'j["format"] = 9; j["irqscope"] = "9.0.0"'
refused "$WORK/newer" "is of bundles' version 9, written by irqscope 9.0.0, and this one reads version 1" "the same version of irqscope"
changed foreign 'j["host"] = "riscv64"'
refused "$WORK/foreign" "is for machines of riscv64" "on a machine of this kind"
changed outside 'j["parts"][0]["name"] = "kernels/../../outside"'
refused "$WORK/outside" 'has a part "kernels/../../outside"' "write it anew"
head -c 20000000 "$WORK/bundle" >"$WORK/short"
refused "$WORK/short" "short is damaged" "copy it anew"
cp "$WORK/bundle" "$WORK/flipped"
printf 'irqscope' | dd of="$WORK/flipped" bs=1 seek=30000000 conv=notrunc status=none
refused "$WORK/flipped" "has another content than its list says" "sha256sum"
rm "$WORK"/{newer,foreign,outside,short,flipped}

# There it measures, and as here.
expect 0 alone fetch --from "$WORK/bundle"
says "kernels/6.1"
expect 0 alone fetch --from "$WORK/bundle"
says "kernels/6.1 is there already and stays"
expect 0 alone run "$own" --offline --allow-commands --no-report --state mine --out "$WORK/there"
says "All 120 triggers are accounted for"
expect 0 "$IRQSCOPE" run "$own" --allow-commands --no-report --state mine --out "$WORK/here"
cmp "$WORK/here/samples.parquet" "$WORK/there/samples.parquet"

# A package that the bundle has not is named, and so is a QEMU that is not there.
sed 's/"dash"/"dash", "hello"/' "$own" >"$WORK/more.toml"
expect 2 alone run "$WORK/more.toml" --offline --allow-commands --out "$WORK/more"
says "hello"
says "irqscope fetch SCENARIO --offline-bundle FILE"
case $(qemu-system-x86_64 --version) in
*"version 7."* | *"version 8.0"*)
	expect 2 alone run "$TESTS/scenarios/two-cpus.toml" --kernel 6.1 --offline --out "$WORK/two"
	says "qemu-system-x86 of bookworm-backports: the cache has it not"
	;;
esac
rm -rf "$WORK/cache" "$WORK/bundle"
