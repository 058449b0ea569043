# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Holds the first screen in README against the one that the demo prints.

  89-first-screen.py SCREEN README [--update]
"""
import pathlib
import re
import sys

screen = pathlib.Path(sys.argv[1]).read_text().splitlines()
readme = pathlib.Path(sys.argv[2])
text = readme.read_text()
# The rows of the first stage.
ROWS = 4
INTRODUCES = "the run's directory):\n\n"

head = next(place for place, line in enumerate(screen) if line.startswith("stage"))
assert max(map(len, screen)) <= 80, max(screen, key=len)
assert head <= 20, f"the answer has {head} lines"
printed = screen[: head + 1 + ROWS]

begin = text.index(INTRODUCES) + len(INTRODUCES)
end = text.index("\n\n(`target/release", begin)
if "--update" in sys.argv:
    block = "\n".join(f"    {line}".rstrip() for line in printed)
    readme.write_text(text[:begin] + block + text[end:])
    sys.exit()
shown = [line.removeprefix("    ") for line in text[begin:end].splitlines()]


def words(lines):
    """Returns an answer without its figures, the stages that they are of, and its warnings."""
    whole = re.sub(r"\s+", " ", " ".join(lines))
    whole = re.sub(r"warning \d.*?(?=next: )", "", whole)
    whole = re.sub(r"(?<=/)(idle|load) \w+ [\d,.]+ µs", r"\1", whole)
    whole = re.sub(r"(In state load,) \w+ ", r"\1 STAGE ", whole)
    return re.sub(r"[\d,]*\d(\.\d+)?(?![-.\d])", "N", whole)


def idle(lines):
    """Returns the idle rows' medians by case."""
    rows = [line.split() for line in lines if "/idle " in line and "µs" not in line]
    return {row[-5]: row[-4] for row in rows}


answer = shown[: next(place for place, line in enumerate(shown) if line.startswith("stage"))]
assert words(answer).strip() == words(printed[:head]).strip(), (words(answer), words(printed[:head]))
assert idle(shown) == idle(printed) and len(idle(shown)) == 2, (idle(shown), idle(printed))
print(f"an answer of {head} lines, as in README")
