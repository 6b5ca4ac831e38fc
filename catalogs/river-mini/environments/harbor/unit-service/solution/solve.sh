#!/bin/bash
cat > /app/units.py <<'EOF'
"""A unit converter with an HTTP door and a line door."""
import json
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from socketserver import StreamRequestHandler, ThreadingTCPServer
from urllib.parse import parse_qs, urlsplit

METRES = {"m": 1.0, "km": 1000.0, "mi": 1609.344, "ft": 0.3048}


class Web(BaseHTTPRequestHandler):
    def do_GET(self):
        query = {key: values[0] for key, values in parse_qs(urlsplit(self.path).query).items()}
        try:
            value = float(query["value"]) * METRES[query["from"]] / METRES[query["to"]]
            status, body = 200, {"value": value, "from": query["from"], "to": query["to"]}
        except (KeyError, ValueError):
            status, body = 400, {}
        self.send_response(status)
        self.end_headers()
        self.wfile.write(json.dumps(body).encode())

    def log_message(self, *args):
        return


class Line(StreamRequestHandler):
    def handle(self):
        for raw in self.rfile:
            try:
                value, old, new = raw.decode().split()
                answer = repr(float(value) * METRES[old] / METRES[new])
            except (KeyError, ValueError):
                answer = "ERR"
            self.wfile.write((answer + "\n").encode())


ThreadingTCPServer.daemon_threads = ThreadingTCPServer.allow_reuse_address = True
web = ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Web)
threading.Thread(target=web.serve_forever, daemon=True).start()
ThreadingTCPServer(("127.0.0.1", int(sys.argv[2])), Line).serve_forever()
EOF
