"""Recognising a verifier that failed for want of a network, from its log.

Most public Harbor tests download their tools before the first test. Without a network such a script goes on and
writes a reward of 0, which is no word about the state. A message about a connection proves nothing by itself (a
test may well assert that there is none), so a failed download counts only

- where no test was run, the script itself downloads with that tool, and either what it wanted is missed afterwards,
  or the tool was to run the tests (uv), or it asked for a host that the script names; or
- where tests were run, but before them the script failed to fetch something that is no test tool, or to install a
  package that a failed test then missed; or
- where tests were run and every failed one ended in an exception about resolving or reaching an outside host, or
  in its set-up, in which the tests themselves download something and could not; or
- where a plain Python verifier ended in such an exception, raised below its own code.
"""

from __future__ import annotations

import posixpath
import re
from dataclasses import dataclass

from river_envs.environment import Verifier
from river_envs.verify.bootstrap import recognise, requirement_name
from river_envs.verify.failures import Failure, reported, tracebacks
from river_envs.verify.log import line, plain
from river_envs.verify.pytest_results import SESSION_START, PytestReport

_HOST = r"(?<![\w.-])[\w.-]+\.[a-zA-Z]{2,}"  # only from the start of a name: a hostile line must stay cheap
_URL = rf"(?:https?://(?P<host>{_HOST})|$)"
_PATTERNS: tuple[tuple[str, str], ...] = (
    ("apt", rf"^(?:[EW]: .*)?(?:Temporary failure resolving|[Cc]ould not (?:resolve|connect to)) '?(?P<host>{_HOST})"),
    ("apt", rf"^Err:\d+ https?://(?P<host>{_HOST})"),
    ("apt", rf"^[EW]: (?:Failed to fetch|Some index files failed).*?{_URL}"),
    ("apt", r"^E: (?:Unable to locate package|Package '.*' has no installation candidate)"),
    ("curl", rf"^[\s\d:.%-]*curl: \((?:5|6|7|18|28|35|52|55|56|92)\) .*?(?P<host>{_HOST})"),
    ("curl", r"^[\s\d:.%-]*curl: \((?:18|28|35|52|55|56|92)\) "),
    ("wget", rf"^wget: (?:unable to resolve host address|can't connect to|bad address) .?(?P<host>{_HOST})"),
    ("wget", rf"^(?:Resolving|Connecting to) (?P<host>{_HOST}).*failed: "),
    ("pip", rf"^.*(?:NewConnection|NameResolution|Timeout|Protocol|SSL)Error.*?(?:host='(?P<host>{_HOST})'|$)"),
    ("pip", r"^ERROR: (?:No matching distribution found|Could not find a version that satisfies the requirement) .*"),
    ("uv", rf"^.*(?:Failed to fetch|error sending request for url|[Ff]ailed to download|Request failed).*?{_URL}"),
    ("uv", r"^.*(?:dns error|failed to lookup address information).*$"),
    ("git", rf"^fatal: unable to access .?(?:https?://(?P<host>{_HOST}))?.*(?:not resolve|to connect|timed out)"),
    ("git", rf"^ssh: Could not resolve hostname (?P<host>{_HOST})"),
    ("npm", rf"^npm (?:ERR!|error).*(?:ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ETIMEDOUT|ECONNRESET).*?(?P<host>{_HOST})"),
    ("npm", r"^npm (?:ERR!|error).*(?:ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ETIMEDOUT|ECONNRESET)"),
    ("go", rf"^.*dial tcp: lookup (?P<host>{_HOST})"),
    ("cargo", r"^.*(?:spurious network error|failed to download from|Couldn't resolve host name).*$"),
    ("gem", rf"^.*(?:Could not find a valid gem|Gem::RemoteFetcher::FetchError).*?{_URL}"),
    ("conda", r"^CondaHTTPError: .*$"),
    ("uv", r"^river-tests: nothing here answers: .*$"),
    ("python", r"^[\w.]+(?:Error|Exception): .*(?:name resolution|Name or service not known|Network is unreachable"
               r"|Failed to resolve|No address associated).*$"),
)
_OFFLINE = re.compile(
    r"could not resolve|name resolution|name or service not known|network is unreachable|unable to resolve host"
    r"|failed to connect to|connection timed out|could not connect to|failed to establish a new connection"
    r"|temporary failure resolving|ENOTFOUND|EAI_AGAIN|no route to host",
    re.IGNORECASE,
)
_REACHES = re.compile(
    r"https?:|\bftp\b|\b(?:curl|wget|pip3?|uvx?|pipx|conda|npm|npx|yarn|pnpm|apt|apt-get|apk|dnf|yum|gem|cargo|go|docker"
    r"|git|ssh|scp|sftp|rsync|nc|ncat|telnet|ping|dig|nslookup|host|openssl|ip|ifconfig|ss|netstat)\b\s"
    r"|\bsocket\b|if_nameindex|getaddrinfo|/proc/net|/sys/class/net|resolv\.conf|\brequests\b|urllib|httpx?\b|aiohttp"
    r"|smtplib|websocket|paramiko|/dev/(?:tcp|udp)",
    re.IGNORECASE,
)
_COMPILED = tuple((tool, re.compile(pattern)) for tool, pattern in _PATTERNS)
_INVOKED = {
    "apt": r"\bapt(?:-get)?\b", "curl": r"\bcurl\b", "wget": r"\bwget\b", "pip": r"\bpip3?\b", "uv": r"\buvx?\b",
    "git": r"\bgit\s+(?:\S+\s+)*?(?:clone|fetch|pull|submodule)\b", "npm": r"\b(?:npm|npx|yarn|pnpm)\b",
    "go": r"\bgo\s",
    "python": r"\b(?:urllib|requests|httpx|http\.client|urlopen|urlretrieve)\b",
    "cargo": r"\bcargo\b", "gem": r"\b(?:gem|bundle)\b", "conda": r"\b(?:conda|mamba)\b",
}
_FETCHERS = frozenset({"curl", "wget", "git"})
_RUNNERS = frozenset({"uv", "python"})
"""Without their download there is no test session: uv runs the tests, a Python download that fails ends its script."""
_MISSED = re.compile(r"(?:command not found|: not found|No module named|No such file or directory)")
_UNREACHABLE = re.compile(
    r"(?:gaierror|NameResolutionError|Name or service not known|Temporary failure in name resolution"
    r"|Failed to resolve '|nodename nor servname|Network is unreachable|No address associated with hostname)"
)
_RAISED = re.compile(r"^(?:[\w.]+(?:Error|Exception|gaierror)|[\w.]*gaierror)\b")
_COMMAND = re.compile(r"CalledProcessError: Command (.{3,400}?) returned non-zero exit status")
_FETCHES = re.compile(
    r"\b(?:pip3?|uv|apt(?:-get)?|npm|conda|gem|cargo|go) (?:\S+ ){0,4}?(?:install|update|get|sync|add|ci)\b"
    r"|\b(?:curl|wget|git) .*https?://(?!localhost|127\.|0\.0\.0\.0|\[)"
)
_FRAME = re.compile(r'^ *File "([^"\n]+)", line', re.MULTILINE)
_LOCAL = re.compile(r"^(?:localhost|127\.|0\.0\.0\.0|::1|.*\.local$|.*\.(?:py|txt|json|md|js)$)", re.IGNORECASE)


