#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Prints the commands of a document as a shell script, exactly as they stand there:

    commands.py DOCUMENT

A block of commands is indented by four spaces, or fenced as `sh`, and its first line begins with a
program's name; other blocks show output. Of a YAML block that runs irqscope these are the lines of `run:`
and of `script:`; one that does not is a recipe for the project's own tests. Programs that test machines lack are left out with a line that says so. A command in the
middle of a sentence or in a table is not run.
"""
import pathlib
import re
import sys
import textwrap

RUN = {"irqscope", "cyclictest", "duckdb", "cat"}
# Programs that no test machine has, and what only an administrator should do.
LACKING = {"rtla", "latmus", "sudo"}


def blocks(text):
    """Yields each block of a Markdown text with its language: None where it is indented."""
    lines = text.splitlines()
    at = 0
    while at < len(lines):
        fence = re.match(r"```(\w*)$", lines[at])
        if fence:
            end = lines.index("```", at + 1)
            yield fence[1], lines[at + 1 : end]
            at = end
        elif lines[at].startswith("    ") and (at == 0 or not lines[at - 1].strip()):
            end = at
            while end < len(lines) and (lines[end].startswith("    ") or not lines[end].strip()):
                end += 1
            yield None, textwrap.dedent("\n".join(lines[at:end])).strip().splitlines()
            at = end
        at += 1


def steps(lines):
    """Returns the shell lines of a CI's YAML: of literals (`run: |`), single lines and lists of `script:`."""
    found, at = [], 0
    while at < len(lines):
        literal = re.match(r"( *)(?:- )?run: \|$", lines[at])
        listed = re.match(r"( *)script:$", lines[at])
        single = re.match(r" *(?:- )?run: ([^|].*)$", lines[at])
        if single:
            found.append(single[1])
        if literal or listed:
            depth = len((literal or listed)[1])
            while at + 1 < len(lines) and len(lines[at + 1]) - len(lines[at + 1].lstrip()) > depth:
                at += 1
                found.append(re.sub(r"^ *- ", "", lines[at]).strip() if listed else lines[at].strip())
        at += 1
    return found


def commands(text):
    """Yields the lines of all blocks of commands."""
    for language, lines in blocks(text):
        if language == "yaml":
            found = steps(lines)
            if not any(line.split()[0] == "irqscope" for line in found):
                continue
            for line in found:
                yield f": not on this machine: {line.split()[0]}" if line.split()[0] in LACKING else line
        elif language in (None, "sh") and lines and lines[0].split()[0] in RUN | LACKING:
            for line in lines:
                word = line.split()[0] if line.strip() else ""
                yield f": not on this machine: {word}" if word in LACKING else line


if __name__ == "__main__":
    print("\n".join(commands(pathlib.Path(sys.argv[1]).read_text())))
