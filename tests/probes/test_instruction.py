"""Reading instructions: paths, roles of blocks, and when to stay silent."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from probe_support import survey

from river_envs.probes import instruction as text
from river_envs.probes.answers import alter


def test_paths_absolute_and_relative():
    found = text.paths(
        "Work in the directory /srv/shop. Read `orders.csv`, write report.json and /tmp/x/out.txt. See v1.2 at https://a.b/c.txt"
    )
    assert found == ("/srv/shop", "/tmp/x/out.txt", "/srv/shop/orders.csv", "/srv/shop/report.json")


def test_outputs_are_what_the_image_lacks():
    seen = survey("/app/in.csv")
    assert text.outputs(
        "Read /app/in.csv with /usr/bin/awk; write /app/out/sum.txt (below /app/out).", seen.listing, "/app"
    ) == ("/app/out/sum.txt",)


def test_urls_and_versions_are_no_paths():
    assert text.paths("See https://example.org/a/b.txt and python3.11, 10/12/2024, and/or.") == ()


def test_roles_of_blocks():
    instruction = (
        'Run:\n\n```bash\ncat /app/x\n```\n\nWrite /app/a.json. For example:\n\n```json\n{"n": 1}\n```\n\n'
        "Write /app/b.txt with exactly this content:\n\n```\nhello\n```\n"
    )
    found = text.blocks(instruction, ("/app/a.json", "/app/b.txt"))
    assert [(block.role, block.path) for block in found][1:] == [("example", "/app/a.json"), ("dictated", "/app/b.txt")]
    assert found[0].role == "command"


def test_a_block_without_words_is_unclear():
    assert text.blocks("Count the lines.\n\n```\nlines=3\n```\n", ("/a.txt",))[0].role == "unclear"


def test_a_bracket_behind_a_block_can_call_it_an_example():
    block = "Save it as /a.json:\n\n```json\n{\"n\": 1}\n```\n(example values)\n"
    assert text.blocks(block, ("/a.json",))[0].role == "example"


def test_altering_keeps_form():
    altered = alter('{"when": "2024-02-29T10:00:00", "ip": "10.0.0.255", "n": 0.5, "k": "abc"}')
    assert altered != '{"when": "2024-02-29T10:00:00", "ip": "10.0.0.255", "n": 0.5, "k": "abc"}'
    assert all(0 <= int(part) <= 255 for part in altered.split('"ip": "')[1].split('"')[0].split("."))


def test_stated_values_are_kept():
    assert alter("port=8080 hits=17\n", stated="listen on 8080", scope="numbers") == "port=8080 hits=64\n"


@given(st.integers(-(10**6), 10**6), st.integers(1, 3))
def test_every_number_changes(number: int, salt: int):
    assert alter(f"{number}\n", salt=salt) != f"{number}\n"


@given(st.text(max_size=300))
def test_extraction_never_fails(instruction: str):
    text.paths(instruction)
    text.blocks(instruction, ("/app/x.txt",))
    text.outputs(instruction, (), "/app")
    assert all(".." not in path.split("/") for path in text.paths(instruction))


@given(st.text(max_size=200))
def test_altering_never_fails(content: str):
    assert isinstance(alter(content), str)


@given(st.one_of(st.integers(0, 100), st.integers(101, 10**9), st.integers(-500, -1)))
def test_near_numbers_change_and_keep_their_range(number: int):
    near = int(alter(f"{number}\n", scope="near"))
    assert near != number
    assert (0 <= near <= 100) or not 0 <= number <= 100
    assert 5 * abs(near - number) >= abs(number)


@given(st.integers(0, 1000))
def test_near_fractions_stay_fractions(thousandths: int):
    near = float(alter(f"{thousandths / 1000:.3f}\n", scope="near"))
    assert near != thousandths / 1000
    assert 0 <= near <= 1
