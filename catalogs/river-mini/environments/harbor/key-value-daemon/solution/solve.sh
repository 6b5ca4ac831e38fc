#!/bin/bash
cat > /app/kvd.py <<'EOF'
"""A key-value store with an HTTP door and a line door."""
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from socketserver import StreamRequestHandler, ThreadingTCPServer

DATA = {}


class Web(BaseHTTPRequestHandler):
    def reply(self, status, body=""):
        self.send_response(status)
        if status != 204:
            self.send_header("Content-Length", str(len(body.encode())))
        self.end_headers()
        self.wfile.write(body.encode())

    def do_GET(self):
        value = DATA.get(self.path.removeprefix("/k/"))
        self.reply(404) if value is None else self.reply(200, value)

    def do_PUT(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        DATA[self.path.removeprefix("/k/")] = body.decode()
        self.reply(204)

    def do_DELETE(self):
        self.reply(204 if DATA.pop(self.path.removeprefix("/k/"), None) is not None else 404)

    def log_message(self, *args):
        return


class Line(StreamRequestHandler):
    def handle(self):
        for raw in self.rfile:
            self.wfile.write((self.answer(raw.decode().rstrip("\r\n").split(" ", 2)) + "\n").encode())

    def answer(self, words):
        if words[0] == "SET" and len(words) == 3:
            DATA[words[1]] = words[2]
            return "OK"
        if words[0] == "GET" and len(words) == 2:
            return DATA.get(words[1], "NONE")
        return str(len(DATA)) if words == ["COUNT"] else "ERR"


ThreadingTCPServer.daemon_threads = ThreadingTCPServer.allow_reuse_address = True
web = ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Web)
threading.Thread(target=web.serve_forever, daemon=True).start()
ThreadingTCPServer(("127.0.0.1", int(sys.argv[2])), Line).serve_forever()
EOF
