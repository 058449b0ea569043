# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Verdicts of tests/run: the closing lines, TAP, JUnit, and the file of durations.

Each run appends a line per test to test-durations.csv in the cache (IRQSCOPE_DURATIONS
names another file): when, the commit, the test, its verdict, seconds. A test that fails
now and then, or becomes slower, is found there; and the longest tests are begun first.
"""
import csv
import dataclasses
import datetime
import os
import pathlib
import re
import statistics
import subprocess
import xml.etree.ElementTree as xml

LEFT = "left to make soak"
WORDS = {"passed": "ok     ", "failed": "FAILED ", "skipped": "skipped"}
CACHE = os.environ.get("XDG_CACHE_HOME", pathlib.Path.home() / ".cache")
CACHE = pathlib.Path(os.environ.get("IRQSCOPE_CACHE", pathlib.Path(CACHE) / "irqscope"))
DURATIONS = pathlib.Path(os.environ.get("IRQSCOPE_DURATIONS", CACHE / "test-durations.csv"))
COLUMNS = ["when", "commit", "test", "verdict", "seconds"]
SLOWEST = 5
# Lines of a failed test that are repeated at the end, where a log of hours is looked at first.
LAST_LINES = 12


@dataclasses.dataclass
class Result:
    name: str
    verdict: str
    reason: str
    seconds: float
    output: str
    booted_twice: list


def left(name):
    """Returns the result of a test that make soak runs."""
    return Result(name, "skipped", LEFT, 0.0, "", [])


def rows():
    """Returns the lines of the file of durations; those of several files put together are in no order."""
    try:
        with open(DURATIONS, newline="", encoding="utf-8") as file:
            found = [row for row in csv.DictReader(file) if row["when"] != COLUMNS[0]]
    except FileNotFoundError:
        return []
    return sorted(found, key=lambda row: row["when"])


def last_durations():
    """Returns the seconds that each test took when it last passed."""
    return {row["test"]: float(row["seconds"]) for row in rows() if row["verdict"] == "passed"}


def trend(names):
    """Returns a table of tests: how often each passed and failed, the median of its durations, the
    last one and the quotient of both, the most grown first."""
    table = []
    found = rows()
    for name in names:
        own = [row for row in found if row["test"] == name]
        passed = [float(row["seconds"]) for row in own if row["verdict"] == "passed"]
        if passed:
            failed = sum(row["verdict"] == "failed" for row in own)
            median = statistics.median(passed)
            table.append((passed[-1] / max(median, 0.1), name, len(passed), failed, median, passed[-1]))
    lines = [f"{'test':<28}{'passed':>8}{'failed':>8}{'median':>9}{'last':>9}{'times':>7}"]
    for times, name, passed, failed, median, last in sorted(table, reverse=True):
        lines.append(f"{name:<28}{passed:>8}{failed:>8}{median:>8.1f}s{last:>8.1f}s{times:>7.2f}")
    return "\n".join(lines)


def remember(results):
    commit = subprocess.run(
        ["git", "describe", "--always", "--dirty"], capture_output=True, text=True, check=False).stdout.strip()
    now = datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds")
    DURATIONS.parent.mkdir(parents=True, exist_ok=True)
    with open(DURATIONS, "a", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        if not file.tell():
            writer.writerow(COLUMNS)
        for result in results:
            if result.reason == LEFT:
                continue
            writer.writerow([now, commit, result.name, result.verdict, f"{result.seconds:.1f}"])


def write(results, tap_path, junit_path):
    for path, text in (tap_path, tap), (junit_path, junit):
        if path:
            pathlib.Path(path).write_text(text(results), encoding="utf-8")


def tap(results):
    lines = ["TAP version 13", f"1..{len(results)}"]
    for number, result in enumerate(results, 1):
        mark = "not ok" if result.verdict == "failed" else "ok"
        skip = f" # SKIP {result.reason}" if result.verdict == "skipped" else ""
        lines.append(f"{mark} {number} - {result.name}{skip}")
        if result.verdict == "failed":
            lines.append(f"# {result.reason}")
            lines += [f"# {said}" for said in result.output.splitlines()[-30:]]
        lines.append(f"# time={result.seconds:.1f}s")
    return "\n".join(lines) + "\n"


def junit(results):
    def count(verdict):
        return str(sum(result.verdict == verdict for result in results))

    suite = xml.Element("testsuite", name="irqscope", tests=str(len(results)), failures=count("failed"),
                        skipped=count("skipped"), time=f"{sum(result.seconds for result in results):.1f}")
    for result in results:
        case = xml.SubElement(suite, "testcase", classname="tests", name=result.name, time=f"{result.seconds:.1f}")
        if result.verdict == "failed":
            xml.SubElement(case, "failure", message=result.reason).text = printable(result.output)
        if result.verdict == "skipped":
            xml.SubElement(case, "skipped", message=result.reason)
    return xml.tostring(suite, encoding="unicode", xml_declaration=True) + "\n"


def printable(text):
    """XML 1.0 knows no control characters but these three."""
    return "".join(char for char in text if char >= " " or char in "\n\t\r")


def summary(results, booted_twice_limit):
    """Prints the end of what failed tests said, the slowest tests, guests that were booted twice, and the closing line.
    Returns whether all is well."""
    for result in (result for result in results if result.verdict == "failed"):
        print(f"{result.name} failed, {result.reason}:")
        print("\n".join(f"    {line}" for line in result.output.splitlines()[-LAST_LINES:]))
    if len(results) > SLOWEST:
        slowest = sorted(results, key=lambda result: -result.seconds)[:SLOWEST]
        print("slowest:", ", ".join(f"{result.name} {result.seconds:.0f} s" for result in slowest))
    hung = [console for result in results for console in result.booted_twice]
    if hung:
        print(f"guests booted twice: {len(hung)}, limit {booted_twice_limit}:", *hung)
    wholly = sum(result.reason == LEFT for result in results)
    partly = [f"{result.name}: {text}" for result in results for text in re.findall(f"^{LEFT}: (.*)", result.output, re.M)]
    if wholly or partly:
        print(f"{LEFT}: {wholly} tests;", "; ".join(partly) or "of others nothing")
    results = [result for result in results if result.reason != LEFT]
    counts = {verdict: sum(result.verdict == verdict for result in results) for verdict in WORDS}
    print(", ".join(f"{count} {verdict}" for verdict, count in counts.items()))
    return not counts["failed"] and len(hung) <= booted_twice_limit
