#!/bin/bash
python3 - <<'EOF' > /app/churn.csv
import sqlite3
db = sqlite3.connect("file:/app/data/shop.db?mode=ro", uri=True)
print("plan,accounts,churned")
for row in db.execute("""select plan, count(distinct a.id), count(distinct e.account) from account a
                         left join event e on e.account = a.id and e.kind = 'cancel' group by plan order by plan"""):
    print("%s,%d,%d" % row)
EOF
