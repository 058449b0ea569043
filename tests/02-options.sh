# SPDX-License-Identifier: Apache-2.0 OR MIT
# Goal: every option of the program occurs in a numbered test, or in a browser's steps, so that
# an option that no longer works is found.
# Runs: beside others
. tests/lib/lib.sh

python3 - "$IRQSCOPE" "$TESTS" <<'PY'
import pathlib, re, subprocess, sys
program, tests = sys.argv[1], pathlib.Path(sys.argv[2])
ALWAYS = {"--help", "--version"}


def options_of(*command):
    """Yields each option of a command and of its subcommands, from their own help."""
    text = subprocess.check_output([program, *command, "--help"], text=True)
    commands, _, rest = text.partition("\nOptions:\n")
    for option in re.findall(r"^ +(?:-\w, )?(--[a-z][a-z-]+)", rest, re.M):
        yield option, " ".join(command)
    _, _, listed = commands.partition("\nCommands:\n")
    for name in re.findall(r"^  ([a-z]+)", listed, re.M):
        if name != "help":
            yield from options_of(*command, name)


found = {}
for option, command in options_of():
    found.setdefault(option, set()).add(command)
assert len(found) > 80, f"only {len(found)} options were found in the help"
files = [*tests.glob("[0-9]*.sh"), *tests.glob("[0-9]*.mjs"), *tests.glob("lib/*.sh")]
used = set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", "\n".join(file.read_text() for file in files)))
unused = sorted(set(found) - used - ALWAYS)
for option in unused:
    print(f"no test uses {option} of {', '.join(sorted(found[option]))}")
print(f"{len(found)} options, {len(unused)} without a test")
sys.exit(bool(unused))
PY
