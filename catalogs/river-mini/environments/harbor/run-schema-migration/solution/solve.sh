#!/bin/bash
python3 - <<'EOF'
import pathlib, sqlite3
db = sqlite3.connect("/app/crew.db")
done = {version for version, in db.execute("select version from schema_version")}
pending = {int(path.name.split("-")[0]): path for path in pathlib.Path("/app/migrations").glob("*.sql")}
for version in sorted(set(pending) - done):
    db.executescript(pending[version].read_text())
    db.execute("insert into schema_version values (?)", (version,))
    db.commit()
EOF
