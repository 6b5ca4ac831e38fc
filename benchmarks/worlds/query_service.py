"""Data querying: a service that answers questions about a database and is left running."""

from __future__ import annotations

import random

from . import pools
from .base import Task, family, fill, program
from .checks import suite
from .query_databases import BUILD, rows_of
from .text import brief


@family("lookup-service", domain="data_querying", kind="multi_protocol", skills=("sql", "http", "unix_sockets"),
    complexity="complex")
def lookup_service(rng: random.Random) -> Task:
    """A running service over a database: HTTP and a Unix socket, left running."""
    root = pools.root(rng)
    database, port = f"{root}/{rng.choice(('stock', 'parts', 'depot'))}.db", rng.randrange(18000, 28000)
    sock, noun = f"{root}/{rng.choice(('ask', 'query', 'svc'))}.sock", rng.choice(("article", "part", "item"))
    places, items = pools.some(rng, pools.CITIES, 5), pools.some(rng, pools.ITEMS, 15)
    rows = [(item, place, rng.randrange(0, 90)) for item in items for place in rng.sample(places, rng.randrange(1, 4))]
    rng.shuffle(rows)
    totals = {item: sum(count for name, _, count in rows if name == item) for item in items}
    at = {place: {item: count for item, where, count in rows if where == place and count > 0} for place in places}
    sql = f"CREATE TABLE {noun}s (name TEXT, place TEXT, count INTEGER);\nBEGIN;\n{rows_of(f'{noun}s', rows)}COMMIT;\n"
    text = brief(
        rng, "Stock look-up service",
        (f"Bring up a service that answers questions about the SQLite database `{database}`, and leave it running.",
         f"Start a look-up service for `{database}` (SQLite). It must still run when you are done.",
         f"We need a daemon on this machine that serves `{database}` in two ways."),
        [f"The database has the table `{noun}s` with the columns name, place and count.",
         f"HTTP on 127.0.0.1 port {port}: `GET /{noun}/NAME` gives status 200 and the JSON object with `name`, "
         "`total` (the sum of count over all places) and `places` (how many rows there are for it); an unknown name "
         "gives 404.",
         "`GET /place/PLACE` gives 200 and a JSON object that maps each name with a positive count at that place to "
         "the count; 404 for a place that does not occur.",
         f"The Unix stream socket `{sock}`: a client sends one name and a newline and gets the total and a newline "
         "back, `-1` for an unknown name. One question per connection is enough.",
         ],
        [("The service has to be running, detached from your shell, at the end. Write it in what you like.",
          "At the end both must answer, without any shell of yours being open. The language is free.")],
        example=("json", '{"name": "nothing", "total": 9999, "places": 77}'),
    )
    code = '''
        import json, os, socketserver, sqlite3, threading
        from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
        from urllib.parse import unquote
        def query(sql, *values):
            db = sqlite3.connect("@database@")
            try:
                return db.execute(sql, values).fetchall()
            finally:
                db.close()
        def total(name):
            return query("SELECT sum(count), count(*) FROM @noun@s WHERE name = ?", name)[0]
        class Web(BaseHTTPRequestHandler):
            def do_GET(self):
                area, _, name = unquote(self.path).lstrip("/").partition("/")
                answer = None
                if area == "@noun@":
                    count, places = total(name)
                    answer = {"name": name, "total": count, "places": places} if places else None
                elif area == "place" and query("SELECT 1 FROM @noun@s WHERE place = ?", name):
                    answer = dict(query("SELECT name, count FROM @noun@s WHERE place = ? AND count > 0", name))
                body = json.dumps(answer).encode()
                self.send_response(404 if answer is None else 200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)
            def log_message(self, *words):
                pass
        class Ask(socketserver.StreamRequestHandler):
            def handle(self):
                count, places = total(self.rfile.readline().decode().strip())
                self.wfile.write(f"{count if places else -1}\\n".encode())
        class Socket(socketserver.ThreadingMixIn, socketserver.UnixStreamServer):
            daemon_threads = True
        if os.path.exists("@sock@"):
            os.unlink("@sock@")
        threading.Thread(target=Socket("@sock@", Ask).serve_forever, daemon=True).start()
        ThreadingHTTPServer.allow_reuse_address = True
        ThreadingHTTPServer(("127.0.0.1", @port@), Web).serve_forever()
    '''
    make = {"database": database, "noun": noun, "sock": sock, "port": port}
    start = fill('''
        [ ! -f @root@/service.pid ] || kill "$(cat @root@/service.pid)" 2> /dev/null || true
        sleep 0.2
        setsid python3 @root@/service.py > /dev/null 2>&1 < /dev/null &
        echo $! > @root@/service.pid
        for n in $(seq 100); do
          python3 -c "import socket; socket.create_connection(('127.0.0.1', @port@)).close()" 2> /dev/null && exit 0
          sleep 0.1
        done
        exit 1
    ''', root=root, port=port)
    prelude = '''
        def ask(name):
            with socket.socket(socket.AF_UNIX) as link:
                link.settimeout(10)
                link.connect(SOCKET)
                link.sendall(name.encode() + b"\\n")
                return link.makefile().readline().strip()
    '''
    checks = {
        "totals_by_http": fill('''
            for name, count in TOTALS.items():
                status, body = http(PORT, "GET", "/@noun@/" + name)
                assert status == 200
                answer = json.loads(body)
                assert (answer["name"], answer["total"], answer["places"]) == (name, count, PLACES[name]), answer
            assert http(PORT, "GET", "/@noun@/absent")[0] == 404
        ''', noun=noun),
        "places_by_http": fill('''
            for place, wanted in AT.items():
                status, body = http(PORT, "GET", "/place/" + place)
                assert status == (200 if place in KNOWN else 404), place
                if status == 200:
                    assert json.loads(body) == wanted, place
        '''),
        "totals_by_socket": 'for name, count in TOTALS.items():\n'
                            '    assert ask(name) == str(count), name\n'
                            'assert ask("absent") == "-1"',
    }
    data = {"PORT": port, "SOCKET": sock, "TOTALS": totals, "AT": at, "KNOWN": sorted({place for _, place, _ in rows}),
            "PLACES": {item: sum(name == item for name, _, _ in rows) for item in items}}
    service = lambda text: program(f"{root}/service.py", text, mode="644", **make) + start  # noqa: E731
    return Task(
        text, suite(rng, checks, data=data, prelude=prelude), service(code),
        setup=f"mkdir -p {root}\n" + BUILD.format(database),
        setup_files={"data.sql": sql}, workdir=root,
        wrong={
            "not started": program(f"{root}/service.py", code, mode="644", **make),
            "zero counts": service(code.replace("AND count > 0", "")) if any( count == 0 for _, _,
            count in rows) else service(code.replace("AND count > 0", "AND count > 40")),
            "maximum": service(code.replace("sum(count)", "max(count)")),
        },
        equal={"all interfaces": service(code.replace('"127.0.0.1"', '"0.0.0.0"'))},
    )
