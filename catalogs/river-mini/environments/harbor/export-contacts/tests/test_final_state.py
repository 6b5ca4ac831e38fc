"""The converted contacts."""
import json
from pathlib import Path

CONTACTS = [{'name': 'Kaya Lind', 'email': 'kaya@ex.org', 'phone': '+47 555 01'}, {'name': 'Mia Berg', 'email': 'mia@ex.org', 'phone': '+46 555 03'}, {'name': 'Otto Maas', 'email': None, 'phone': '+31 555 02'}, {'name': 'Suri Rao', 'email': 'suri@ex.org', 'phone': None}]


def test_contacts():
    given = json.loads(Path("/app/contacts.json").read_text())
    assert given["contacts"] == CONTACTS


def test_importer_accepts_the_file():
    given = json.loads(Path("/app/contacts.json").read_text())
    assert given["format_version"] == 2
