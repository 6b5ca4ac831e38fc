"""The smoothed series against the verifier's own copy of the input."""
from pathlib import Path


def read(path):
    lines = [line.split("\t") for line in Path(path).read_text().splitlines() if line.strip()]
    return [(int(line[0]), float(line[1]) if line[1].strip() else None) for line in lines]


def test_smooth():
    series, given = read("/tests/flow.tsv"), read("/app/flow_smooth.tsv")
    assert [time for time, _ in given] == [time for time, _ in series]
    for k, (_, value) in enumerate(given):
        near = [x for _, x in series[max(0, k - 3) : k + 4] if x is not None]
        assert value is not None
        assert abs(value - sum(near) / len(near)) <= 0.00011, k
