# SPDX-License-Identifier: Apache-2.0 OR MIT
# Goal: wrong input is answered with the nearest right one, the place, or the
# remedy, with exit 2, and leaves nothing behind.
# Runs: beside others
. tests/lib/lib.sh
cd "$WORK"

expect 2 "$IRQSCOPE" run dmeo
says 'did you mean `demo`?'
expect 2 "$IRQSCOPE" run nowhere.toml
says "nowhere.toml"
expect 2 "$IRQSCOPE" run demo --kernel 6.1rt
says 'did you mean `6.1-rt`?'
expect 2 "$IRQSCOPE" run demo --kernel 4.19
says "there is no kernel 4.19 with its headers"
expect 2 "$IRQSCOPE" run demo --colour
expect 2 "$IRQSCOPE" repot demo
says "report"

sed 's/period/perod/' "$TESTS/scenarios/quick.toml" >key.toml
expect 2 "$IRQSCOPE" run key.toml
says "key.toml:10:"
says '`period`'
sed 's/"idle"/"idel"/' "$TESTS/scenarios/quick.toml" >state.toml
expect 2 "$IRQSCOPE" run state.toml
says "state.toml:5:"
says 'did you mean `idle`?'
sed 's/^states/stages = ["softirqs"]\nstates/' "$TESTS/scenarios/quick.toml" >stage.toml
expect 2 "$IRQSCOPE" run stage.toml
says 'did you mean `softirq`?'

# Words of a file neither speak to the terminal nor fill it.
printf '"\033]0;title\007key" = 1\n' | cat - "$TESTS/scenarios/quick.toml" >escape.toml
expect 2 "$IRQSCOPE" run escape.toml
! grep -q "$(printf '[\033\007]')" said || fail "a file's escape sequence is printed"
says 'u001b]0;title'
{
	printf 'k%.0s' $(seq 100000)
	echo ' = 1'
	cat "$TESTS/scenarios/quick.toml"
} >long.toml
expect 2 "$IRQSCOPE" run long.toml
[ "$(wc -c <said)" -lt 3000 ] || fail "an error quotes all of a line"

mkdir there
expect 2 "$IRQSCOPE" run "$TESTS/scenarios/quick.toml" --out there
says "nothing is overwritten"
expect 2 "$IRQSCOPE" report there
says "not a run directory"
expect 2 "$IRQSCOPE" report nowhere
expect 2 env PATH=/nonexistent "$IRQSCOPE" run "$TESTS/scenarios/quick.toml"
says "apt-get install"
expect 2 env IRQSCOPE_PARTS=/nonexistent/parts "$IRQSCOPE" run "$TESTS/scenarios/quick.toml"
says "there is no irqscope-agent-x86_64 in /nonexistent/parts"

# A run directory from elsewhere may have a pipe that never begins, or a link, under the name of a file of its own; a
# recording that can be read only once is refused.
expect 0 "$IRQSCOPE" import "$TESTS/data/oslat.txt" --out there/run
for file in manifest.json run.log; do
	cp -r there/run there/link
	mv there/link/$file there/elsewhere
	ln -s ../elsewhere there/link/$file
	cp -r there/run there/pipe
	rm there/pipe/$file
	mkfifo there/pipe/$file
	for command in "report RUN" "gate RUN --max spin<1ms@max" "export RUN --format csv"; do
		expect 2 timeout 20 "$IRQSCOPE" ${command/RUN/there/link}
		says "$file"
		says "it is a link"
		expect 2 timeout 20 "$IRQSCOPE" ${command/RUN/there/pipe}
		says "it is no file, but a pipe"
	done
	rm -r there/link there/pipe there/elsewhere
done
expect 2 timeout 20 "$IRQSCOPE" import <(cat "$TESTS/data/cyclictest-v.txt") --out there/piped
says "it is no file, but a pipe"
[ ! -e there/piped ] || fail "a refused recording left a directory"

left=$(ls -I '*.toml' -I said -I output -I there)
[ -z "$left" ] || fail "left behind: $left"
