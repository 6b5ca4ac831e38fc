"""Fetching from a hub: a local one that speaks the few calls needed, and none at all."""

import hashlib
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from river_envs.environment import RiverError
from river_envs.formats.public import CORPORA, corpus, fetch, plan

huggingface_hub = pytest.importorskip("huggingface_hub")

COMMITS = ["a" * 40, "b" * 40]
FILES = {"data/train.parquet": b"rows", "tasks.zip": b"zip", "README.md": b"card", "other.bin": b"no"}


class Hub(BaseHTTPRequestHandler):
    current = COMMITS[0]

    def log_message(self, *_):
        pass

    def do_HEAD(self):
        self.answer(False)

    def do_GET(self):
        self.answer(True)

    def answer(self, body):
        parts = self.path.split("?")[0].strip("/").split("/")
        if parts[:2] == ["api", "datasets"] and len(parts) <= 6 and "tree" not in parts:
            sha = parts[5] if len(parts) > 5 and parts[5] in COMMITS else type(self).current
            content = {"id": "/".join(parts[2:4]), "sha": sha, "cardData": {"license": "odc-by"},
                       "siblings": [{"rfilename": name} for name in FILES]}  # fmt: skip
            self.send(json.dumps(content).encode(), {}, "application/json", body)
        elif "tree" in parts:
            tree = [{"type": "file", "path": name, "size": len(data), "oid": hashlib.sha1(data).hexdigest()}
                    for name, data in FILES.items()]  # fmt: skip
            self.send(json.dumps(tree).encode(), {}, "application/json", body)
        elif "resolve" in parts:
            at = parts.index("resolve")
            data = FILES["/".join(parts[at + 2 :])]
            extra = {"X-Repo-Commit": parts[at + 1], "ETag": f'"{hashlib.sha1(data).hexdigest()}"'}
            self.send(data, extra, "application/octet-stream", body)
        else:
            self.send_error(404)

    def send(self, data, headers, kind, body):
        self.send_response(200)
        for name, value in {"Content-Type": kind, "Content-Length": str(len(data)), **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        if body:
            self.wfile.write(data)


@pytest.fixture
def hub(monkeypatch, tmp_path):
    Hub.current = COMMITS[0]
    server = ThreadingHTTPServer(("127.0.0.1", 0), Hub)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    monkeypatch.setenv("HF_HOME", str(tmp_path / "hf"))
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()


def test_a_corpus_is_fetched_pinned_and_the_pin_is_obeyed(hub, tmp_path):
    wanted, folder = corpus("tmax-15k"), tmp_path / "corpus"
    planned = plan(wanted, folder, endpoint=hub)
    assert (planned.revision, planned.licence) == (COMMITS[0], "odc-by")
    assert not folder.exists()
    fetch(wanted, planned, folder, hub)
    assert (folder / "data" / "train.parquet").read_bytes() == b"rows"
    assert (folder / "tasks.zip").read_bytes() == b"zip"
    assert not (folder / "other.bin").exists()
    assert json.loads((folder / "fetched.json").read_text())["revision"] == COMMITS[0]
    Hub.current = COMMITS[1]
    assert plan(wanted, folder, endpoint=hub).revision == COMMITS[0]
    assert plan(wanted, folder, COMMITS[1], hub).revision == COMMITS[1]
    with pytest.raises(RiverError, match="holds allenai/TMax-15K, not tmax/TMax-15K-Harbor"):
        plan(corpus("tmax-15k-harbor"), folder, endpoint=hub)
    (folder / "fetched.json").write_text("{")
    with pytest.raises(RiverError, match="remove it to fetch anew"):
        plan(wanted, folder, endpoint=hub)


def test_without_a_network_there_is_one_sentence(tmp_path):
    with pytest.raises(RiverError, match="cannot be reached") as caught:
        plan(corpus("tmax-15k"), tmp_path / "corpus", endpoint="http://127.0.0.1:9")
    assert "\n" not in str(caught.value)
    assert not (tmp_path / "corpus").exists()


def test_names():
    assert corpus("owner/name").repository == "owner/name"
    with pytest.raises(RiverError, match="choose from tmax-15k"):
        corpus("nope")
    assert len({one.name for one in CORPORA}) == len(CORPORA)
