"""The check digits of random and invalid route numbers."""
import random
import re
import subprocess


def check(number):
    if not re.fullmatch(r"[0-9]{4,12}", number):
        return "-"
    total = 5 if number[0] == "0" else 0
    for position, digit in enumerate(reversed(number), start=1):
        total += int(digit) * (7 if position % 2 else 3 if position % 4 == 0 else 9)
    value = (11 - total % 11) % 11
    return "X" if value == 10 else str(value)


def test_numbers():
    source = random.Random(9120)
    numbers = ["".join(source.choice("0123456789") for _ in range(source.randint(1, 14))) for _ in range(400)]
    numbers += ["12a4", "-1234", "1234.0", "0000", "0001", "12 34", "1e10"]
    done = subprocess.run(
        ["python3", "/home/user/routecheck.py"], input="\n".join(numbers) + "\n", capture_output=True, text=True, timeout=20
    )
    assert done.stdout.split() == [check(number) for number in numbers]
