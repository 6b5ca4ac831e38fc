"""Label files: what is read, how it is matched to a catalog, and what is refused."""

from __future__ import annotations

import json
from dataclasses import replace

import pandas as pd
import pytest
from probe_support import environment
from scoring_support import WRONG, evidence

from river_envs.catalog import JudgedRecord, open_catalog
from river_envs.environment import RiverError
from river_envs.scoring.labelled import labelled
from river_envs.scoring.labels import families, read_labels


@pytest.fixture
def catalog(tmp_path):
    """Four environments, one of them without a verdict; the last two have the same name."""
    opened = open_catalog(tmp_path / "c.duckdb", create=True)
    names = ["corpus/alpha", "corpus/beta", "twin", "twin"]
    made = [replace(environment(f"Write {n} to /app/x."), name=name) for n, name in enumerate(names)]
    with opened.writer() as writer:
        writer.add_environments(made, [f"/data/part/environments/e{n}" for n in range(4)])
        writer.replace_judgements(
            {
                made[0].id: JudgedRecord("sound", evidence=evidence()),
                made[1].id: JudgedRecord("defective", evidence=evidence("defective", hits=(WRONG,))),
                made[2].id: JudgedRecord("sound", evidence=evidence()),
            }
        )
    return opened, [item.id for item in made]


def written(tmp_path, text, name="labels.csv"):
    path = tmp_path / name
    path.write_text(text)
    return path


def test_by_name_by_id_and_by_path(catalog, tmp_path):
    opened, ids = catalog
    text = "name,sound,family\ncorpus/alpha,1,a\ncorpus/beta,0,\nnobody,1,z\n"
    by_name = read_labels(written(tmp_path, text), opened)
    assert by_name.sound == {ids[0]: True, ids[1]: False}
    assert by_name.family == {ids[0]: "a"}
    assert (by_name.missing, by_name.blank, by_name.source) == (1, 0, "labels.csv")
    by_id = read_labels(written(tmp_path, f"id,sound\n{ids[2]},true\n{ids[3]},\n"), opened)
    assert (by_id.sound, by_id.blank) == ({ids[2]: True}, 1)
    by_path = read_labels(written(tmp_path, "path,cause\nenvironments/e3,shape-only\npart/environments/e2,\n"), opened)
    assert by_path.sound == {ids[3]: False, ids[2]: True}
    both = read_labels(written(tmp_path, "path,name,sound\nenvironments/e3,twin,0\n"), opened)
    assert both.sound == {ids[3]: False}


def test_json_and_parquet_say_the_same(catalog, tmp_path):
    opened, ids = catalog
    rows = [{"name": "corpus/alpha", "sound": True, "family": "a"}, {"name": "corpus/beta", "sound": False}]
    as_json = read_labels(written(tmp_path, json.dumps(rows), "l.json"), opened)
    pd.DataFrame(rows).to_parquet(tmp_path / "l.parquet")
    as_parquet = read_labels(tmp_path / "l.parquet", opened)
    assert as_json.sound == as_parquet.sound == {ids[0]: True, ids[1]: False}
    assert as_json.family == as_parquet.family == {ids[0]: "a"}


@pytest.mark.parametrize(
    ("text", "name", "said"),
    [
        ("name,verdict\nx,1\n", "l.csv", "needs a column id, name or path"),
        ("name,sound\n", "l.csv", "no rows"),
        ("", "l.csv", "cannot be read"),
        ("{", "l.json", "cannot be read"),
        ("not parquet", "l.parquet", "cannot be read"),
        ("name,sound\ncorpus/alpha,perhaps\n", "l.csv", "write 1 or 0"),
        ("name,sound\ncorpus/alpha,1\ncorpus/alpha,0\n", "l.csv", "both sound and not"),
        ("name,sound\ntwin,1\n", "l.csv", "names 2 environments"),
        ("name,sound\nnobody,1\n", "l.csv", "holds none of the 1 environments"),
        ("name,sound\nx,1\n", "l.txt", "give .csv, .json or .parquet"),
    ],
)
def test_what_cannot_be_used_is_one_sentence(catalog, tmp_path, text, name, said):
    with pytest.raises(RiverError, match=said) as raised:
        read_labels(written(tmp_path, text, name), catalog[0])
    assert len(str(raised.value).splitlines()) == 1


def test_a_file_that_is_not_there(catalog, tmp_path):
    with pytest.raises(RiverError, match="there is no label file"):
        read_labels(tmp_path / "none.csv", catalog[0])


def test_families_are_stated_or_those_with_the_same_tests(catalog, tmp_path):
    opened, ids = catalog
    stated = read_labels(written(tmp_path, "name,sound,family\ncorpus/alpha,1,a\ncorpus/beta,0,\n"), opened)
    found = families([stated], opened, ids)
    assert found[ids[0]] == "a"
    assert len({found[name] for name in ids[1:]}) == 1  # one verifier in all of them


def test_several_files_become_one_label_each(catalog, tmp_path):
    opened, ids = catalog
    one = written(tmp_path, f"id,sound\n{ids[0]},1\n{ids[1]},0\n{ids[3]},1\n", "one.csv")
    other = written(tmp_path, f"id,sound\n{ids[0]},0\n{ids[2]},1\n", "other.csv")
    found = labelled(opened, [one, other])
    assert [row.sound for row in found.rows] == [name == ids[2] for name in sorted(ids[:3])]
    assert found.unjudged == 1
    assert (found.agreement.shared, found.agreement.alike) == (1, 0)
    assert labelled(opened, [one]).agreement is None


def test_labels_of_what_nobody_judged(catalog, tmp_path):
    opened, ids = catalog
    with pytest.raises(RiverError, match="run river-envs audit or score first"):
        labelled(opened, [written(tmp_path, f"id,sound\n{ids[3]},1\n")])
