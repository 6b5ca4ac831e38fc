"""Data querying: SQLite databases that are asked, changed and served."""

from __future__ import annotations

import random

from . import pools
from .base import Task, after, family, fill, program, python
from .checks import suite
from .text import brief

_BUILD = """python3 - <<'PYTHON'
import sqlite3
base = sqlite3.connect("{0}")
base.executescript(open("/opt/setup/data.sql").read())
base.close()
PYTHON
"""


def _rows(table: str, rows: list[tuple]) -> str:
    return "".join(f"INSERT INTO {table} VALUES ({', '.join('NULL' if v is None else repr(v) for v in row)});\n"
        for row in rows)


@family("revenue-report", domain="data_querying", kind="exact_text", skills=("sql", "aggregation"))
def revenue_report(rng: random.Random) -> Task:
    """Net revenue per city and month from a database, as CSV."""
    root = pools.root(rng)
    database = f"{root}/{rng.choice(('shop', 'sales', 'orders'))}.db"
    out = f"{root}/{rng.choice(('revenue', 'turnover'))}.csv"
    year, floor = rng.randrange(2021, 2026), rng.choice((50, 80, 120))
    cities, people = pools.some(rng, pools.CITIES, 5), pools.some(rng, pools.PEOPLE, 12)
    customers = [(number, name, rng.choice(cities)) for number, name in enumerate(people, 1)]
    orders, lines = [], []
    for number in range(1, 130):
        date = f"{rng.choice((year, year, year, year - 1))}-{rng.randrange(1, 5):02}-{rng.randrange(1, 29):02}"
        orders.append((number, rng.randrange(1, 13), date, rng.choice(("paid", "paid", "paid", "cancelled", "open"))))
        lines += [(number, item, rng.randrange(1, 6), rng.randrange(100, 5000), rng.choice((0, 0, 10, 25)))
                  for item in pools.some(rng, pools.ITEMS, rng.randrange(1, 4))]
    city_of = {number: city for number, _, city in customers}
    totals: dict[tuple[str, str], int] = {}
    counts: dict[tuple[str, str], set] = {}
    for number, buyer, date, state in orders:
        if state == "paid" and date.startswith(str(year)):
            key = (city_of[buyer], date[:7])
            totals[key] = totals.get(key, 0) + sum(q * p * (100 - d) for o, _, q, p, d in lines if o == number)
            counts.setdefault(key, set()).add(number)
    wanted = [[city, month, len(counts[city, month]), total / 10000] for (city, month),
        total in sorted(totals.items()) if total >= floor * 10000]
    schema = ("CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT, city TEXT);\nCREATE TABLE orders (id "
              "INTEGER PRIMARY KEY, customer INTEGER, day TEXT, state TEXT);\nCREATE TABLE lines (order_id INTEGER, "
              "item TEXT, quantity INTEGER, unit_cents INTEGER, discount INTEGER);\nBEGIN;\n")
    sql = schema + _rows("customers", customers) + _rows("orders", orders) + _rows("lines", lines) + "COMMIT;\n"
    text = brief(
        rng, "Revenue report",
        (f"Make a revenue report from the SQLite database `{database}`.",
         f"Accounting asks for the revenue of {year} per city and month; the data is in `{database}` (SQLite).",
         f"Query `{database}` for the revenue by city and month."),
        ["The tables are `customers` (id, name, city), `orders` (id, customer, day as YYYY-MM-DD, state) and "
         "`lines` (order_id, item, quantity, unit_cents, discount in percent).",
         (f"Only orders in state `paid` whose day lies in {year} count.",
          f"Take paid orders (`state` is `paid`) of the year {year} only."),
         "The value of a line is quantity times unit price, less its discount; prices are in cents, the report is "
         "in whole currency units (100 cents).",
         (f"Leave out combinations of city and month with a revenue below {floor}.",
          f"A city's month appears only if its revenue is at least {floor}.")],
        [(f"Write `{out}` with the header `city,month,orders,revenue` and one row per city (of the customer) and "
          "month (`YYYY-MM`), sorted by city, then month. `orders` is the number of orders, `revenue` has at least "
          "two decimals and may be off by at most 0.005.",
          f"The report is the CSV file `{out}`, columns `city,month,orders,revenue` (with this header), ordered by "
          "city and month. Months look like `YYYY-MM`; `orders` counts orders, not lines; `revenue` is given to two "
          "decimals or more, within 0.005 of the exact value.")],
        example=("csv", "city,month,orders,revenue\nNowhere,1999-01,7,1234.50\nUtopia,1999-02,3,99.25"),
    )
    solve = python('''
        import sqlite3
        db = sqlite3.connect("@database@")
        rows = db.execute("""
            SELECT city, substr(day, 1, 7) AS month, count(DISTINCT o.id),
                   sum(quantity * unit_cents * (100 - discount)) / 10000.0 AS total
            FROM orders o JOIN customers c ON c.id = o.customer JOIN lines l ON l.order_id = o.id
            WHERE state = 'paid' AND day LIKE '@year@-%'
            GROUP BY city, month HAVING total >= @floor@ ORDER BY city, month""")
        with open("@out@", "w") as out:
            out.write("city,month,orders,revenue\\n")
            for city, month, count, total in rows:
                out.write(f"{city},{month},{count},{total:.4f}\\n")
    ''', database=database, out=out, year=year, floor=floor)
    checks = {
        "header": f'assert next(csv.reader(io.StringIO(read("{out}")))) == ["city", "month", "orders", "revenue"]',
        "rows": fill('''
            rows = [row for row in csv.reader(io.StringIO(read("@out@"))) if row][1:]
            assert [row[:2] for row in rows] == [row[:2] for row in WANTED]
            for (city, month, orders, revenue), (_, _, count, total) in zip(rows, WANTED):
                assert float(orders) == count, (city, month)
                assert abs(float(revenue) - total) <= 0.00501, (city, month)
        ''', out=out),
    }
    return Task(
        text, suite(rng, checks, data={"WANTED": wanted}), solve, setup=f"mkdir -p {root}\n" + _BUILD.format(database),
        setup_files={"data.sql": sql}, workdir=root,
        wrong={"one order more": after(f"awk -F, -v OFS=, 'NR==2{{$3++}}1' {out} > /tmp/r; cp /tmp/r {out}"),
               "one cent": after(f"awk -F, -v OFS=, 'NR==3{{$4+=0.02}}1' {out} > /tmp/r; cp /tmp/r {out}"),
               "data gone": f"rm {database}; echo city,month,orders,revenue > {out}"},
        equal={"two decimals": after(
            f"""awk -F, -v OFS=, 'NR>1{{$4=sprintf("%.2f",$4)}}1' {out} > /tmp/r; cp /tmp/r {out}"""),
               "quoted crlf": after(f"""sed -i 's/^\\([^,]*\\)/"\\1"/; s/$/\\r/' {out}""")},
    )


