#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 OR MIT
# A load for tests: copies blocks for ever, or fails where it is not given what it needs.
set -eu
test -w "$WHERE" || {
	echo "hammer: no place to write to" >&2
	exit 3
}
while :; do
	dd if=/dev/zero of="$WHERE/block" bs=1k count="$1" 2>/dev/null
done
