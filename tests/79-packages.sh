#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 OR MIT
# Goal: packaging says what the sources say: one version, every module of the driver, a unit that systemd
# takes. With PACKAGES=1, which make soak sets: a release is made, twice the same, lintian has nothing
# to say, agents for other machines measure, and on bare systems (SUITES) its packages take the place of those of
# an earlier version, an ordinary user measures, Debian's autopkgtest passes, DKMS builds the driver, also for a
# kernel to which the system is upgraded, which loads it, and nothing stays behind. An image is built by
# packaging/Containerfile, and a measurement runs in it. RELEASE names a release that is there, which is tried
# in place of a new one and not made twice.
# Runs: beside others
. tests/lib/lib.sh

[ "$(sed -n 's/^BUILT_MODULE_NAME.*="\(.*\)"/\1/p' debian/irqscope-dkms.dkms | sort)" = \
	"$(sed -nE '/^obj-/s/.*\+?= *//p' kernel/irqscope/Kbuild | tr ' ' '\n' | sed 's/\.o$//' | sort)" ] ||
	fail "DKMS does not install each module that is built"
version=$(sed -n '1s/.*(\(.*\)-.*).*/\1/p' debian/changelog)
[ "$("$IRQSCOPE" --version)" = "irqscope $version" ] || fail "debian/changelog is not of $("$IRQSCOPE" --version)"
grep -q "^version = \"$version\"" firmware/Cargo.toml || fail "the firmware has another version"
for package in $(grep -o '/packages/[a-z0-9-]*' packaging/Containerfile | sed 's|.*/||'); do
	grep -q "^Package: $package\$" debian/control || fail "packaging/Containerfile installs $package, which is no package"
done
if command -v systemd-analyze >/dev/null; then
	sed "s|/usr/bin/irqscope|$(realpath "$IRQSCOPE")|; s|^User=.*|User=root|" debian/irqscope-server.service >"$WORK/irqscope-server.service"
	expect 0 systemd-analyze verify --man=no "$WORK/irqscope-server.service"
fi
[ "${PACKAGES-}" = 1 ] || exit 0

[ "$(id -u)" = 0 ] || skip root "a bare system is made by root"
# Elsewhere, below a longer name, at another time of day.
same_again() {
	local other deb
	other=$(mktemp -d /var/tmp/irqscope-elsewhere-with-a-longer-name.XXXXXX)
	# shellcheck disable=SC2064
	trap "rm -rf '$other'" EXIT
	dpkg-source -q -x "$WORK"/release/irqscope_*.dsc "$other/tree"
	(cd "$other/tree" && TZ=Asia/Kathmandu dpkg-buildpackage -us -uc -b -d) >"$WORK/again" 2>&1 || { tail -n 30 "$WORK/again"; fail "no second build"; }
	for deb in "$other"/*.deb; do
		cmp "$deb" "$WORK/release/${deb##*/}" || fail "${deb##*/} is another one in another directory"
	done
	rm -rf "$other"
	echo "$SECONDS s: made twice the same"
}
if [ -n "${RELEASE-}" ]; then
	cp -r "$RELEASE" "$WORK/release"
else
	expect 0 scripts/release --snapshot "$WORK/release"
	same_again
fi
(cd "$WORK/release" && sha256sum --quiet -c SHA256SUMS)
[ "$("$WORK/release/irqscope-agent-$version-x86_64" --version)" = "irqscope-agent $version" ] || fail "no static agent"

# Agents for other machines run here by emulation, in place of the one for this machine, and are brought and
# asked as everywhere; what needs the driver is refused.
foreign() { # MACHINE EMULATOR
	local parts=$WORK/parts-$1
	mkdir -p "$parts/bin"
	ln -s "$PARTS"/{irqscope-vm,libirqscope_twin.so,irqscope-agent-x86_64} "$parts"
	printf '#!/bin/sh\nexec %s %s "$@"\n' "$2" "$WORK/release/irqscope-agent-$version-$1" >"$parts/irqscope-agent-$1"
	# shellcheck disable=SC2016
	printf '#!/bin/sh\n[ "$1" = -m ] && echo %s || exec /bin/uname "$@"\n' "$1" >"$parts/bin/uname"
	chmod +x "$parts/irqscope-agent-$1" "$parts/bin/uname"
	PATH=$parts/bin:$PATH IRQSCOPE_PARTS=$parts expect 0 "$IRQSCOPE" bench sched gtod async inversion -l 50 \
		--out "$WORK/run-$1"
	says "samples 2,000 = 2,000 taken + 0 skipped + 0 dropped"
	[ "$(field "$WORK/run-$1/manifest.json" "j['cases'][0]['target']['machine']")" = "$1" ] || fail "not the agent for $1"
	PATH=$parts/bin:$PATH IRQSCOPE_PARTS=$parts expect 2 "$IRQSCOPE" run demo --rig local --out "$WORK/none"
	says "this machine is $1, which irqscope has no driver for"
}
foreign armv7l qemu-arm-static
foreign riscv64 qemu-riscv64-static

