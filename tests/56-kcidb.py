# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Submits an export to a stand-in for KernelCI's receiver, which answers as kcidb-restd-rs does.

  56-kcidb.py EXPORT
"""
import http.server
import json
import os
import subprocess
import sys
import threading

from kcidb_io.schema import V5_3

TOKEN = "a.secret+token"
EXPORT = sys.argv[1]
received = []


class Receiver(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if self.headers.get("Authorization") != f"Bearer {TOKEN}":
            return self.answer(401, {"id": "0", "status": "error", "message": "InvalidToken"})
        if self.path != "/submit":
            return self.answer(404, None)
        received.append(V5_3.validate(json.loads(body)))
        return self.answer(200, {"id": "b7Qx", "status": "ok", "message": "Received"})

    def answer(self, status, said):
        self.send_response(status)
        self.end_headers()
        self.wfile.write(b"no page" if said is None else json.dumps(said).encode())

    def log_message(self, *_):
        pass


def submit(*words, receiver=None, stdin=None):
    environment = {name: value for name, value in os.environ.items() if name != "KCIDB_REST"}
    if receiver is not None:
        environment["KCIDB_REST"] = receiver
    environment["PYTHONPATH"] = "python"
    command = [sys.executable, "-m", "irqscope.kcidb", *words]
    done = subprocess.run(command, env=environment, stdin=stdin, capture_output=True, text=True)
    assert TOKEN not in done.stdout + done.stderr, done
    return done.returncode, done.stdout.strip(), done.stderr


def refused(text, *words, **how):
    status, out, said = submit(*words, **how)
    assert status == 1 and not out and text in said and "remedy: " in said and "Traceback" not in said, (text, said)


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Receiver)
threading.Thread(target=server.serve_forever, daemon=True).start()
address = f"127.0.0.1:{server.server_port}"
good = f"http://{TOKEN.replace('+', '%2B')}@{address}/"

with open(EXPORT) as file:
    assert submit(receiver=good, stdin=file) == (0, "b7Qx", "")
assert submit(EXPORT, "--to", good.rstrip("/")) == (0, "b7Qx", "")
assert received == [V5_3.validate(json.load(open(EXPORT)))] * 2

refused("no receiver is named", EXPORT)
refused("is no address", EXPORT, receiver="db.kernelci.org")
refused("is no address", EXPORT, receiver="http://[x")
refused("InvalidToken", EXPORT, receiver=f"http://other@{address}")
refused("InvalidToken", EXPORT, receiver=f"http://{address}")
refused("status 404", EXPORT, receiver=good + "elsewhere")
refused("http would show the token", EXPORT, receiver=f"http://{TOKEN}@db.kernelci.org/")
refused("is no JSON", __file__, receiver=good)
server.shutdown()
server.server_close()
refused("cannot be reached", EXPORT, receiver=good)
assert len(received) == 2
print("submitted, with the token in a header and in no message")
