"""The state of the database after all migrations, read with a fresh connection."""
import sqlite3

SAILORS = [
    (1, "Aino", "first mate", "Astrid"),
    (2, "Bent", "cook", "Astrid"),
    (3, "Cara", "first mate", "Astrid"),
    (4, "Dirk", "captain", "none"),
]


def rows(query):
    return sqlite3.connect("/app/crew.db").execute(query).fetchall()


def test_versions():
    assert rows("select version from schema_version order by version") == [(1,), (2,), (9,), (10,)]


def test_sailors():
    assert rows("select id, name, rank, ship from sailor order by id") == SAILORS