@dataclass(frozen=True)
class Download:
    """A download that failed: the tool, the host where the line names one, and the line of the log."""

    tool: str
    host: str | None
    line: str


def failed_downloads(text: str) -> list[Download]:
    """Every line of ``text`` that says that a download from an outside host failed, in order."""
    found = []
    for entry in plain(text).splitlines():
        entry = entry.strip()
        for tool, pattern in _COMPILED:
            match = pattern.match(entry)
            if match is None:
                continue
            host = match.groupdict().get("host")
            if host is None or not _LOCAL.match(host):
                found.append(Download(tool, host, line(entry)))
            break
    return found


def network_reason(text: str, report: PytestReport, verifier: Verifier, *, crashed: bool) -> str | None:
    """One sentence with host and line when the run failed for want of a network (see the module docstring)."""
    script = "\n".join(_scripts(verifier))
    before = SESSION_START.split(plain(text), maxsplit=1)[0] if report.started else text
    downloads = [found for found in failed_downloads(before) if re.search(_INVOKED[found.tool], script)]
    if report.started and not crashed:
        return (
            _missed_by_tests(downloads, report, verifier)
            or _failing_tests_reason(report)
            or _setup_reason(text, report, verifier)
        )
    missed = crashed or bool(_MISSED.search(text))
    for download in downloads:
        named = download.host is not None and download.host in script
        if missed or download.tool in _RUNNERS or (download.tool in _FETCHERS and named):
            best = min(downloads, key=lambda found: _telling(found, script))
            return _sentence(best)
    return _script_reason(text, verifier)


