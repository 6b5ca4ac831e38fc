"""The five facts about the outage."""
from pathlib import Path

FACTS = {
    "service": "stock",
    "start": "09:16:44",
    "message": "lease lost on shard 6",
    "affected": "cart,search,stock",
    "seconds": "323",
}


def test_facts():
    lines = [line.strip() for line in Path("/home/user/incident.env").read_text().splitlines() if line.strip()]
    assert len(lines) == len(FACTS)
    assert dict(line.split("=", 1) for line in lines) == FACTS
