#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 OR MIT
# A release's packages once more as those of an earlier version, in an apt repository of their own, as a
# machine has them before it is upgraded, as far as names, versions and scripts of packages go.
#
#   older-packages.sh RELEASE VERSION OUT
#
# Package irqscope has a file more, which an upgrade has to remove.
set -eu
release=$1 old=$2 out=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$out"
for deb in "$release"/*.deb; do
	tree=$work/tree
	rm -rf "$tree"
	dpkg-deb -R "$deb" "$tree"
	new=$(dpkg-deb -f "$deb" Version)
	new=${new%-*}
	find "$tree/DEBIAN" -type f -exec sed -i "s/\\b${new//./\\.}\\b/$old/g" {} +
	sources=$tree/usr/src/irqscope
	if [ -d "$sources-$new" ]; then
		sed -i "s/^PACKAGE_VERSION=.*/PACKAGE_VERSION=\"$old\"/" "$sources-$new/dkms.conf"
		mv "$sources-$new" "$sources-$old"
	fi
	if [ "$(dpkg-deb -f "$deb" Package)" = irqscope ]; then
		echo "of an earlier version" >"$tree/usr/share/irqscope/of-an-earlier-version"
	fi
	(cd "$tree" && find . -type f ! -path './DEBIAN/*' -printf '%P\0' | xargs -0 md5sum >DEBIAN/md5sums)
	dpkg-deb --root-owner-group -Znone -b "$tree" "$out" >/dev/null
done
cd "$out"
apt-ftparchive packages . >Packages
apt-ftparchive release . >"$work/Release"
mv "$work/Release" Release
