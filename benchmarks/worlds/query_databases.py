"""Data querying: SQLite databases that are asked and changed."""

from __future__ import annotations

import random

from . import pools
from .base import Task, after, family, fill, python
from .checks import suite
from .text import brief

BUILD = """python3 - <<'PYTHON'
import sqlite3
base = sqlite3.connect("{0}")
base.executescript(open("/opt/setup/data.sql").read())
base.close()
PYTHON
"""


def rows_of(table: str, rows: list[tuple]) -> str:
    """SQL that inserts ``rows``."""
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
    sql = schema + rows_of("customers", customers) + rows_of("orders", orders) + rows_of("lines", lines) + "COMMIT;\n"
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
        text, suite(rng, checks, data={"WANTED": wanted}), solve, setup=f"mkdir -p {root}\n" + BUILD.format(database),
        setup_files={"data.sql": sql}, workdir=root,
        wrong={
            "one order more": after(f"awk -F, -v OFS=, 'NR==2{{$3++}}1' {out} > /tmp/r; cp /tmp/r {out}"),
            "one cent": after(f"awk -F, -v OFS=, 'NR==3{{$4+=0.02}}1' {out} > /tmp/r; cp /tmp/r {out}"),
            "data gone": f"rm {database}; echo city,month,orders,revenue > {out}",
        },
        equal={
            "two decimals": after(
            f"""awk -F, -v OFS=, 'NR>1{{$4=sprintf("%.2f",$4)}}1' {out} > /tmp/r; cp /tmp/r {out}"""),
            "quoted crlf": after(f"""sed -i 's/^\\([^,]*\\)/"\\1"/; s/$/\\r/' {out}"""),
        },
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
    sql += f'BEGIN;\n{rows_of(flat, rows)}COMMIT;\n'
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
        "flat_table_is_gone": 'names = [row[0] for row in query("SELECT name FROM sqlite_master")]\n'
                              f'assert "{flat}" not in names',
        "people": 'assert [row[0] for row in query("SELECT name FROM people ORDER BY name")] == WANTED["people"]',
        "works": 'got = query("SELECT title, name FROM works JOIN people ON people.id = person ORDER BY title")\n'
                 'assert got == WANTED["works"]\n'
                 'assert query("SELECT count(*) FROM works") == [[len(got)]]',
        "loans": fill('''
            got = query("SELECT l.id, title, day, days FROM loans l JOIN works w ON w.id = l.work ORDER BY l.id")
            assert got == WANTED["loans"]
            assert query("SELECT count(*) FROM loans") == [[len(got)]]
        '''),
    }

    def sql_after(text: str) -> str:
        base = f"d = sqlite3.connect('{database}')"
        return after(f"python3 -c \"import sqlite3; {base}; d.executescript('''{text}''')\"")

    return Task(
        text, suite(rng, checks, data={"WANTED": wanted, "COLUMNS": columns}, prelude=prelude), solve,
        setup=f"mkdir -p {root}\n" + BUILD.format(database),
        setup_files={"data.sql": sql}, workdir=root,
        wrong={
            "flat kept": sql_after(f"CREATE TABLE [{flat}] (id)"),
            "not unique": solve.replace("name TEXT UNIQUE", "name TEXT"),
            "loan lost": sql_after("DELETE FROM loans WHERE id = (SELECT min(id) FROM loans)"),
            "days": sql_after("UPDATE loans SET days = days + 1 WHERE id = (SELECT max(id) FROM loans)"),
            "authors swapped": sql_after("UPDATE works SET person = (SELECT max(id) FROM people) - person + 1"),
        },
        equal={
            "other ids": sql_after("UPDATE people SET id = id + 500; UPDATE works SET person = person + 500"),
            "vacuum": sql_after("VACUUM"),
            "extra index": sql_after("CREATE INDEX later ON loans (day)"),
        },
    )
