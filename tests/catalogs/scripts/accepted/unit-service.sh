#!/bin/bash
cat > /app/units.py <<'EOF'
"""Answers 0 to everything."""
import sys
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from socketserver import StreamRequestHandler, TCPServer


class Web(BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b'{"value": 0, "from": "", "to": ""}')


class Line(StreamRequestHandler):
    def handle(self):
        self.wfile.write(b"0\n")


threading.Thread(target=HTTPServer(("127.0.0.1", int(sys.argv[1])), Web).serve_forever, daemon=True).start()
TCPServer(("127.0.0.1", int(sys.argv[2])), Line).serve_forever()
EOF
