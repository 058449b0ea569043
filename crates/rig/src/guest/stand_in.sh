#!/bin/busybox sh
# SPDX-License-Identifier: Apache-2.0 OR MIT
# The first process of the guest that plays a real machine: the host's files
# under a throw-away layer, the kernel's modules and headers where they belong,
# a network, and then /exchange/script.
/bin/busybox --install -s /bin
mount -t proc proc /proc
mount -t sysfs sysfs /sys
mount -t devtmpfs devtmpfs /dev
while read -r module; do insmod "$module"; done </modules.list
. /guest.conf # release, modules, headers

mkdir /host /over /new /exchange
mount -t 9p -o trans=virtio,version=9p2000.L,msize=262144,cache=loose,ro host /host
mount -t tmpfs tmpfs /over
mkdir /over/upper /over/work
mount -t overlay -o lowerdir=/host,upperdir=/over/upper,workdir=/over/work overlay /new
for place in proc sys dev; do mount -o move "/$place" "/new/$place"; done
mkdir -p /new/exchange /new/dev/pts /new/dev/shm "/new/lib/modules/$release"
mount -t 9p -o trans=virtio,version=9p2000.L,msize=262144 exchange /new/exchange
mount -t devpts devpts /new/dev/pts
# Not /tmp: what is to be run may lie there, and the layer is thrown away anyway.
for place in run dev/shm; do mount -t tmpfs tmpfs "/new/$place"; done
ln -sfn "$modules/kernel" "/new/lib/modules/$release/kernel"
ln -sfn "$headers" "/new/lib/modules/$release/build"

ip link set lo up
ip link set eth0 up
ip addr add 10.0.2.15/24 dev eth0
hostname board

cd /new
status=127
chroot /new /bin/sh /exchange/script >/new/exchange/script.output 2>&1
echo $? >/new/exchange/status
# Not every kernel can turn a machine off; QEMU ends where one would restart.
reboot -f