# The archive that this machine uses.
# shellcheck disable=SC2016
mirror=$(apt-get indextargets --format '$(ORIGIN) $(REPO_URI)' 'Created-By: Packages' |
	awk '$1 == "Debian" && !/security/ && !found++ { print $2 }')
[ -n "$mirror" ] || fail "apt has no archive of Debian's: apt-get update"
apt-config dump | grep '^Acquire::Check' >"$WORK/apt.conf" || true

bare_system() { # SUITE
	local suite=$1 root=$WORK/$1
	expect 0 mmdebstrap --variant=apt --include=ca-certificates \
		--aptopt="$WORK/apt.conf" "$suite" "$root" "deb $mirror $suite main"
	cp "$WORK/apt.conf" "$root/etc/apt/apt.conf.d/99-as-here"
	cp /etc/resolv.conf "$root/etc"
	cp -r "$WORK/release/apt" "$root/srv/newer"
	cp -r "$WORK/older" "$root/srv/older"
	mkdir "$root/srv/polars" "$root/srv/source"
	cp -r target/venv/lib/python3*/site-packages/{polars,_polars_runtime*} "$root/srv/polars"
	cp "$WORK"/release/irqscope_*.{dsc,tar.*} debian/tests/control "$root/srv/source"
	# autopkgtest's last test takes a package from where this machine has Python's, by its certificates.
	cp "${PIP_CERT:-/etc/ssl/certs/ca-certificates.crt}" "$root/srv/certificates"
	{
		echo "[global]"
		pip3 config list | sed -n "s/^global\.\(index-url\|extra-index-url\)='\(.*\)'\$/\1 = \2/p"
	} >"$root/etc/pip.conf"
	cp "$TESTS/lib/bare-system.sh" "$root/root/try"
	unshare --mount --pid --fork sh -euc '
		mount -t proc proc "$1/proc"
		mount --rbind /dev "$1/dev"
		exec env PIP_CERT=/srv/certificates REQUESTS_CA_BUNDLE=/srv/certificates chroot "$1" sh /root/try "$2" "$3" "$4"' bare "$root" "$suite" "$OLDER" "$version" >"$WORK/$suite.log" 2>&1 ||
		{ tail -n 40 "$WORK/$suite.log"; fail "$suite"; }
	echo "$SECONDS s: $suite: $(tail -n 1 "$WORK/$suite.log")"
	loads "$(cat "$root/srv/upgraded")" "$root/srv/driver"
	rm -rf --one-file-system "$root"
}

# The kernel to which the system was upgraded, with the driver that DKMS made for it there.
loads() { # RELEASE DIRECTORY
	local exchange=$WORK/loads-$1
	mkdir "$exchange"
	cp "$2"/* "$exchange"
	cat >"$exchange/script" <<-SCRIPT
		[ "\$(uname -r)" = "$1" ] || { uname -r; exit 1; }
		insmod /exchange/irqscope.ko* && cat /sys/class/misc/irqscope/abi && rmmod irqscope && echo "loaded by $1"
	SCRIPT
	# By itself: packages have to find their parts without the variable that this sets.
	(need_guest && run_guest 600 "${1%%[+-]*}" "$exchange") >"$WORK/said" 2>&1 || { cat "$WORK/said"; fail "no guest with kernel $1"; }
	says "loaded by $1"
	echo "$SECONDS s: loaded by $1"
}
OLDER=0.0.9
"$TESTS/lib/older-packages.sh" "$WORK/release" $OLDER "$WORK/older"
for suite in ${SUITES:-bookworm trixie}; do bare_system "$suite"; done

# An image by its recipe, on a base that is made here: no registry of images is asked.
image() { # SUITE
	local base made store=(--root "$WORK/store/root" --runroot "$WORK/store/run" --storage-driver vfs)
	expect 0 mmdebstrap --variant=minbase --include=ca-certificates \
		--aptopt="$WORK/apt.conf" "$1" "$WORK/base.tar" "deb $mirror $1 main"
	base=$(buildah "${store[@]}" from scratch)
	expect 0 buildah "${store[@]}" add "$base" "$WORK/base.tar" /
	expect 0 buildah "${store[@]}" commit "$base" "localhost/debian:$1-slim"
	expect 0 buildah "${store[@]}" build --isolation chroot --pull-never --build-arg "SUITE=$1" \
		-t irqscope -f packaging/Containerfile "$WORK/release"
	made=$(buildah "${store[@]}" from --pull-never localhost/irqscope)
	expect 0 buildah "${store[@]}" run --isolation chroot "$made" \
		irqscope run scope --kernel 6.1 --count 100 --out run --no-report
	# Read here, because buildah on a busy machine has lost what a program said last.
	expect 0 "$IRQSCOPE" report "$(buildah "${store[@]}" mount "$made")/work/run"
	says "All 100 triggers are accounted for"
	expect 0 buildah "${store[@]}" rm --all
	rm -rf "$WORK/store" "$WORK/base.tar"
}
image "${suite:-trixie}"
