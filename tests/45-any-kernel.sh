# SPDX-License-Identifier: Apache-2.0 OR MIT
# Goal: kernels are taken by any name: Debian's oldest and newest line, stock and RT, a build tree, an
# image with its modules, packages; each gives the same samples twice, the manifest says what each
# was made of, and what a kernel lacks, or a name that means nothing, is said with its remedy.
# Runs: beside others, early
. tests/lib/lib.sh

run() { # NAME KERNEL OPTIONS
	name=$1 kernel=$2
	shift 2
	expect 0 "$IRQSCOPE" run demo --wide --kernel "$kernel" --state idle --stage irq --stage tasklet \
		--stage user --count 90 --out "$WORK/$name" "$@"
}

kernels=5.10
if in_soak 7.3-rt; then kernels="$kernels 7.3-rt"; fi
for kernel in $kernels; do
	run "$kernel" "$kernel"
	run "$kernel-again" "$kernel"
	cmp "$WORK/$kernel/samples.parquet" "$WORK/$kernel-again/samples.parquet" ||
		fail "$kernel gives other samples the second time"
done
python3 - "$WORK" $kernels <<'PY' || fail "the manifest does not say what a kernel was made of"
import json, sys
for kernel in sys.argv[2:]:
    line = kernel.removesuffix("-rt") + "."
    [case] = json.load(open(f"{sys.argv[1]}/{kernel}/manifest.json"))["cases"]
    origin = case["kernel_origin"]
    print(origin)
    assert origin[0].startswith("Debian ")
    assert any(part.startswith("linux-headers-" + line) and " SHA256:" in part for part in origin)
    assert case["target"]["kernel"].startswith(line), case["target"]
PY

# A build tree, from what is kept of a kernel that was built: objects and sources are not needed.
"$IRQSCOPE" kernel build delayed-locking >"$WORK/said" 2>&1 || fail "$(cat "$WORK/said")"
built=
for entry in "$CACHE"/builds/delayed-locking-????????????; do
	if [ -z "$built" ] || [ "$entry" -nt "$built" ]; then
		built=$entry
	fi
done
release=$(cat "$built/release")
tree=$WORK/tree
cp -a "$built/usr/src/linux-headers-$release" "$tree"
mkdir -p "$tree/arch/x86/boot"
cp "$built/vmlinuz" "$tree/arch/x86/boot/bzImage"
(cd "$built/lib/modules/$release/kernel" && find . -name '*.ko' | sed 's|^\./||') >"$tree/modules.order"
cp -a "$built/lib/modules/$release/kernel/." "$tree/"
cp "$built/lib/modules/$release/modules.builtin" "$tree/"
run of-tree "mine=$tree"
says "mine/idle"
# An image and modules of their own give the same kernel, and the same samples.
run of-files "mine=image:$built/vmlinuz,modules:$built/lib/modules/$release,headers:$built/usr/src/linux-headers-$release"
cmp "$WORK/of-tree/samples.parquet" "$WORK/of-files/samples.parquet" || fail "a tree differs from its files"

# Without parport and irq_poll: the driver's own port, and no softirq stage.
sed -i 's/^CONFIG_PARPORT=.*/# CONFIG_PARPORT is not set/; s/^CONFIG_PARPORT_PC=.*//' "$tree/.config" \
	"$tree/include/config/auto.conf"
sed -i '/CONFIG_PARPORT/d' "$tree/include/generated/autoconf.h"
sed -i '/irq_poll_/d; /parport/d' "$tree/Module.symvers"
sed -i '/CONFIG_IRQ_POLL/d' "$tree/.config"
run bare "bare=$tree" --stage softirq
says "stage softirq is not offered by this kernel"
python3 - "$WORK" <<'PY' || fail "the driver's own port answers otherwise than parport"
import json, sys
[case] = json.load(open(f"{sys.argv[1]}/bare/summary.json"))["cases"]
stages = {(stage["stage"], stage["view"]): stage["count"] for stage in case["stages"]}
print(stages)
assert stages["user", "outside"] > 0 and stages["irq", "outside"] > 0
PY

