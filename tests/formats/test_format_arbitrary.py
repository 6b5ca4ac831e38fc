"""Whatever bytes the files of a task hold, reading it ends as an item with a reason of its own, never in a crash."""

import pytest
from formats.format_tasks import harbor_files, terminal_bench_files, tmax_files
from hypothesis import given, settings
from hypothesis import strategies as st

from river_envs.formats import harbor, terminal_bench, tmax
from river_envs.formats.base import Bounds, Rejected, Source, read_source
from river_envs.formats.tree import MemoryTree

COMPOSE = "services:\n  main:\n    build: {context: .}\n"
FORMATS = {
    "harbor": (harbor, harbor_files(**{"environment/docker-compose.yaml": COMPOSE})),
    "tmax": (tmax, tmax_files()),
    "terminal-bench": (terminal_bench, terminal_bench_files(**{"docker-compose.yaml": COMPOSE})),
}
PIECES = st.sampled_from(
    [b"\xff", b"\0", b'"', b"[", b"{", b"=", b"null", b"1e999", b"-1", b"\\ud800", b"<<: *a", b"&a ", b"*a", b"- ",
     b"\n", b"9" * 30, b"2001-01-01", b"%files\n", b"!!python/name:os.system ", b"[[steps]]\nname = '../..'\n"]
) | st.binary(max_size=8)  # fmt: skip


@pytest.mark.parametrize("name", FORMATS)
@given(data=st.data())
@settings(max_examples=150, deadline=None)
def test_any_content(name, data):
    module, files = FORMATS[name]
    contents = {path: text.encode() for path, text in files.items()}
    for path in data.draw(st.lists(st.sampled_from(sorted(contents)), min_size=1, max_size=3)):
        at = data.draw(st.integers(0, len(contents[path])))
        cut = data.draw(st.integers(0, 10))
        contents[path] = contents[path][:at] + data.draw(PIECES) + contents[path][at + cut :]
    tree = MemoryTree("t", "c", Bounds(), contents)
    item = read_source(Source("here", name, tree.signature, lambda: module.read(tree)))
    if isinstance(item, Rejected):
        assert "reader failed" not in item.reason
    else:
        environment = item.environment
        assert environment.id
        f"{environment.name}{environment.instruction}{environment.env}{environment.metadata}".encode()
