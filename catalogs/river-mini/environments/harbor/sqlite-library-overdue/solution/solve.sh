#!/bin/bash
python3 - <<'EOF'
import sqlite3
rows = sqlite3.connect("file:/app/library.db?mode=ro", uri=True).execute("""
  select m.name, count(*), max(cast(julianday('2025-05-01') - julianday(l.out_day) - b.days as integer))
  from loan l join book b on b.id = l.book join member m on m.id = l.member
  where l.back_day is null and julianday(l.out_day) + b.days < julianday('2025-05-01')
  group by m.id order by count(*) desc, m.name""").fetchall()
with open("/app/overdue.csv", "w") as out:
    out.write("member,loans,worst\n")
    out.writelines("%s,%d,%d\n" % row for row in rows)
EOF
