"""Finding tasks: mixed, nested, linked, in a stable order."""

from formats.format_tasks import harbor_files, terminal_bench_files, tmax_files, write_tree

from river_envs.formats.base import Found, Rejected
from river_envs.formats.detect import read_all, recognise


def test_mixed_and_nested(corpus):
    items = list(read_all([corpus]))
    assert [item.environment.format for item in items] == ["harbor", "tmax", "terminal-bench-1"]
    assert {item.environment.source for item in items} == {"corpus"}
    assert [item.where for item in items] == [
        str(corpus / "a/harbor-task"), str(corpus / "b/deeper/task_1"), str(corpus / "tb/make-file"),
    ]


def test_one_format_only(corpus):
    assert [item.environment.format for item in read_all([corpus], "tmax")] == ["tmax"]


def test_a_task_inside_a_task_is_not_an_input(tmp_path):
    files = harbor_files(**{f"environment/inner/{path}": text for path, text in tmax_files().items()})
    write_tree(tmp_path / "t", files)
    assert len(list(read_all([tmp_path]))) == 1


def test_a_single_task_and_its_settings_file(corpus):
    by_directory = list(read_all([corpus / "a/harbor-task"]))
    by_file = list(read_all([corpus / "a/harbor-task/task.toml"]))
    assert by_directory == by_file
    assert by_directory[0].environment.source == "a"


def test_other_files_are_not_inputs(tmp_path):
    write_tree(tmp_path, {"README.md": "x", "src/main.py": "", "data/x.csv": "", ".git/config": ""})
    assert list(read_all([tmp_path])) == []


def test_a_file_that_is_no_corpus(tmp_path):
    (tmp_path / "notes.txt").write_text("x")
    [item] = read_all([tmp_path / "notes.txt"])
    assert isinstance(item, Rejected)


def test_fragments_are_named(tmp_path):
    for name, files, lost in (
        ("harbor", harbor_files(), "task.toml"),
        ("tmax", tmax_files(), "task.json"),
        ("tb", terminal_bench_files(), "task.yaml"),
    ):
        write_tree(tmp_path / name, {path: text for path, text in files.items() if path != lost})
    reasons = {item.where.rpartition("/")[2]: item.reason for item in read_all([tmp_path])}
    assert set(reasons) == {"harbor", "tmax", "tb"}
    assert all("is missing" in reason for reason in reasons.values())


def test_link_to_a_task_elsewhere_is_named_and_not_followed(corpus, tmp_path):
    write_tree(tmp_path / "other/t", harbor_files(**{"instruction.md": "Another."}))
    (corpus / "z-link").symlink_to(tmp_path / "other/t")
    (corpus / "z-inside").symlink_to(corpus / "a/harbor-task")
    (corpus / "z-loop").symlink_to(corpus)
    items = sorted(read_all([corpus]), key=lambda item: item.where)
    assert [type(item) for item in items] == [Found, Found, Found, Rejected]
    assert "symbolic link" in items[-1].reason


def test_recognise_prefers_a_complete_task():
    assert recognise({"instruction.md", "tests", "task.yaml", "Dockerfile"}).format == "terminal-bench-1"
    assert recognise({"task.toml", "task.json", "container.def"}).format == "harbor"
    assert recognise({"src", "README.md"}) is None


def test_folders_that_look_like_tasks_and_are_none_are_named(tmp_path):
    write_tree(tmp_path, {
        "broken/a.json": "{", "broken/b.json": "[1,", "alone/task.json": "{", "alone/notes.txt": "",
        "bare/task.json": "{",
        "fine/result.json": "[]", "fine/more.json": "{", "mixed/a.json": "{", "mixed/main.py": "",
    })
    write_tree(tmp_path / "corpus", {"task.json": "{}", **{f"t/{path}": text for path, text in tmax_files().items()}})
    items = {item.where.rsplit("/", 1)[-1]: item for item in read_all([tmp_path])}
    rejected = {name: item.reason for name, item in items.items() if isinstance(item, Rejected)}
    assert set(rejected) == {"broken", "alone", "bare"}
    assert "a.json is not valid JSON (and 1 more)" in rejected["broken"]
    assert "stands without the tests" in rejected["alone"]
    assert isinstance(items["t"], Found)
    assert list(read_all([tmp_path / "broken", tmp_path / "alone"], "harbor")) == []
