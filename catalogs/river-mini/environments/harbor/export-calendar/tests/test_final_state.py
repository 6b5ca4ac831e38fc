"""The converted events, in order."""
import json
from pathlib import Path

EVENTS = [{'title': 'Stand-up', 'day': '2025-06-02', 'minutes': 15}, {'title': 'Choir; rehearsal', 'day': '2025-06-02', 'minutes': 125}, {'title': 'Dentist', 'day': '2025-06-03', 'minutes': 70}, {'title': 'Night shift', 'day': '2025-06-30', 'minutes': 480}]


def test_events():
    assert json.loads(Path("/app/calendar.json").read_text()) == EVENTS