@family("schema-migration", domain="data_querying", kind="exact_text", skills=("sql", "normalisation"),
    complexity="complex")
def schema_migration(rng: random.Random) -> Task:
    """A flat table split into three, inside the database."""
    root = pools.root(rng)
    database = f"{root}/{rng.choice(('library', 'loans', 'catalogue'))}.sqlite"
    flat = rng.choice(("raw", "import", "flat"))
    authors, titles = pools.some(rng, pools.PEOPLE, 7), pools.some(rng, pools.WORDS, 14)
    writer = {title: rng.choice(authors) for title in titles}
    rows = []
    for number in range(1, 61):
        title = rng.choice(titles)
        spaces = rng.choice(("", "", " ", "  "))
        rows.append((number, spaces + rng.choice((writer[title], writer[title].title())) + spaces, title,
                     f"2024-{rng.randrange(1, 13):02}-{rng.randrange(1, 29):02}",
                     rng.choice((None, rng.randrange(1, 40)))))
    used = sorted({title for _, _, title, _, _ in rows})
    wanted = {"people": sorted({writer[title] for title in used}), "works": [[title, writer[title]] for title in used],
              "loans": [[number, title, day, days] for number, _, title, day, days in rows if days is not None]}
    sql = f'CREATE TABLE "{flat}" (id INTEGER, author TEXT, title TEXT, day TEXT, days INTEGER);\n'
    sql += f'BEGIN;\n{_rows(flat, rows)}COMMIT;\n'
    text = brief(
        rng, "Normalise the database",
        (f"Split the table `{flat}` of the SQLite database `{database}` into proper tables.",
         f"`{database}` (SQLite) has one flat table `{flat}`. Please normalise it.",
         f"Migrate `{database}`: the table `{flat}` is to be replaced by three tables."),
        ["`people(id INTEGER PRIMARY KEY, name TEXT UNIQUE)`: every author once. Author names in the flat table "
         "vary in case and have blanks around them; the stored name is lower case without surrounding blanks.",
         "`works(id INTEGER PRIMARY KEY, title TEXT UNIQUE, person INTEGER)`: every title once, `person` being the "
         "id of its author in `people`.",
         (f"`loans(id INTEGER PRIMARY KEY, work INTEGER, day TEXT, days INTEGER)`: one row per row of `{flat}` whose "
          "`days` is not NULL, with the same id, day and days; `work` is the id in `works`.",
          "`loans(id INTEGER PRIMARY KEY, work INTEGER, day TEXT, days INTEGER)` keeps id, day and days of each "
          f"`{flat}` row and refers to `works` by `work`. Rows without `days` (NULL) are dropped.")],
        [(f"Afterwards the table `{flat}` no longer exists. Which ids `people` and `works` use is up to you.",
          f"Drop `{flat}` when done. The ids in `people` and `works` are your choice.")],
        table=[("people", "authors"), ("works", "titles with their author"), ("loans", "the events")],
    )
    solve = python('''
        import sqlite3
        db = sqlite3.connect("@database@")
        if db.execute("SELECT 1 FROM sqlite_master WHERE name = '@flat@'").fetchone():
            db.executescript("""
                CREATE TABLE people (id INTEGER PRIMARY KEY, name TEXT UNIQUE);
                CREATE TABLE works (id INTEGER PRIMARY KEY, title TEXT UNIQUE, person INTEGER REFERENCES people(id));
                CREATE TABLE loans (id INTEGER PRIMARY KEY, work INTEGER REFERENCES works(id), day TEXT, days INTEGER);
                INSERT INTO people (name) SELECT DISTINCT lower(trim(author)) FROM "@flat@" ORDER BY 1;
                INSERT INTO works (title, person) SELECT DISTINCT title, p.id FROM "@flat@" f
                    JOIN people p ON p.name = lower(trim(f.author));
                INSERT INTO loans SELECT f.id, w.id, day, days FROM "@flat@" f
                    JOIN works w USING (title) WHERE days IS NOT NULL;
                DROP TABLE "@flat@";
            """)
    ''', database=database, flat=flat)
    prelude = fill('''
        def query(sql):
            assert os.path.isfile("@database@")
            base = sqlite3.connect("file:@database@?mode=ro", uri=True)
            try:
                return [list(row) for row in base.execute(sql)]
            finally:
                base.close()
    ''', database=database)
    columns = {
        "people": [["id", "INTEGER"], ["name", "TEXT"]],
        "works": [["id", "INTEGER"], ["title", "TEXT"], ["person", "INTEGER"]],
        "loans": [["id", "INTEGER"], ["work", "INTEGER"], ["day", "TEXT"], ["days", "INTEGER"]],
    }
    checks = {
        "columns": fill('''
            for table, columns in COLUMNS.items():
                found = query("SELECT name, upper(type), pk FROM pragma_table_info('" + table + "')")
                assert sorted(row[:2] for row in found) == sorted(columns), table
                assert [row[0] for row in found if row[2]] == ["id"], table
        '''),
        "unique_columns": fill('''
            for table, column in (("people", "name"), ("works", "title")):
                unique = query("SELECT name FROM pragma_index_list('" + table + "') WHERE \\"unique\\"")
                parts = [query("SELECT name FROM pragma_index_info('" + row[0] + "')") for row in unique]
                assert [[column]] in parts, (table, column)
        '''),
        "flat_table_is_gone": f'names = [row[0] for row in query("SELECT name FROM sqlite_master")]\nassert "{flat}" '
                              'not in names',
        "people": 'assert [row[0] for row in query("SELECT name FROM people ORDER BY name")] == WANTED["people"]',
        "works": 'got = query("SELECT title, name FROM works JOIN people ON people.id = person ORDER BY '
                 'title")\nassert got == WANTED["works"]\nassert query("SELECT count(*) FROM works") == '
                 '[[len(got)]]',
        "loans": 'got = query("SELECT loans.id, title, day, days FROM loans JOIN works ON works.id = work ORDER BY '
                 'loans.id")\nassert got == WANTED["loans"]\nassert query("SELECT count(*) FROM loans") == '
                 '[[len(got)]]',
    }

    def sql_after(text: str) -> str:
        base = f"d = sqlite3.connect('{database}')"
        return after(f"python3 -c \"import sqlite3; {base}; d.executescript('''{text}''')\"")

    return Task(
        text, suite(rng, checks, data={"WANTED": wanted, "COLUMNS": columns}, prelude=prelude), solve,
            setup=f"mkdir -p {root}\n" + _BUILD.format(database),
        setup_files={"data.sql": sql}, workdir=root,
        wrong={"flat kept": sql_after(f"CREATE TABLE {flat} (id)") if flat != "import"
            else sql_after("CREATE TABLE [import] (id)"),
               "not unique": solve.replace("name TEXT UNIQUE", "name TEXT"),
               "loan lost": sql_after("DELETE FROM loans WHERE id = (SELECT min(id) FROM loans)"),
               "days": sql_after("UPDATE loans SET days = days + 1 WHERE id = (SELECT max(id) FROM loans)"),
               "authors swapped": sql_after("UPDATE works SET person = (SELECT max(id) FROM people) - person + 1")},
        equal={"other ids": sql_after("UPDATE people SET id = id + 500; UPDATE works SET person = person + 500"),
            "vacuum": sql_after("VACUUM"),
               "extra index": sql_after("CREATE INDEX later ON loans (day)")},
    )


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
    sql = f"CREATE TABLE {noun}s (name TEXT, place TEXT, count INTEGER);\nBEGIN;\n{_rows(f'{noun}s', rows)}COMMIT;\n"
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
        "totals_by_socket": 'for name, count in TOTALS.items():\n    assert ask(name) == str(count), name\nassert '
                            'ask("absent") == "-1"',
    }
    data = {"PORT": port, "SOCKET": sock, "TOTALS": totals, "AT": at, "KNOWN": sorted({place for _, place, _ in rows}),
            "PLACES": {item: sum(name == item for name, _, _ in rows) for item in items}}
    service = lambda text: program(f"{root}/service.py", text, mode="644", **make) + start  # noqa: E731
    return Task(
        text, suite(rng, checks, data=data, prelude=prelude), service(code),
            setup=f"mkdir -p {root}\n" + _BUILD.format(database),
        setup_files={"data.sql": sql}, workdir=root,
        wrong={"not started": program(f"{root}/service.py", code, mode="644", **make),
            "zero counts": service(code.replace("AND count > 0", "")) if any(
            count == 0 for _, _, count in rows) else service(code.replace("AND count > 0", "AND count > 40")),
               "maximum": service(code.replace("sum(count)", "max(count)"))},
        equal={"all interfaces": service(code.replace('"127.0.0.1"', '"0.0.0.0"'))},
    )
