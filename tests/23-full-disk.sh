# SPDX-License-Identifier: Apache-2.0 OR MIT
# Goal: a full disk is named with its remedy, and what was logged before it was
# full stays readable.
# Runs: beside others
. tests/lib/lib.sh

mkdir "$WORK/small"
mount -t tmpfs -o size=64k none "$WORK/small" || skip mount "a small disk cannot be made"
trap 'umount "$WORK/small"' EXIT
expect 2 "$IRQSCOPE" run "$TESTS/scenarios/quick.toml" --kernel 6.1 --out "$WORK/small/run"
says "disk is full"
says "--out"
nothing_left "qemu-system-x86_64.*$WORK"
