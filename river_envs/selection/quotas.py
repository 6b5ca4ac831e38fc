"""Places for each cell, so that filtering keeps the mix of the corpus.

A cell is one combination of the traits that quotas were asked on. Its places are the cell's share of the whole corpus,
by largest remainder; what a cell cannot fill goes to the cells that still have room, in the same proportion. Exact in
whole numbers, so that the order of the cells plays no part.
"""

from __future__ import annotations

from collections.abc import Mapping

Cell = tuple[str, ...]


def allot(places: int, weights: Mapping[Cell, int], room: Mapping[Cell, int]) -> dict[Cell, int]:
    """How many of ``places`` each cell gets: never more than its ``room``, and all of them where there is room.

    Args:
        places: how many there are to give, 0 or more.
        weights: for each cell with room how much it should get, relative to the others; above 0.
        room: how many candidates each cell has.
    """
    given = dict.fromkeys(room, 0)
    open_cells = {cell for cell, size in room.items() if size > 0}
    left = min(places, sum(room.values()))
    while left and open_cells:
        total = sum(weights[cell] for cell in open_cells)
        full = [cell for cell in open_cells if left * weights[cell] >= room[cell] * total]
        if not full:
            break
        for cell in full:
            given[cell] = room[cell]
            left -= room[cell]
            open_cells.discard(cell)
    if left and open_cells:
        total = sum(weights[cell] for cell in open_cells)
        whole = {cell: left * weights[cell] // total for cell in open_cells}
        rest = sorted(open_cells, key=lambda cell: (-(left * weights[cell] % total), -weights[cell], cell))
        for cell in rest[: left - sum(whole.values())]:
            whole[cell] += 1
        given.update(whole)
    return given
