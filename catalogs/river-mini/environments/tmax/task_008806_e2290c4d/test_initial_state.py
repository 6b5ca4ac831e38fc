"""The image before anyone has worked on it."""
from pathlib import Path


def test_inputs_are_there():
    for name in ["/home/user/rentals.csv"]:
        assert Path(name).exists(), name


def test_outputs_are_not_there_yet():
    for name in ["/home/user/invoices.csv"]:
        assert not Path(name).exists(), name
