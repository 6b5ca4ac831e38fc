"""Data processing: a collector that is fed and asked over several protocols."""

from __future__ import annotations

import random

from . import pools
from .base import Task, family, fill, program
from .checks import suite
from .text import brief


@family("telemetry-gateway", domain="data_processing", kind="multi_protocol", skills=("udp", "http", "streams"),
    complexity="complex", language="python")
def telemetry_gateway(rng: random.Random) -> Task:
    """Readings over UDP and HTTP, aggregates over HTTP and a line protocol."""
    path = f"{pools.root(rng)}/{rng.choice(('gateway.py', 'collector.py'))}"
    unit = rng.choice(("sensor", "probe", "meter"))
    names, sent = pools.some(rng, pools.WORDS, 4), []
    for number in range(40):
        sent.append([rng.choice(("udp", "http")), rng.choice(names) if number > 3 else names[number],
            rng.randrange(-400, 900)])
    wanted = {}
    for _, name, value in sent:
        entry = wanted.setdefault(name, {"count": 0, "min": value, "max": value, "sum": 0})
        wanted[name] = {"count": entry["count"] + 1, "min": min(entry["min"], value), "max": max(entry["max"], value),
            "sum": entry["sum"] + value}
    text = brief(
        rng, "Telemetry gateway",
        (f"Write the telemetry gateway `{path}`.",
         f"Please implement `{path}`, a collector of {unit} readings in Python.",
         f"Devices send readings in two ways; `{path}` is to collect them."),
        [f"It is started as `python3 {path} UDP_PORT HTTP_PORT TCP_PORT`, uses 127.0.0.1 and runs until it is killed.",
         "UDP: each datagram is `NAME VALUE` (VALUE an integer) in ASCII. A good datagram is answered by a datagram "
         "`ok`, any other one by `error` and otherwise ignored.",
         f"HTTP: `POST /{unit}s` with a JSON object `{{\"name\": ..., \"value\": ...}}` adds a reading and answers "
         "201; a body that is not such an object (name a string, value an integer) is answered by 400. `GET "
         f"/{unit}s/NAME` gives 200 and a JSON object with `count`, `min`, `max` and `sum` of all readings of that "
         "name, however they came, or 404.",
         "TCP: a client sends `NAME` and a newline and gets `COUNT MIN MAX SUM` and a newline, or `none`. A "
         "connection may be used for several questions."],
        [("All three sides share the data. A reading is visible everywhere as soon as it has been answered.",
          "As soon as a reading has been acknowledged it must count in every answer, on either side."),
         "Use the standard library only."],
        example=("", "> nothing\n< none"),
    )
    code = '''
        import json, socketserver, sys, threading
        from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
        data, lock = {}, threading.Lock()
        def add(name, value):
            with lock:
                data.setdefault(name, []).append(value)
        class Datagrams(socketserver.BaseRequestHandler):
            def handle(self):
                text, sock = self.request
                try:
                    name, value = text.decode().split()
                    add(name, int(value))
                    answer = b"ok"
                except ValueError:
                    answer = b"error"
                sock.sendto(answer, self.client_address)
        class Lines(socketserver.StreamRequestHandler):
            def handle(self):
                for raw in self.rfile:
                    with lock:
                        v = list(data.get(raw.decode().strip(), []))
                    self.wfile.write((f"{len(v)} {min(v)} {max(v)} {sum(v)}" if v else "none").encode() + b"\\n")
        class Web(BaseHTTPRequestHandler):
            def reply(self, status, body=None):
                text = json.dumps(body).encode()
                self.send_response(status)
                self.send_header("Content-Length", str(len(text)))
                self.end_headers()
                self.wfile.write(text)
            def do_POST(self):
                try:
                    body = json.loads(self.rfile.read(int(self.headers.get("Content-Length", 0))))
                    good = self.path == "/@unit@s" and isinstance(body["name"], str) and type(body["value"]) is int
                except (ValueError, KeyError, TypeError):
                    good = False
                if good:
                    add(body["name"], body["value"])
                self.reply(201 if good else 400)
            def do_GET(self):
                with lock:
                    v = list(data.get(self.path.removeprefix("/@unit@s/"), []))
                if not v:
                    return self.reply(404)
                self.reply(200, {"count": len(v), "min": min(v), "max": max(v), "sum": sum(v)})
            def log_message(self, *words):
                pass
        socketserver.ThreadingTCPServer.allow_reuse_address = True
        udp, web, tcp = map(int, sys.argv[1:])
        servers = [socketserver.UDPServer(("127.0.0.1", udp), Datagrams),
                   socketserver.ThreadingTCPServer(("127.0.0.1", tcp), Lines),
                   ThreadingHTTPServer(("127.0.0.1", web), Web)]
        threads = [threading.Thread(target=s.serve_forever) for s in servers]
        for t in threads:
            t.start()
    '''
    prelude = '''
        def datagram(port, text, patience=10):
            with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as link:
                link.settimeout(patience)
                link.sendto(text.encode(), ("127.0.0.1", port))
                return link.recv(100).decode().strip()
    '''
    checks = {"gateway": fill('''
        udp, web, tcp = free_port(), free_port(), free_port()
        with serving(["python3", "@path@", str(udp), str(web), str(tcp)], web, tcp):
            for _ in range(100):
                with contextlib.suppress(OSError):
                    assert datagram(udp, "still starting up", 0.1) == "error"
                    break
            for way, name, value in SENT:
                if way == "udp":
                    assert datagram(udp, "%s %d" % (name, value)) == "ok"
                else:
                    assert http(web, "POST", "/@unit@s", json.dumps({"name": name, "value": value}))[0] == 201
            assert datagram(udp, "no number here") == "error"
            for body in ('{"name": "x"}', "[1]", "nonsense", '{"name": "x", "value": "12"}'):
                assert http(web, "POST", "/@unit@s", body)[0] == 400, body
            for name, wanted in WANTED.items():
                status, body = http(web, "GET", "/@unit@s/" + name)
                assert status == 200 and same(json.loads(body), wanted), name
            assert http(web, "GET", "/@unit@s/x")[0] == 404
            lines = ["%d %d %d %d" % (w["count"], w["min"], w["max"], w["sum"]) for w in WANTED.values()]
            assert talk(tcp, [*WANTED, "x"]) == [*lines, "none"]
    ''', path=path, unit=unit)}
    make = {"unit": unit}
    return Task(
        text, suite(rng, checks, data={"SENT": sent, "WANTED": wanted}, prelude=prelude),
            program(path, code, mode="644", **make), workdir=path.rsplit("/", 1)[0],
        wrong={
            "maximum": program(path, code.replace("{max(v)}", "{v[-1]}"), **make),
            "accepts text": program(path, code.replace("type(body[\"value\"]) is int", "body[\"value\"] is not None"),
            **make),
            "udp lost": program(path, code.replace("add(name, int(value))", "int(value)"), **make),
        },
        equal={"all interfaces": program(path, code.replace('"127.0.0.1"', '"0.0.0.0"'), **make)},
    )
