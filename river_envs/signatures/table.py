"""The signatures of a whole catalog as arrays: a million of them is 700 MB, and no Python object for each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from river_envs.signatures.signature import PERMUTATIONS
from river_envs.signatures.sketch import SIZE

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
    import pyarrow as pa

QUERY: Final = (
    "SELECT environment_id, fixture, tests, minhash, sketch FROM signature "
    "WHERE environment_id IN (SELECT id FROM environment) ORDER BY environment_id"
)


@dataclass(frozen=True)
class Signatures:
    """Aligned columns, ``n`` environments in id order.

    ``fixture`` and ``tests``: (n,) int64, equal numbers for equal hashes, −1 for none. ``minhash``: (n, 128) uint32.
    ``sketch``: (n, 256) int8.
    """

    ids: list[str]
    fixture: npt.NDArray[np.int64]
    tests: npt.NDArray[np.int64]
    minhash: npt.NDArray[np.uint32]
    sketch: npt.NDArray[np.int8]

    @classmethod
    def of(cls, rows: pa.Table) -> Signatures:
        """From the rows of ``QUERY``."""
        import numpy as np

        return cls(
            rows["environment_id"].to_pylist(),
            _codes(rows["fixture"]),
            _codes(rows["tests"]),
            _matrix(rows["minhash"], PERMUTATIONS, np.dtype("<u4")),
            _matrix(rows["sketch"], SIZE, np.dtype(np.int8)),
        )


def _codes(column: pa.ChunkedArray) -> npt.NDArray[np.int64]:
    """A number for each value, −1 for NULL."""
    import numpy as np
    import pyarrow.compute as pc

    indices = column.combine_chunks().dictionary_encode().indices
    return np.asarray(pc.fill_null(indices, -1), dtype=np.int64)


def _matrix(column: pa.ChunkedArray, width: int, kind: np.dtype) -> npt.NDArray:  # type: ignore[type-arg]
    """The bytes of every row, side by side; raises ValueError where a row is not as long as it must be."""
    import numpy as np

    parts = []
    for chunk in column.chunks:
        offsets_type = np.int64 if "large" in str(chunk.type) else np.int32
        _, offsets, data = chunk.buffers()
        if data is None or not len(chunk):
            continue
        ends = np.frombuffer(offsets, offsets_type)[chunk.offset : chunk.offset + len(chunk) + 1]
        flat = np.frombuffer(data, np.uint8)[ends[0] : ends[-1]]
        if len(flat) != len(chunk) * width * kind.itemsize:
            raise ValueError(f"a signature column of {len(flat)} bytes does not hold {len(chunk)} rows of {width}")
        parts.append(flat.view(kind).reshape(len(chunk), width))
    return np.concatenate(parts) if parts else np.zeros((0, width), kind)
