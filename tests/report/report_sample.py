"""A catalog with one of everything that the page shows, some of it hostile."""

from river_envs.catalog import (
    Estimate,
    ImageRecord,
    InputRow,
    JudgedRecord,
    LeadRecord,
    ScoreRecord,
    SubsetMember,
    SubsetRecord,
    open_catalog,
)
from river_envs.causes import CAUSES
from river_envs.environment import Environment, File, ImageRecipe, Metadata, Reference, Verifier
from river_envs.outcome import Outcome, Status
from river_envs.probes.base import Attempt, Finding, Put, Result, Run, Step

HOSTILE = '<script>alert(1)</script>"\'><img src=x onerror=alert(2)> {{ 7*7 }} \x1b[2J \u202egnp.exe </style></title>'

DOMAINS = ("security", "software_engineering", "file_operations", "data_querying", "data_science", "debugging",
           "scientific_computing", "data_processing", "system_administration")
KINDS = ("exact_text", "metric_threshold", "adversarial_corpus", "fuzz_equivalence", "multi_protocol")
STATES = ("sound", "defective", "sound", "defective", "resisted", "sound", "defective", "unverified")
FOUND = ("pays-for-nothing", "existence-only", "printed-answer", "image-answer", "existence-only", "shape-only",
         "flaky", "reference-fails", "verifier-crashes", "pays-for-nothing")


ANSWER = "/app/answer.txt"


def environment(number, name=None, **changes):
    verifier = Verifier("harbor", (File("test.sh", f"grep -qx {number} /app/answer.txt".encode()),), "test.sh")
    metadata = Metadata(domain=DOMAINS[number * 5 % 9], verifier_kind=KINDS[number * 3 % 5])
    reference = Reference("shipped", (File("solve.sh", b"true"),)) if number % 4 else None
    return Environment(
        name or f"{metadata.domain.replace('_', '-')}-task-{number:03}", "river-mini", ["harbor", "tmax"][number % 2],
        changes.pop("instruction", f"Count the lines of /app/log{number}.txt and then write it to the file {ANSWER}."),
        ImageRecipe("dockerfile", "FROM x", (File("Dockerfile", b"FROM x"),)), verifier, reference, metadata, **changes,
    )


def build(path, number=48, hostile=True, kept=8):
    """A catalog at ``path`` with ``number`` audited environments and a few odd ones."""
    catalog = open_catalog(path, create=True)
    batch = [environment(i) for i in range(number)]
    if hostile and number:
        batch[1] = environment(1, HOSTILE, instruction=HOSTILE * 3)
    unsupported = environment(number, unsupported=("multi-step",))
    waiting = environment(number + 1)
    everyone = [*batch, unsupported, waiting]
    with catalog.writer() as writer:
        results = writer.add_environments(everyone, [f"corpus/{item.id}" for item in everyone])
        rows = [InputRow(f"corpus/{item.id}", "s", result, item.id, "multi-step" if item.unsupported else "")
                for item, result in zip(everyone, results, strict=True)]
        rows.append(InputRow("corpus/broken", "s", "rejected", None, "task.toml is not TOML: line 3"))
        odd = f"corpus/{HOSTILE if hostile else 'x'}"
        rows.append(InputRow(odd, "s", "rejected", None, "tests/test.sh is missing"))
        rows.append(InputRow("corpus/copy", "s", "duplicate", waiting.id, f"the same as {waiting.name}"))
        writer.add_inputs("run", rows)
        writer.replace_judgements(_judged(writer, batch, hostile))
        writer.add_results(_infrastructure(batch), backend="bubblewrap")
        if number:
            log = "E: Unable to locate package foo"
            writer.add_images([ImageRecord(batch[7].id, "build-failed", "bubblewrap", log=log)])
            writer.add_mark(batch[3].id, "exclude", "in our evaluation set", "ann")
        sound = [item for i, item in enumerate(batch) if STATES[i % 8] == "sound"]
        writer.add_subset(SubsetRecord(
            "subset01", "river-envs filter --keep 0.3 -o subset", 0, 0.3, {"tier": "resisted"}, "hash",
            [SubsetMember(item.id, True, i + 1, "sound", "sound", 0.9) for i, item in enumerate(sound[:kept])]
            + [SubsetMember(item.id, False, None, "sound", "sound, but the 8 places were taken by higher quality", 0.8)
               for item in sound[kept:]]
            + [SubsetMember(item.id, False, None, None, "defective: flaky") for i, item in enumerate(batch)
               if STATES[i % 8] == "defective"],
        ))
    return catalog


def _judged(writer, batch, hostile):
    judged, defects = {}, 0
    for i, item in enumerate(batch):
        state = STATES[i % 8]
        findings = ()
        if state == "defective":
            causes = (FOUND[defects % 10],) if defects % 6 else (FOUND[defects % 10], "no-reward-file")
            defects += 1
            findings = tuple(_finding(writer, item, cause, hostile and i == 1) for cause in causes)
        quality = {"sound": 0.98, "resisted": 0.7, "defective": 0.1, "unverified": None}[state]
        score = ScoreRecord(quality=Estimate(quality - i / 997, 0, 1) if quality else Estimate())
        reasons = ("control did not run (needs-network)",) if state == "unverified" else ()
        seen = HOSTILE if hostile and i == 1 else "time.sleep(1)"
        leads = tuple(
            LeadRecord(item.id, "sleep", ("flaky",), "tests/t.py", line, seen)
            for line in range(1, 3 + 8 * (i == 1))
        ) if i % 8 < 2 else ()
        judged[item.id] = JudgedRecord(state, tuple(f.cause for f in findings), reasons, (), findings, score, leads)
    return judged


def _finding(writer, item, cause, hostile):
    log = HOSTILE if hostile else "test_final_state.py ..   [100%]\n\n2 passed in 0.03s\n"
    attempts = []
    for repeat in range(2):
        attempt = Attempt(
            item.id, f"probe-{cause}", 1, repeat=repeat,
            actions=(Put((File("app/answer.txt", b""),)), Run("touch /app/answer.txt")),
            question="Does an empty file at the path that the instruction names earn the reward?",
        )
        receipt = (Step({"run": "touch /app/answer.txt"}, True, 0),)
        outcome = Outcome(Status.GRADED, 1.0, True, {"reward": 1.0}, log=log, seconds=0.42,
                          substitutions=("base x is the host",))
        attempts.append(Result(attempt, outcome, receipt))
    writer.add_results(attempts, backend="bubblewrap")
    known = CAUSES[cause]
    seen = f"{known.seen[0].upper()}{known.seen[1:]}: /app/answer.txt earned 1.0 in 2 of 2 attempts."
    return Finding(
        item.id, known.claim, cause, "rollout-visible", f"probe-{cause}",
        HOSTILE if hostile else seen,
        "Compare the content with the expected value, not only that the file exists.",
        tuple(result.attempt.id for result in attempts),
        {"path": HOSTILE if hostile else "/app/answer.txt", "rewards": [1.0, 1.0]},
    )


def _infrastructure(batch):
    failures = (Status.NEEDS_NETWORK, Status.VERIFIER_TIMEOUT, Status.NEEDS_NETWORK)
    return [
        Result(Attempt(item.id, "untouched", 1), Outcome(status, detail=f"{status.value}: example.org was asked for"))
        for item, status in zip(batch[7::8], failures, strict=False)
    ]