def _script_reason(text: str, verifier: Verifier) -> str | None:
    """Every traceback of a plain Python verifier comes from its own files, which were to download something."""
    own = {posixpath.basename(file.path) for file in verifier.files if file.path.endswith(".py")}
    raised = tracebacks(plain(text))
    for failure in raised:
        frames = {posixpath.basename(path) for path in _FRAME.findall(failure.text)}
        if not own & frames or not _UNREACHABLE.search(failure.words):
            return None
    return f"the verifier could not download what it wants: {line(raised[0].words)}" if raised else None


def _telling(download: Download, script: str) -> tuple[bool, bool, bool]:
    """Sorts the line first that tells most: a host that the script names, a host, a word about names not resolving."""
    named = download.host is not None and download.host in script
    return not named, download.host is None, not re.search(r"resolv|lookup|connect", download.line)


def _sentence(download: Download) -> str:
    where = f"from {download.host}" if download.host else "a package"
    return f"the verifier could not download {where} ({download.tool}): {download.line}"


def _missed_by_tests(downloads: list[Download], report: PytestReport, verifier: Verifier) -> str | None:
    """A download before the tests failed, and it was no tool of theirs but something that they look at or import."""
    if not downloads:
        return None
    bootstrap = recognise(verifier)
    for download in downloads:
        if any(download.host and download.host in command for command in bootstrap.unknown):
            return _sentence(download)
    names = {(requirement_name(text) or "").lower().replace("-", "_") for text in bootstrap.pip}
    missing = {found.group(1).split(".")[0].lower() for test in report.tests
               if (found := re.search(r"No module named '([\w.]+)'", test.message))}
    installer = next((download for download in downloads if download.tool in ("pip", "uv")), None)
    return _sentence(installer) if installer and names & missing else None


def _failing_tests_reason(report: PytestReport) -> str | None:
    """All failed tests raised an exception about an outside host that could not be reached."""
    failed = [test for test in report.tests if test.outcome in ("failed", "error")]
    if not failed or not all(_RAISED.match(test.message) and _UNREACHABLE.search(test.message) for test in failed):
        return None
    if any(test.message.startswith("AssertionError") for test in failed):
        return None
    return f"every failed test could not reach an outside host: {failed[0].name}: {line(failed[0].message)}"


def _setup_reason(text: str, report: PytestReport, verifier: Verifier) -> str | None:
    """All failed tests failed before they began, where the tests' own set-up downloads something."""
    failed = reported(text, report.tests)
    if not failed or not all(failure.phase == "setup" for failure in failed):
        return None
    code = "\n".join(file.content.decode("utf-8", "replace") for file in verifier.files if file.path.endswith(".py"))
    told = [_download_of(failure, code) for failure in failed]
    return f"every failed test was to download something first: {told[0]}" if all(told) else None


def _download_of(failure: Failure, code: str) -> str | None:
    """The line of a failure that says which download of the tests' own ``code`` did not succeed."""
    for found in failed_downloads("\n".join((*failure.errors, failure.text))):
        if re.search(_INVOKED[found.tool], code):
            return line(found.line)
    command = _COMMAND.search("\n".join(failure.errors))
    if command and _FETCHES.search(re.sub(r"[\s',\[\]\"]+", " ", command.group(1))):
        return line(command.group(0))
    return None


def _scripts(verifier: Verifier) -> list[str]:
    """The texts of the verifier's shell scripts and of its entry."""
    return [
        file.content.decode("utf-8", "replace")
        for file in verifier.files
        if file.path == verifier.entry or file.path.endswith((".sh", ".bash"))
    ]


def says_unreachable(output: str) -> bool:
    """Whether what a program printed speaks of a host that it could not reach: a hint, no proof."""
    return bool(_OFFLINE.search(output))


def may_reach_out(text: str) -> bool:
    """Whether a script names anything that may use a network: where nothing does, its absence explains nothing."""
    return bool(_REACHES.search(text))
