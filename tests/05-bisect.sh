# SPDX-License-Identifier: Apache-2.0 OR MIT
# Goal: forty instructions that one of 64 commits of Linux adds to the path of an interrupt are found in
# at most 6 steps, and so is the commit that takes them out again; both are named with their function, and
# git replays the search. Halving finds the same. A commit that does not compile is skipped.
# Runs: beside others, in make soak
. tests/lib/lib.sh

"$IRQSCOPE" kernel build delayed-locking # for its source
tree=$WORK/linux
unpack_source "$tree"
commit() { git -C "$tree" -c user.name=a -c user.email=a@b commit -qam "$1"; }
git -C "$tree" init -q
git -C "$tree" add -A -f .
commit base
git -C "$tree" tag v0

# Its builds are of no use to anything else: they go with the test.
export IRQSCOPE_CACHE=$WORK/cache
cache_without "$IRQSCOPE_CACHE" builds drivers snapshots

# Most commits touch what the path does not execute, some its functions without changing them; of the
# first 64 one adds forty instructions and one does not compile, and of the 16 behind them one takes the
# forty out again.
files=(kernel/fork.c mm/mmap.c net/ipv4/tcp.c fs/namei.c kernel/sys.c drivers/tty/tty_io.c lib/string.c Documentation/index.rst
	arch/arm64/kernel/irq.c kernel/irq/chip.c kernel/irq/handle.c kernel/sched/core.c)
handler='	record_irq_time(desc);'
grep -qF "$handler" "$tree/kernel/irq/handle.c" || fail "the interrupt's path is another one"
for number in $(seq 80); do
	file=$tree/${files[number % ${#files[@]}]}
	case $number in
	23) sed -i "0,/^$handler/s//&\n	asm volatile(\".rept 40\\\\n\\\\tnop\\\\n\\\\t.endr\");/" "$tree/kernel/irq/handle.c" ;;
	24) echo 'does not compile' >>"$tree/kernel/sys.c" ;;
	25) sed -i '$d' "$tree/kernel/sys.c" ;;
	73) sed -i '/rept 40/d' "$tree/kernel/irq/handle.c" ;;
	*) printf '/* Change %s. */\n' "$number" >>"$file" ;;
	esac
	commit "change $number"
	git -C "$tree" tag "v$number"
done
git -C "$tree" diff v22 v23 | grep -q "rept 40" || fail "the forty instructions are not there"

search() { # NAME GOOD BAD [OPTION]
	expect 0 "$IRQSCOPE" bisect --git "$tree" --good "$2" --bad "$3" --decides irq --state idle --count 220 \
		--stage irq --stage user "${@:4}" --out "$WORK/$1"
	steps=$(sed -n 's/^steps: \([0-9]*\) in .*/\1/p' "$WORK/$1/found.txt")
	echo "$1: $steps steps, $(grep -c "checking out" "$WORK/said") kernels built"
	git -C "$tree" bisect replay "$WORK/$1/git-bisect.log" >"$WORK/replayed" 2>&1 || fail "git does not replay it"
	git -C "$tree" bisect reset >/dev/null 2>&1
}
search added v0 v64
[ "$steps" -le 6 ] || fail "$steps steps"
says "first bad: $(git -C "$tree" rev-parse --short=12 v23) change 23"
says "__handle_irq_event_percpu"
grep -q "is the first bad commit" "$WORK/replayed" || fail "git finds something else"
# Halving meets the commit that does not compile, and finds the same.
mkdir "$WORK/halved"
cp -a "$WORK/added/steps" "$WORK/halved"
search halved v0 v64 --unplanned
says "first bad: $(git -C "$tree" rev-parse --short=12 v23) change 23"
says "skip"
search removed v80 v64
[ "$steps" -le 6 ] || fail "$steps steps"
says "first good: $(git -C "$tree" rev-parse --short=12 v73) change 73"
grep -q "is the first fixed commit" "$WORK/replayed" || fail "git finds something else"
expect 2 "$IRQSCOPE" bisect --git "$tree" --good v0 --bad v22 --decides irq --state idle --count 220 \
	--stage irq --stage user --out "$WORK/nothing"
says "nothing differs between good and bad"
