# SPDX-License-Identifier: Apache-2.0 OR MIT
# Goal: what make install has put below a prefix is all that a measurement takes: an ordinary
# user, in another directory, on a machine where the sources and the build cannot be seen. Each
# subcommand has a manual page, shells complete scenarios, kernels and runs, a part that is
# missing is named with the places where it was looked for, and make uninstall leaves no file.
# Runs: beside others
. tests/lib/lib.sh

[ "$(id -u)" = 0 ] || skip root "hiding the sources takes a mount"
PLACE=$(mktemp -d /tmp/irqscope-installed.XXXXXX)
trap 'rm -rf "$PLACE"' EXIT
chmod 755 "$PLACE"
install_as=(PROFILE="$(basename "$(dirname "$(realpath "$IRQSCOPE")")")" DESTDIR="$PLACE" PREFIX=/usr)
expect 0 make install "${install_as[@]}"
expect 2 env DESTDIR="$PLACE" scripts/install "$WORK"
says "make build"

expect 0 "$IRQSCOPE" kernel fetch 6.1
mkdir -p "$PLACE/home/cache/kernels"
cp -a "$CACHE/kernels/6.1" "$PLACE/home/cache/kernels"
headers_anywhere "$PLACE/home/cache/kernels/6.1"
chmod -R a+rX "$PLACE"
chown -R 65534:65534 "$PLACE/home"

# Runs a command as a user without rights, in that user's directory, where the sources are hidden.
as_user() {
	env -i SOURCES="$PWD" PLACE="$PLACE" PATH="$PLACE/usr/bin:/usr/bin:/bin" HOME="$PLACE/home" \
		TMPDIR="$PLACE/home" unshare --mount sh -euc '
			mount -t tmpfs hidden "$SOURCES"
			cd "$PLACE/home"
			exec setpriv --reuid 65534 --regid 65534 --clear-groups \
				env -u SOURCES IRQSCOPE_CACHE="$PLACE/home/cache" "$@"' as-user "$@"
}
expect 2 as_user ls "$PWD/Makefile"

sed 's/^kernels = .*/kernels = ["6.1"]/; s/^count = .*/count = 50/' "$TESTS/scenarios/quick.toml" >"$PLACE/home/quick.toml"
expect 0 as_user irqscope run quick.toml --out runs/first --no-report
says "All 50 triggers are accounted for"

# Completion asks the program that is installed, as a shell does.
candidates() { # WORD...
	as_user bash -c '
		. "$1/usr/share/bash-completion/completions/irqscope"
		shift
		COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMP_TYPE=9
		_clap_complete_irqscope irqscope "${*: -1}"
		printf "%s\n" "${COMPREPLY[@]}"' bash "$PLACE" "$@"
}
expect 0 candidates irqscope run de
says demo
expect 0 candidates irqscope run qui
says quick.toml
expect 0 candidates irqscope run demo --kernel 6.1
says 6.1-rt
expect 0 candidates irqscope report ru
says runs/first
grep -q '^#compdef irqscope' "$PLACE/usr/share/zsh/site-functions/_irqscope" || fail "nothing for zsh"
grep -q '^complete .*irqscope' "$PLACE/usr/share/fish/vendor_completions.d/irqscope.fish" || fail "nothing for fish"

# A page for each subcommand, and for theirs.
for name in "" -run -kernel -kernel-fetch -generator-flash; do
	grep -q '^\.SH NAME' "$PLACE/usr/share/man/man1/irqscope$name.1" || fail "no page irqscope$name.1"
done
commands=$("$IRQSCOPE" --help | sed -n '/^Commands:/,/^$/s/^  \([a-z]*\).*/\1/p' | grep -v '^help$')
for name in $commands; do
	[ -s "$PLACE/usr/share/man/man1/irqscope-$name.1" ] || fail "no page for $name"
done
expect 0 "$IRQSCOPE" man --to "$WORK/man"
cmp "$WORK/man/irqscope-run.1" "$PLACE/usr/share/man/man1/irqscope-run.1"

# The definition for LAVA and its script are installed, too.
expect 0 as_user "$PLACE/usr/share/irqscope/integrations/lava/irqscope.sh" -r runs/first
says "user.outside.p50"
[ -s "$PLACE/usr/share/irqscope/integrations/lava/irqscope.yaml" ] || fail "no definition for LAVA"

rm "$PLACE/usr/lib/irqscope/libirqscope_twin.so"
expect 2 as_user irqscope run quick.toml --out runs/second
says "there is no libirqscope_twin.so in $PLACE/usr/bin, $PLACE/usr/lib/irqscope"
says "IRQSCOPE_PARTS"

expect 0 make uninstall "${install_as[@]}"
left=$(find "$PLACE/usr" -not -type d)
[ -z "$left" ] || fail "left behind: $left"
