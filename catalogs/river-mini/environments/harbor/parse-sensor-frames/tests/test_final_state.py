"""The summary must agree with the verifier's own copy of the dump."""
import json
import struct
from pathlib import Path


def summary():
    data = Path("/tests/dump.bin").read_bytes()[5:]
    damaged, sensors = 0, {}
    for start in range(0, len(data), 10):
        body, check = data[start + 1 : start + 9], data[start + 9]
        if sum(body) % 256 != check:
            damaged += 1
            continue
        sensor, _, tenths = struct.unpack(">HIh", body)
        sensors.setdefault(str(sensor), []).append(tenths)
    return damaged, sensors


def test_summary():
    damaged, sensors = summary()
    given = json.loads(Path("/app/summary.json").read_text())
    assert set(given) == {"damaged", "sensors"}
    assert given["damaged"] == damaged
    assert set(given["sensors"]) == set(sensors)
    for sensor, tenths in sensors.items():
        entry = given["sensors"][sensor]
        assert set(entry) == {"frames", "min", "max"}
        assert entry["frames"] == len(tenths)
        assert abs(entry["min"] - min(tenths) / 10) < 1e-9
        assert abs(entry["max"] - max(tenths) / 10) < 1e-9
