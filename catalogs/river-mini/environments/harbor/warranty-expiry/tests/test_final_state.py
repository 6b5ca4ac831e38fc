"""Days of warranty left on the given day."""
import csv

WARRANTY = [['LP-204', '-185'], ['SV-044', '-119'], ['LP-377', '-1'], ['PR-110', '180'], ['SV-019', '180']]


def test_warranty():
    with open("/app/warranty.csv", newline="") as handle:
        rows = [[cell.strip() for cell in row] for row in csv.reader(handle) if row]
    assert rows == [["device", "days_left"], *WARRANTY]
