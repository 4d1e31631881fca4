# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A store for shared caches: GET and PUT of files below a folder.

    store.py FOLDER PORT_FILE

The port goes to PORT_FILE. What FOLDER/mode says, it does from then on: `full` (takes nothing), `slow`
(answers after 20 s), `late` (the same after 1 s), `hang` (takes requests and says nothing), `lie` (answers with other bytes), `huge`
(never ends an answer), `grow` (the same, and it begins as an entry of 4 GB), `broken` (status 500), `away` (redirects), `forbidden` (wants a password).
"""

import base64
import http.server
import os
import pathlib
import struct
import sys
import time


class Store(http.server.BaseHTTPRequestHandler):
    """One connection."""

    protocol_version = "HTTP/1.1"
    folder = pathlib.Path()

    def mode(self):
        """What it should do."""
        path = self.folder / "mode"
        return path.read_text(encoding="utf-8").strip() if path.exists() else ""

    def answer(self, status, contents=b"", headers=()):
        """Sends a whole answer."""
        self.send_response(status)
        for name, value in headers:
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(contents)))
        self.end_headers()
        self.wfile.write(contents)

    def misbehaves(self):
        """Does what the mode says; False: nothing special."""
        mode = self.mode()
        wanted = "Basic " + base64.b64encode(b"me:secret").decode()
        time.sleep({"slow": 20, "late": 1, "hang": 600}.get(mode, 0))
        if mode == "broken":
            self.answer(500, b"no")
        elif mode == "away":
            self.answer(302, headers=[("Location", "http://127.0.0.1:1/")])
        elif mode == "forbidden" and self.headers.get("Authorization") != wanted:
            self.answer(401, headers=[("WWW-Authenticate", "Basic")])
        elif mode in ("huge", "grow"):
            self.send_response(200)
            self.send_header("Transfer-Encoding", "chunked")
            self.end_headers()
            if mode == "grow":
                key = bytes.fromhex("".join(self.path.split("/")[-2:]))
                self.wfile.write(b"58\r\n" + struct.pack("<8sQQ", b"uCache01", 4 << 30, 0) + key + bytes(32) + b"\r\n")
            while True:
                self.wfile.write(b"10000\r\n" + bytes(1 << 16) + b"\r\n")
        else:
            return False
        return True

    def do_GET(self):  # pylint: disable=invalid-name
        """A file, or 404."""
        self.log("GET")
        if self.misbehaves():
            return
        path = self.folder / self.path.lstrip("/")
        if not path.is_file():
            self.answer(404)
        elif self.mode() == "lie":
            self.answer(200, b"\0" * 5000)
        else:
            self.answer(200, path.read_bytes())

    def do_PUT(self):  # pylint: disable=invalid-name
        """Stores a file."""
        contents = self.rfile.read(int(self.headers["Content-Length"]))
        self.log("PUT")
        if self.mode() == "full":
            self.answer(507)
        elif not self.misbehaves():
            path = self.folder / self.path.lstrip("/")
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(contents)
            self.answer(201)

    def log(self, what):
        """A line for each request."""
        with open(self.folder / "requests", "a", encoding="utf-8") as file:
            file.write(what + "\n")

    def log_message(self, *_):
        """Nothing on standard error."""


def main():
    """Serves until it is killed."""
    Store.folder = pathlib.Path(sys.argv[1])
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Store)
    server.daemon_threads = True
    name = sys.argv[2] + ".new"
    pathlib.Path(name).write_text(str(server.server_port), encoding="utf-8")
    os.rename(name, sys.argv[2])
    server.serve_forever()


if __name__ == "__main__":
    main()
