#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 OR MIT
# Measures on this device and hands the figures to LAVA: a test set for each case, a test case with a
# measurement for each figure, and one for each limit. Outside LAVA the results are in
# output/result.txt, and are printed.
#
#   irqscope.sh [-s SCENARIO] [-o OPTIONS] [-l LIMITS] [-r RUN]
#
# With -r nothing is measured: the results are those of a run that is there. The exit status is that of
# the measurement or the first one of a limit, 0 if all is well.
SCENARIO=demo
OPTIONS=
LIMITS=
RUN=
while getopts "s:o:l:r:h" option; do
	case $option in
	s) SCENARIO=$OPTARG ;;
	o) OPTIONS=$OPTARG ;;
	l) LIMITS=$OPTARG ;;
	r) RUN=$OPTARG ;;
	*) sed -n '3,9s/^# \{0,1\}//p' "$0"; exit 2 ;;
	esac
done
OUTPUT=$PWD/output
RESULTS=$OUTPUT/result.txt
mkdir -p "$OUTPUT" || exit 2
: >"$RESULTS" || exit 2
status=0

result() { # NAME STATUS
	if [ "$2" = 0 ]; then echo "$1 pass" >>"$RESULTS"; else echo "$1 fail" >>"$RESULTS"; fi
	[ "$status" != 0 ] || status=$2
}

if [ -z "$RUN" ]; then
	RUN=$OUTPUT/run
	# The options are words, as the definition has them. Its words go through a pipe, because LAVA's console
	# is a terminal, and its log would have each change of a line.
	# shellcheck disable=SC2086
	{
		irqscope run "$SCENARIO" --rig local $OPTIONS --no-report --out "$RUN"
		echo $? >"$OUTPUT/status"
	} 2>&1 | cat
	result measured "$(cat "$OUTPUT/status")"
fi
irqscope export "$RUN" --format lava >>"$RESULTS"
result exported $?
for limit in $LIMITS; do
	irqscope gate "$RUN" --max "$limit"
	result "limit.$(echo "$limit" | tr '<>' '__' | tr -c 'A-Za-z0-9._@\n-' _)" $?
done

while read -r name verdict value unit; do
	case $name in
	lava-test-set) if command -v lava-test-set >/dev/null; then lava-test-set "$verdict" $value; else echo "$name $verdict $value"; fi ;;
	*)
		set -- --result "$verdict"
		[ -z "$value" ] || set -- "$@" --measurement "$value" --units "$unit"
		if command -v lava-test-case >/dev/null; then lava-test-case "$name" "$@"; else echo "$name $*"; fi
		;;
	esac
done <"$RESULTS"
exit "$status"
