"""The HTML page: complete, safe with hostile text, self-contained, and bounded."""

import base64
import hashlib
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
from report.report_sample import HOSTILE, build

from river_envs.catalog import open_catalog
from river_envs.environment import RiverError
from river_envs.report.facts import Limits
from river_envs.report.gather import describe, gather
from river_envs.report.page import headline, render, save, write_page
from river_envs.report.summary import summarise

VOID = {"meta", "input", "br"}


class Page(HTMLParser):
    """Every tag with its attributes, all text, and a check that tags close in order."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.words, self.stack = [], [], []
        self.feed(text)
        assert self.stack == []

    def handle_starttag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))
        if tag not in VOID:
            self.stack.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))

    def handle_endtag(self, tag):
        assert self.stack.pop() == tag, f"</{tag}> closes {self.stack[-3:]}"

    def handle_data(self, data):
        self.words.append(data)

    def all(self, tag):
        return [attributes for name, attributes in self.tags if name == tag]


def drawn(catalog, limits=None):
    return render(gather(catalog, "hash", limits), catalog=catalog.path, made="today", version="0")


@pytest.fixture(scope="module")
def catalog(tmp_path_factory):
    return build(tmp_path_factory.mktemp("report") / "river.duckdb")


@pytest.fixture(scope="module")
def text(catalog):
    return drawn(catalog)


def test_it_is_well_formed_and_every_link_has_a_target(text):
    page = Page(text)
    ids = [attributes["id"] for _, attributes in page.tags if "id" in attributes]
    assert len(ids) == len(set(ids))
    assert {attributes["href"].removeprefix("#") for attributes in page.all("a")} <= set(ids)


def test_hostile_text_stays_text(text):
    page = Page(text)
    assert len(page.all("script")) == 1
    assert page.all("img") == []
    assert not any(name.startswith("on") or name == "style" for _, attributes in page.tags for name in attributes)
    shown = "".join(page.words)
    assert "<script>alert(1)</script>" in shown
    assert "{{ 7*7 }}" in shown
    assert "\\x1b[2J" in shown
    assert "\\u202egnp.exe" in shown
    assert not {"\x1b", "\u202e"} & set(text)
    assert HOSTILE not in text


def test_it_asks_nothing_of_anyone(text):
    page = Page(text)
    assert not {"link", "iframe", "img", "object", "base", "form"} & {tag for tag, _ in page.tags}
    assert not any({"src", "srcset", "action", "ping"} & attributes.keys() for _, attributes in page.tags)
    assert "url(" not in text
    assert "@import" not in text


def test_the_policy_allows_exactly_the_own_style_and_script(text):
    policy = next(a["content"] for a in Page(text).all("meta") if a.get("http-equiv") == "Content-Security-Policy")
    for tag in ("style", "script"):
        content = re.search(rf"<{tag}>(.*?)</{tag}>", text, re.DOTALL)[1]
        hashed = base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()
        assert f"{tag}-src 'sha256-{hashed}'" in policy
    assert policy.startswith("default-src 'none'")
    assert "unsafe" not in policy


def test_everything_is_on_it(text):
    shown = " ".join(" ".join(Page(text).words).split())
    assert "18 of 48 audited environments have a proven defect; 18 are sound" in shown
    for expected in ("8 kept", "asked to stay under 30 %", "pays-for-nothing", "the untouched image is rewarded",
                     "task.toml is not TOML: line 3", "needs-network", "build-failed", "multi-step",
                     "base x is the host", "E: Unable to locate package foo", "in our evaluation set",
                     "What to do Compare the content", "write /app/answer.txt",
                     "run touch /app/answer.txt", "reward 1 (a pass)", "sound, but the 8 places were taken",
                     "control did not run (needs-network)", "How to read this", "rollout-visible"):
        assert expected in shown


def test_each_finding_can_be_replayed(catalog, text):
    ids = list(catalog.sql("SELECT id FROM finding")["id"])
    assert len(ids) == 21
    assert all(f"river-envs replay {id} --catalog {catalog.path}" in text for id in ids)


def test_the_catalogs_name_is_quoted_for_the_shell(catalog):
    text = render(gather(catalog), catalog=Path("/a b/$(x).duckdb"), made="", version="0")
    assert "--catalog &#39;/a b/$(x).duckdb&#39;" in text


def test_long_lists_are_cut_and_say_so(catalog):
    text = drawn(catalog, Limits(environments=10, details=4, findings=1, attempts=1, inputs=1, failures=1, kept=3))
    page = Page(text)
    shown = " ".join(" ".join(page.words).split())
    assert len([a for a in page.all("details") if a.get("id", "").startswith("env-")]) == 4
    assert "Shown are 10 of 50 environments; 40 were left out" in shown
    assert "Shown are 4 of 18 environments with findings; 14 were left out" in shown
    assert "Shown are 3 of 8 kept environments" in shown
    assert "Shown are 1 of 2 rejected inputs" in shown
    assert "1 attempt more in the catalog" in shown
    for query in re.findall(r'river-envs sql "([^"]+)"', "".join(page.words)):
        assert len(catalog.sql(query))


def test_leads_stand_apart_from_findings_and_are_cut(catalog, text):
    facts = gather(catalog)
    (lead,) = facts.leads
    assert (lead.rule, lead.environments, lead.unproved) == ("sleep", 12, 6)
    detail = next(detail for detail in facts.details if detail.leads_total == 10)
    assert len(detail.leads) == Limits().leads
    shown = " ".join(" ".join(Page(text).words).split())
    assert "Suggested, not proved" in shown
    assert "2 leads more" in shown


def test_a_cut_table_still_shows_every_state(catalog):
    facts = gather(catalog, limits=Limits(environments=12))
    assert [row["state"] for row in facts.environments] == (
        ["defective"] * 3 + ["unverified"] * 2 + ["unsupported", "not-audited"] + ["resisted"] * 3 + ["sound"] * 2
    )
    worst = min(catalog.environments("verdict = 'sound'")["quality"])
    assert facts.environments[-2]["quality"] == worst


def test_an_empty_catalog_has_a_page(tmp_path):
    text = drawn(open_catalog(tmp_path / "empty.duckdb", create=True))
    Page(text)
    assert "This catalog is empty" in text
    assert "No subset was made from this catalog yet" in text


def test_a_catalog_without_verdicts_says_so(tmp_path):
    catalog = build(tmp_path / "few.duckdb", number=0)
    assert headline(gather(catalog)) == "2 environments, none audited yet"
    assert "run river-envs audit" in drawn(catalog)


def test_sums_agree(catalog):
    facts, summary = gather(catalog), summarise(catalog)
    assert facts.total == sum(group.total for group in facts.domains) == summary.ingested == 50
    assert sum(group.kept for group in facts.verifier_kinds) == facts.subset.kept_total == summary.kept == 8
    assert facts.states == summary.states == {
        "sound": 18, "resisted": 6, "defective": 18, "unverified": 6, "unsupported": 1, "not-audited": 1}
    assert summary.as_json() == {"ingested": 50, "audited": 48, "sound": 18, "resisted": 6, "defective": 18,
                                 "unverified": 6, "kept": 8, "keep_fraction": 0.16}
    assert len(list(summary.tables())) == 3


def test_the_same_catalog_gives_the_same_page(catalog, text):
    assert drawn(catalog) == text


def test_actions_are_told_in_words():
    assert describe("[]") == ("do nothing",)
    assert describe('[{"is":"Solve"},{"is":"Restore"},{"is":"Copy","source":"/a","target":"/b"}]') == (
        "run the reference", "start from the state that the reference left", "copy /a to /b")
    assert describe('[{"is":"Put","root":"/","files":[' + ",".join('{"path":"x"}' for _ in range(7)) + "]}]") == (
        "write /x, /x, /x, /x, /x and 2 more",)
    assert describe('[{"is":"Put","fil') == ('[{"is":"Put","fil',)


def test_the_page_is_written_whole(catalog, tmp_path):
    made = write_page(catalog, tmp_path / "new" / "report.html")
    assert made.read_text().endswith("</html>")
    assert [path.name for path in made.parent.iterdir()] == ["report.html"]
    with pytest.raises(RiverError, match="is a directory"):
        save("x", tmp_path)
    (tmp_path / "file").write_text("")
    with pytest.raises(RiverError, match=r"Cannot write .*choose another -o"):
        save("x", tmp_path / "file" / "report.html")
