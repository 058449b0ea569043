#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 OR MIT
# Does what a user would with the packages on a system that has none of them, as its root:
#
#   bare-system.sh SUITE OLDER NEWER
#
# The versions are those in the apt repositories /srv/older and /srv/newer, of which /srv/source is the source;
# /srv/polars is a Polars for Python. It ends with the release of the kernel to which it upgraded in the file
# /srv/upgraded.
set -eux
suite=$1 older=$2 newer=$3
export DEBIAN_FRONTEND=noninteractive
traces() {
	find / -xdev \( -path /srv -o -path /proc -o -path /home -o -path /root -o -path /var/lib/apt \
		-o -path /var/cache/apt -o -path /var/log -o -path /etc/apt \) -prune -o -iname '*irqscope*' -print
	grep irqscope /etc/passwd /etc/group || true
}
repository() { echo "deb [trusted=yes] file:/srv/$1 ./" >/etc/apt/sources.list.d/ours.list && apt-get -q update; }
as_somebody() { su somebody -c "cd && $1"; }
is_version() { # VERSION
	for package in irqscope irqscope-agent irqscope-server irqscope-firmware irqscope-dkms python3-irqscope; do
		[ "$(dpkg-query -W -f '${source:Upstream-Version}' "$package")" = "$1" ]
	done
}
driver_for() { # RELEASE
	for module in irqscope irqscope_parport irqscope_ivshmem irqscope_gpio; do
		modinfo -k "$1" -n $module | grep updates/dkms
	done
}

# An earlier version, and its driver for the kernel.
repository older
apt-get -q -y install irqscope irqscope-agent irqscope-server irqscope-firmware python3-irqscope
apt-get -q -y install --no-install-recommends irqscope-dkms linux-headers-amd64
is_version "$older"
useradd --create-home somebody
as_somebody 'irqscope run scope --kernel 6.1 --count 100 --out before --no-report'
release=$(basename "$(ls -d /lib/modules/*/build | head -n 1 | xargs dirname)")
dkms install "irqscope/$older" -k "$release"
driver_for "$release"

# The new version in its place: nothing of the earlier one stays but the runs, which it reads.
[ -e /usr/share/irqscope/of-an-earlier-version ]
repository newer
apt-get -q -y upgrade
is_version "$newer"
[ ! -e /usr/share/irqscope/of-an-earlier-version ]
[ ! -e "/usr/src/irqscope-$older" ]
dkms status | grep "irqscope/$older" && exit 1
as_somebody 'irqscope report before'
as_somebody 'irqscope run scope --kernel 6.1 --count 100 --out run --no-report'
as_somebody 'irqscope doctor' || [ $? = 1 ]
[ -s /usr/share/man/man1/irqscope-run.1.gz ]
[ -n "$(traces)" ]
# Debian has no Polars: the package says so, and reads the run with one that is brought.
python3 -c 'import irqscope' 2>&1 | grep system-site-packages
PYTHONPATH=/srv/polars python3 -c 'import irqscope
print(irqscope.Run("/home/somebody/run").figures().height, irqscope.__file__)' | grep /usr/lib/python3
[ -x /usr/share/irqscope/integrations/lava/irqscope.sh ]
dkms install "irqscope/$newer" -k "$release"
driver_for "$release"

# Debian's own way to try an installed package: debian/tests, with what each asks for.
apt-get -q -y install --no-install-recommends autopkgtest dpkg-dev
autopkgtest --no-built-binaries --summary-file=/root/autopkgtest /srv/source/*.dsc -- null
cat /root/autopkgtest
[ "$(grep -c ' PASS' /root/autopkgtest)" = "$(grep -c '^Test-Command:' /srv/source/control)" ]

# Another kernel, for which DKMS builds the driver by itself.
sed "s| $suite main| $suite-backports main|" /etc/apt/sources.list >/etc/apt/sources.list.d/backports.list
apt-get -q update
apt-get -q -y install --no-install-recommends -t "$suite-backports" linux-image-amd64 linux-headers-amd64
upgraded=$(ls /boot/vmlinuz-* | sed 's|.*/vmlinuz-||' | sort -V | tail -n 1)
[ "$upgraded" != "$release" ]
driver_for "$upgraded"
mkdir /srv/driver
cp "/lib/modules/$upgraded/updates/dkms/"irqscope*.ko* /srv/driver
echo "$upgraded" >/srv/upgraded

apt-get -q -y purge 'irqscope*' python3-irqscope
[ -z "$(traces)" ] || { traces; exit 1; }
echo "nothing is left"
