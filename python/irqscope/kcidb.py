# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Submits what `irqscope export --format kcidb` writes to KernelCI's database.

    irqscope export RUN --format kcidb --origin lab --build maestro:6700 | python -m irqscope.kcidb

The receiver is named as KernelCI names it, `https://TOKEN@db.kernelci.org/`, by `--to` or by the variable
`KCIDB_REST`; it takes JSON at `/submit`, with the token in a header:
https://github.com/kernelci/kcidb-ng/blob/main/SUBMITTERS.md
"""

from __future__ import annotations

import argparse
import ipaddress
import json
import os
import sys
import urllib.error
import urllib.request
from typing import IO, Any
from urllib.parse import unquote, urlsplit, urlunsplit

from .errors import Error

VARIABLE = "KCIDB_REST"
# How long the receiver may take, in seconds.
LIMIT = 60
# Of an answer, in bytes: what is longer is no receiver's.
LONGEST = 1 << 16


def submit(submission: dict[str, Any], receiver: str) -> str:
    """Submits a submission of KCIDB's schema, and returns the receiver's name for it.

    Args:
        submission: as `irqscope export --format kcidb` writes it.
        receiver: `https://TOKEN@HOST/`; `http` on this machine only, because the token is readable on the way.

    Raises:
        Error: the address is wrong, or the receiver cannot be reached or refuses it. The token is in no message.
    """
    url, token = _address(receiver)
    headers = {"Content-Type": "application/json"} | ({"Authorization": f"Bearer {token}"} if token else {})
    request = urllib.request.Request(url, json.dumps(submission).encode(), headers)
    try:
        with urllib.request.urlopen(request, timeout=LIMIT) as reply:
            said = reply.read(LONGEST)
    except urllib.error.HTTPError as error:
        message, remedy = _refusal(error)
        raise Error(f"{url} refused the submission: {message}", remedy) from None
    except (urllib.error.URLError, OSError) as error:
        raise Error(f"{url} cannot be reached: {getattr(error, 'reason', error)}", f"see {VARIABLE} or --to") from None
    answer = _json(said)
    if answer.get("status") != "ok" or not isinstance(answer.get("id"), str):
        raise Error(f"{url} answers {said[:200]!r}", "name the address of KCIDB's receiver, without /submit")
    return str(answer["id"])


def _address(receiver: str) -> tuple[str, str]:
    """Returns where to submit to, and the token."""
    remedy = f"write {VARIABLE}=https://TOKEN@HOST/, or --to"
    try:
        parts = urlsplit(receiver)
        host, port = parts.hostname, parts.port
    except ValueError:
        raise Error("that is no address of a receiver", remedy) from None
    if parts.scheme not in ("http", "https") or not host:
        raise Error("that is no address of a receiver", remedy)
    token = unquote(parts.username or "")
    if token and parts.scheme == "http" and not _is_here(host):
        raise Error(f"http would show the token on the way to {host}", "write https://")
    place = f"[{host}]" if ":" in host else host
    netloc = place if port is None else f"{place}:{port}"
    return urlunsplit((parts.scheme, netloc, parts.path.rstrip("/") + "/submit", "", "")), token


def _is_here(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _refusal(error: urllib.error.HTTPError) -> tuple[str, str]:
    said = _json(error.read(LONGEST)).get("message") or error.reason
    if error.code in (401, 403):
        return str(said), "ask KernelCI for a token, and write it before the @ of the address"
    return f"{said} (status {error.code})", "see that the address is that of KCIDB's receiver"


def _json(said: bytes) -> dict[str, Any]:
    try:
        answer = json.loads(said)
    except ValueError:
        return {}
    return answer if isinstance(answer, dict) else {}


def _read(file: IO[str]) -> dict[str, Any]:
    try:
        submission = json.load(file)
    except ValueError as error:
        raise Error(f"{file.name} is no JSON: {error}", "write it by irqscope export --format kcidb") from None
    if not isinstance(submission, dict) or "version" not in submission or not submission.get("tests"):
        raise Error(f"{file.name} has no tests of KCIDB's schema", "write it by irqscope export --format kcidb")
    return submission


def main() -> None:
    """Submits a file, or the standard input."""
    parser = argparse.ArgumentParser(prog="python -m irqscope.kcidb", description=main.__doc__)
    parser.add_argument("file", nargs="?", default="-", help="what irqscope export --format kcidb wrote; - is stdin")
    parser.add_argument(
        "--to", default=os.environ.get(VARIABLE), metavar="URL", help=f"https://TOKEN@HOST/; ${VARIABLE} by default"
    )
    options = parser.parse_args()
    try:
        if not options.to:
            raise Error("no receiver is named", f"write {VARIABLE}=https://TOKEN@HOST/, or --to")
        if options.file == "-":
            submission = _read(sys.stdin)
        else:
            with open(options.file, encoding="utf-8") as file:
                submission = _read(file)
        print(submit(submission, options.to))
    except OSError as error:
        sys.exit(f"irqscope.kcidb: {error}")
    except Error as error:
        sys.exit(f"irqscope.kcidb: {error.message}" + (f"\n  remedy: {error.remedy}" if error.remedy else ""))


if __name__ == "__main__":
    main()
