"""The report must equal what the log says; the log is the verifier's own copy."""
import json
import re
from pathlib import Path

LINE = re.compile(r"(Failed|Accepted) (password|publickey) for (?:invalid user )?(\S+) from (\S+) port")


def compromised():
    failures, found = {}, {}
    for line in Path("/tests/auth.log").read_text().splitlines():
        match = LINE.search(line)
        if not match:
            continue
        verb, how, user, ip = match.groups()
        if verb == "Failed":
            failures[ip] = failures.get(ip, 0) + 1
        elif how == "password" and failures.get(ip, 0) >= 5 and ip not in found:
            found[ip] = {"ip": ip, "user": user, "failures": failures[ip]}
    return [found[ip] for ip in sorted(found)]


def test_report_names_exactly_the_guessers():
    report = json.loads(Path("/app/report.json").read_text())
    assert report == {"compromised": compromised()}
