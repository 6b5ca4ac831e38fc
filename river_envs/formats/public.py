"""Public corpora: where they are, and how to get one, pinned, so that the next fetch gives the same files.

The first fetch asks the hub which commit is current and writes it into ``fetched.json``; later ones into the same
directory obey it. Interrupted downloads are taken up again by huggingface_hub.
"""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from river_envs.environment import RiverError

RECORD = "fetched.json"


@dataclass(frozen=True)
class Corpus:
    """One public corpus. ``files``: patterns of what ``river-envs ingest`` reads; ``licence``: as its publisher states
    it, "" where only the hub's own page tells.
    """

    name: str
    repository: str
    about: str
    files: tuple[str, ...]
    licence: str = ""


CORPORA: tuple[Corpus, ...] = (
    Corpus("tmax-15k", "allenai/TMax-15K", "14,601 environments as a table and their fixtures (arXiv 2606.23321)",
           ("*.parquet", "*/*.parquet", "tasks.zip", "README.md"), "Apache-2.0 (code)"),
    Corpus("tmax-15k-harbor", "tmax/TMax-15K-Harbor", "the same as Harbor directories", ("*",), "Apache-2.0 (code)"),
    Corpus("tmax-15k-open-instruct", "allenai/tmax-15k-open-instruct", "the same with published images",
           ("*.parquet", "*/*.parquet", "*.tar.gz", "README.md"), "Apache-2.0 (code)"),
)  # fmt: skip


@dataclass(frozen=True)
class Fetched:
    """What lies in ``folder``: the commit, the licence that the hub states, and when it came."""

    name: str
    repository: str
    revision: str
    licence: str
    fetched: str
    folder: str


def corpus(name: str) -> Corpus:
    """The corpus of this name, or ``OWNER/NAME`` on the hub.

    Raises:
        RiverError: it is neither.
    """
    found = next((one for one in CORPORA if one.name == name), None)
    if found is not None:
        return found
    if name.count("/") == 1 and all(name.split("/")):
        return Corpus(name.replace("/", "--"), name, "named by its owner", ("*",))
    known = ", ".join(one.name for one in CORPORA)
    raise RiverError(f"there is no corpus called {name!r}; choose from {known}, or give OWNER/NAME.")


def plan(wanted: Corpus, folder: Path, revision: str | None = None, endpoint: str | None = None) -> Fetched:
    """What a fetch would bring: asks the hub for commit and licence, and downloads nothing.

    ``revision`` wins over the commit that an earlier fetch recorded in ``folder``.

    Raises:
        RiverError: no network, no such corpus or revision, huggingface_hub is not installed, or ``folder`` holds
            something else.
    """
    api = _library().HfApi(endpoint=endpoint)
    pinned = revision or _recorded(wanted, folder)
    try:
        info = api.dataset_info(wanted.repository, revision=pinned, timeout=20)
    except Exception as error:  # noqa: BLE001 - whatever the library, its transport or the hub raise means the same
        raise _sentence(wanted, error) from None
    told = getattr(info, "card_data", None)
    licence = str((told.to_dict() if told else {}).get("license") or wanted.licence or "not stated")
    now = datetime.now(UTC).isoformat(timespec="seconds")
    return Fetched(wanted.name, wanted.repository, str(info.sha), licence, now, str(folder))


def fetch(wanted: Corpus, planned: Fetched, folder: Path, endpoint: str | None = None) -> None:
    """Download what was planned into ``folder``; ``fetched.json`` is written last, when everything is there.

    Raises:
        RiverError: as ``plan``; what came so far stays, and the next fetch goes on from there.
    """
    library = _library()
    folder.mkdir(parents=True, exist_ok=True)
    try:
        library.snapshot_download(
            wanted.repository, repo_type="dataset", revision=planned.revision, local_dir=folder,
            allow_patterns=list(wanted.files), endpoint=endpoint,
        )  # fmt: skip
    except Exception as error:  # noqa: BLE001 - see plan
        raise _sentence(wanted, error) from None
    staged = folder / f".{RECORD}.{os.getpid()}"
    staged.write_text(json.dumps(asdict(planned), indent=1) + "\n", encoding="utf-8")
    staged.replace(folder / RECORD)


def _recorded(wanted: Corpus, folder: Path) -> str | None:
    """The commit that an earlier fetch recorded. Raises RiverError where the folder holds another corpus."""
    try:
        content = json.loads((folder / RECORD).read_text(encoding="utf-8"))
    except OSError:
        return None
    except ValueError as error:
        raise RiverError(f"{folder / RECORD} cannot be read ({error}); remove it to fetch anew.") from error
    if not isinstance(content, dict) or content.get("repository") != wanted.repository:
        other = content.get("repository") if isinstance(content, dict) else content
        raise RiverError(f"{folder} holds {other}, not {wanted.repository}; choose another -o.")
    return str(content.get("revision") or "") or None


def _library() -> Any:
    try:
        import huggingface_hub
    except ImportError:
        raise RiverError(
            "river-envs fetch needs huggingface_hub; install it with: pip install 'river-envs[hub]'"
        ) from None
    return huggingface_hub


def _sentence(wanted: Corpus, error: Exception) -> RiverError:
    """One sentence about what went wrong, and what to do."""
    said = str(error).strip().splitlines()
    reason = said[0][:200] if said else type(error).__name__
    kind = type(error).__name__
    if kind in {"RepositoryNotFoundError", "RevisionNotFoundError", "GatedRepoError"}:
        return RiverError(f"the hub shows you no {wanted.repository} of that revision ({kind}); log in.")
    return RiverError(
        f"{wanted.repository} cannot be reached ({reason}); check the network and run the same command again, it goes"
        " on where it stopped."
    )
