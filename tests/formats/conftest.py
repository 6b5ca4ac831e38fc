"""A corpus of all directory formats."""

from pathlib import Path

import pytest
from formats.format_tasks import harbor_files, terminal_bench_files, tmax_files, write_tree


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    """A corpus with one task of each directory format."""
    write_tree(tmp_path / "corpus/a/harbor-task", harbor_files())
    write_tree(tmp_path / "corpus/b/deeper/task_1", tmax_files())
    write_tree(tmp_path / "corpus/tb/make-file", terminal_bench_files())
    return tmp_path / "corpus"
