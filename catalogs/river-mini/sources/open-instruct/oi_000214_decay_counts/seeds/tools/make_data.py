"""Makes the decay data of this exercise, and the summary that goes with it, in the current directory."""
import json
import random

source = random.Random(77)
counts = [round(1000 * 0.9 ** k + source.gauss(0, 5)) for k in range(40)]
with open("counts.txt", "w") as out:
    out.writelines(f"{count}\n" for count in counts)
half = next(k for k, count in enumerate(counts) if count < counts[0] / 2)
with open("summary.json", "w") as out:
    json.dump({"half_at": half, "total": sum(counts), "late": sum(counts[-10:])}, out)
