"""The recovered configuration, byte for byte."""
import hashlib
from pathlib import Path

SHA256 = "e2f327ab2160f55bbf2f20e3e8a4997118bc3376c3bc27f02a57a84ca7304fac"


def test_configuration():
    assert hashlib.sha256(Path("/app/site.conf").read_bytes()).hexdigest() == SHA256
