"""Whether an instruction makes the present part of what is asked: such work may rightly be judged by the clock."""

from __future__ import annotations

import re
from typing import Final

_UNIT: Final = r"(?:second|minute|hour|day|week|month|year)s?"
_PRESENT: Final = re.compile(
    rf"""
    \btoday\b | \btoday's\b | \btomorrow\b | \byesterday\b | \b(?:right|just)\ now\b | \bnow\(\) | \bas\ of\ now\b
    | \b(?:current|present|actual|system|local|wall[- ]clock)\s+(?:\w+\s+){{0,2}}?
      (?:date|time|timestamp|datetime|day|week|month|year|hour|clock)\b
    | \bthe\ (?:date|day|time)\ of\ (?:the\ )?(?:run|report|writing|creation|generation|execution|backup|build)\b
    | \bthis\s+(?:day|week|month|year)\b | \b(?:last|past|previous|preceding)\s+(?:\d+|\w+)?\s*{_UNIT}\b
    | \b(?:older|newer|younger|fresher|more\s+recent)\s+than\s+(?:\S+\s+){{0,2}}?(?:{_UNIT}|files?|inputs?|sources?)\b
    | \b{_UNIT}\s+(?:old|ago|from\ now)\b | \bexpir(?:e|es|ed|y|ing|ation)\b | \bcertificates?\b
    | \bvalid(?:ity)?\s+(?:for|until|from|period)\b | \bTTL\b | \btime[- ]to[- ]live\b | \bretention\b
    | \bfresh(?:ness|ly)?\b | \bup[- ]to[- ]date\b | \brecent(?:ly)?\b | \b[mac]times?\b | \btouch\s+-
    | \b(?:modification|access|creation|change)\s+(?:time|date)s?\b
    | \btime[ -]?stamps?\s+of\s+(?:\w+\s+){{0,2}}?(?:files?|run|report|backup|build|creation)\b
    | \b(?:generated|created|updated|modified|issued)[_ ](?:at|on)\b
    | \blast[_ ](?:updated|modified)\b | \bdate\s+(?:\+|-u\b|-I\b|--) | \$\(date\b
    """,
    re.IGNORECASE | re.VERBOSE,
)


def asks_for_present(instruction: str) -> str:
    """The words of ``instruction`` that let the day of grading matter: it asks for the present, for something that
    runs out, or for time stamps; "" where it has none.
    """
    found = _PRESENT.search(instruction)
    return " ".join(found.group(0).split()) if found else ""