# Each error says what mends it.
sed -i '/CONFIG_EPOLL=/d' "$tree/.config"
expect 2 "$IRQSCOPE" run demo --kernel "bare=$tree" --out "$WORK/no"
says "CONFIG_EPOLL"
says "irqscope kernel fragment"
rm "$tree/.config"
expect 2 "$IRQSCOPE" run demo --kernel "$tree/" --out "$WORK/no"
says ".config"
expect 2 "$IRQSCOPE" run demo --kernel /nowhere/linux --out "$WORK/no"
says "/nowhere/linux"
expect 2 "$IRQSCOPE" run demo --kernel a=6.1 --kernel a=6.12 --out "$WORK/no"
says 'two kernels are called `a`'
expect 2 "$IRQSCOPE" run demo --kernel 4.4 --out "$WORK/no"
says "irqscope kernel offered"
mkdir "$WORK/debs"
cp /usr/share/dict/words "$WORK/debs/x.deb" 2>/dev/null || echo nothing >"$WORK/debs/x.deb"
expect 2 "$IRQSCOPE" run demo --kernel "$WORK/debs" --out "$WORK/no"
says "it is no package"
expect 2 "$IRQSCOPE" run demo --kernel source:6.12+kasam --out "$WORK/no"
says 'did you mean `kasan`'
expect 2 "$IRQSCOPE" run demo --kernel source:6.1-arm64 --out "$WORK/no"
says "image:PATH,modules:DIR"
expect 2 "$IRQSCOPE" kernel build source:6.99
says "there is no source:6.99 of a kernel"
git init -q "$WORK/repository"
expect 2 "$IRQSCOPE" kernel build "git:$WORK/repository@v6.1"
says "no commit v6.1"
# The environment of a hook leads to another repository.
expect 2 env GIT_DIR="$WORK/nowhere" "$IRQSCOPE" bisect --git "$WORK/repository" --good v6.1 --bad v6.2 \
	--part rt --quantile p99 --unplanned --out "$WORK/found"
says "git in $WORK/repository"
says "v6.1"
expect 2 "$IRQSCOPE" bisect --good 6.12.117 --bad 6.12.117 --out "$WORK/found"
says "6.12.117 and 6.12.117 are the same kernel"
git -C "$WORK/repository" -c user.name=a -c user.email=a@b commit -q --allow-empty -m one
git -C "$WORK/repository" tag one
git -C "$WORK/repository" checkout -q --orphan other
git -C "$WORK/repository" -c user.name=a -c user.email=a@b commit -q --allow-empty -m other
expect 2 "$IRQSCOPE" bisect --git "$WORK/repository" --good one --bad other --out "$WORK/found"
says "neither of one and other comes from the other"
says "git merge-base one other"
expect 2 "$IRQSCOPE" bisect demo --set rig=vm --good 6.1 --bad 6.12 --out "$WORK/found"
says "bisect needs rig twin"
if in_soak "a bisection of releases"; then
	# The first of three releases that changes a latency of the user stage; the same command again has
	# it all measured, and says the same.
	search() {
		expect 0 "$IRQSCOPE" bisect --good 6.12.113 --bad 6.12.117 --decides user --any --state idle \
			--count 220 --out "$WORK/searched"
	}
	search
	says "first bad: 6.12.11"
	says "3 to search"
	cp "$WORK/searched/found.txt" "$WORK/first-found"
	search
	cmp "$WORK/searched/found.txt" "$WORK/first-found" || fail "the same search finds something else"
	grep -q "idle done" "$WORK/said" && fail "a step was measured twice"
	first=$(sed -n 's/^first bad: //p' "$WORK/first-found")
	[ -d "$WORK/searched/steps/$first" ] || fail "$first was not measured"
	# The other way round the first that is as the later one is sought, out of the same steps.
	mkdir "$WORK/turned"
	cp -a "$WORK/searched/steps" "$WORK/turned"
	expect 0 "$IRQSCOPE" bisect --good 6.12.117 --bad 6.12.113 --decides user --any --state idle --count 220 \
		--out "$WORK/turned"
	says "first good: $first"
	grep -q "idle done" "$WORK/said" && fail "a step was measured twice"
fi
# A tree that is configured and built by hand, from as little as there is; its source came with the build above.
if in_soak "a tree from tinyconfig"; then
	by_hand=$WORK/by-hand
	unpack_source "$by_hand"
	"$IRQSCOPE" kernel fragment >"$by_hand/irqscope.config"
	(
		cd "$by_hand"
		make -s tinyconfig
		scripts/kconfig/merge_config.sh .config irqscope.config
		make -s -j "$(nproc)"
	) >"$WORK/by-hand.log" 2>&1 || fail "$(tail -n 20 "$WORK/by-hand.log")"
	run tiny "tiny=$by_hand" --stage softirq --explain
	says "tiny/idle"
fi

[ ! -e "$WORK/no" ] || fail "a run directory of what was refused"
expect 0 "$IRQSCOPE" kernel fragment --arch arm64
says "CONFIG_GPIO_PL061=y"
