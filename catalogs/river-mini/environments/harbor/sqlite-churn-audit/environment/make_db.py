import random, sqlite3
r = random.Random(42)
db = sqlite3.connect("/app/data/shop.db")
db.execute("create table account(id integer primary key, plan text)")
db.execute("create table event(account integer, month text, kind text)")
for i in range(1, 61):
    db.execute("insert into account values(?,?)", (i, r.choice(["basic", "plus", "team"])))
    db.execute("insert into event values(?,?,?)", (i, "2025-0%d" % r.randint(1, 3), "signup"))
    if r.random() < .45:
        db.execute("insert into event values(?,?,?)", (i, "2025-0%d" % r.randint(4, 6), "cancel"))
db.commit()
