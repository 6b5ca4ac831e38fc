import random, sqlite3
r = random.Random(41)
db = sqlite3.connect("/app/library.db")
db.executescript("""
create table member(id integer primary key, name text, level text);
create table book(id integer primary key, title text, days integer);
create table loan(book integer, member integer, out_day text, back_day text);
""")
names = "Ada Bo Cleo Dag Edda Finn Gro Hal Ines Jon".split()
db.executemany("insert into member values(?,?,?)", [(i + 1, n, r.choice(["adult", "child"])) for i, n in enumerate(names)])
db.executemany("insert into book values(?,?,?)", [(i + 1, "Volume %02d" % (i + 1), r.choice([7, 14, 28])) for i in range(30)])
for _ in range(110):
    m, day = r.randint(1, 4), r.randint(1, 28)
    out = "2025-%02d-%02d" % (m, day)
    back = None if r.random() < .3 else "2025-%02d-%02d" % (m + 1, r.randint(1, 28))
    db.execute("insert into loan values(?,?,?,?)", (r.randint(1, 30), r.randint(1, 10), out, back))
db.commit()
