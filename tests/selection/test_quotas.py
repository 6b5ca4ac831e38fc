"""Places for cells: all given, never beyond the room, in proportion."""

from hypothesis import given
from hypothesis import strategies as st

from river_envs.selection.quotas import allot

cells = st.dictionaries(
    st.tuples(st.text("abc", min_size=1, max_size=2)), st.tuples(st.integers(1, 50), st.integers(0, 30)), max_size=8
)


@given(cells, st.integers(0, 200))
def test_all_places_are_given_and_none_beyond_the_room(made, places):
    weights = {cell: weight for cell, (weight, _) in made.items()}
    room = {cell: size for cell, (_, size) in made.items()}
    given_ = allot(places, weights, room)
    assert sum(given_.values()) == min(places, sum(room.values()))
    assert all(0 <= given_[cell] <= room[cell] for cell in room)


@given(cells, st.integers(0, 200))
def test_cells_with_room_stay_within_one_of_their_share(made, places):
    weights = {cell: weight for cell, (weight, _) in made.items()}
    wide = dict.fromkeys(weights, 1000)
    total = sum(weights.values())
    for cell, number in allot(places, weights, wide).items():
        assert abs(number - places * weights[cell] / total) < 1


def test_what_a_cell_cannot_fill_goes_round():
    assert allot(10, {("a",): 1, ("b",): 1, ("c",): 2}, {("a",): 1, ("b",): 50, ("c",): 50}) == {
        ("a",): 1, ("b",): 3, ("c",): 6
    }


def test_the_order_of_cells_plays_no_part():
    weights = {("a",): 3, ("b",): 3, ("c",): 3}
    room = dict.fromkeys(weights, 5)
    assert allot(4, weights, room) == allot(4, dict(reversed(weights.items())), dict(reversed(room.items())))


def test_nothing_to_give():
    assert allot(5, {}, {}) == {}
    assert allot(0, {("a",): 1}, {("a",): 3}) == {("a",): 0}
