import duckdb
import pytest

from river_envs.catalog import open_catalog, schema
from river_envs.environment import RiverError


def later(text):
    """The real migrations and one more."""
    real = schema.migrations()
    return lambda: (*real, schema.Migration(len(real) + 1, "later", text))


def test_the_migrations_make_what_the_views_read(catalog):
    tables = set(catalog.sql("SHOW TABLES").name)
    assert {name for name, _ in schema.views()} < tables
    for name, _ in schema.views():
        assert catalog.sql(f"SELECT * FROM {name}").empty
    wanted = {
        "id", "name", "source", "domain", "verifier_kind", "has_reference", "verdict", "causes", "quality", "attempts",
        "status", "mark",
    }
    assert wanted <= set(catalog.environments().columns)
    applied = catalog.sql("SELECT version, name FROM river_schema").values.tolist()
    assert applied == [[migration.version, migration.name] for migration in schema.migrations()]


def test_an_older_catalog_is_read_after_it_was_opened_for_writing(filled, monkeypatch):
    version = schema.current_version()
    monkeypatch.setattr(schema, "migrations", later("ALTER TABLE survey ADD COLUMN extra VARCHAR DEFAULT 'x'"))
    wanted = rf"schema version {version}, this release reads {version + 1}; .*river-envs catalog vacuum"
    with pytest.raises(RiverError, match=wanted):
        open_catalog(filled.path)
    with open_catalog_unchecked(filled).writer():
        pass
    reopened = open_catalog(filled.path)
    assert len(reopened.ids()) == 5
    assert "extra" in set(reopened.sql("DESCRIBE survey").column_name)


def open_catalog_unchecked(catalog):
    return type(catalog)(catalog.path)


def test_a_migration_that_fails_leaves_the_catalog_as_it_was(filled, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr(schema, "migrations", later("CREATE TABLE extra (a INT); SELECT * FROM nothing"))
        with pytest.raises(duckdb.CatalogException), filled.writer():
            pass
    assert "extra" not in set(open_catalog(filled.path).sql("SHOW TABLES").name)


def test_views_follow_their_text(filled, monkeypatch):
    views = (*schema.views(), ("extra_view", "CREATE OR REPLACE VIEW extra_view AS SELECT 7 AS seven"))
    monkeypatch.setattr(schema, "views", lambda: views)
    with filled.writer():
        pass
    assert filled.sql("FROM extra_view").seven[0] == 7


def test_a_newer_catalog_is_refused(filled):
    with duckdb.connect(str(filled.path)) as connection:
        connection.execute("INSERT INTO river_schema VALUES (99, 'future', now())")
    for attempt in (lambda: open_catalog(filled.path), lambda: open_catalog(filled.path, create=True)):
        with pytest.raises(RiverError, match="has schema version 99, newer than this release; upgrade river-envs"):
            attempt()


def test_files_that_are_no_catalog(tmp_path):
    with pytest.raises(RiverError, match=r"there is no catalog at .*missing.duckdb; make one with: river-envs ingest"):
        open_catalog(tmp_path / "missing.duckdb")
    with pytest.raises(RiverError, match="is not a file"):
        open_catalog(tmp_path)
    text = tmp_path / "text.duckdb"
    text.write_text("hello, this is no database at all")
    for create in (False, True):
        with pytest.raises(RiverError, match="is not a DuckDB file"):
            open_catalog(text, create=create)
    assert text.read_text().startswith("hello")
    foreign = tmp_path / "foreign.duckdb"
    with duckdb.connect(str(foreign)) as connection:
        connection.execute("CREATE TABLE mine (a INT)")
    for create in (False, True):
        with pytest.raises(RiverError, match="no river catalog"):
            open_catalog(foreign, create=create)
    empty = tmp_path / "empty.duckdb"
    duckdb.connect(str(empty)).close()
    with pytest.raises(RiverError, match="holds no catalog yet"):
        open_catalog(empty)
    assert open_catalog(empty, create=True).ids() == []
    with pytest.raises(RiverError, match="does not exist; make it before"):
        open_catalog(tmp_path / "no" / "x.duckdb", create=True)


def test_a_damaged_file_has_a_sentence(filled):
    content = bytearray(filled.path.read_bytes())
    content[4096:] = b"\xa5" * (len(content) - 4096)
    filled.path.write_bytes(content)
    with pytest.raises(RiverError, match="is damaged"):
        open_catalog(filled.path)
