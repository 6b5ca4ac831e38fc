"""Security programs: filters and decisions judged on inputs that the image does not hold."""

from __future__ import annotations

import ipaddress
import random
import string

from . import pools
from .base import Task, family, fill, program
from .checks import suite
from .text import brief


def _luhn(digits: str) -> bool:
    total = 0
    for place, digit in enumerate(reversed(digits)):
        value = int(digit) * (1 + place % 2)
        total += value - 9 if value > 9 else value
    return total % 10 == 0


def _card(rng: random.Random, *, valid: bool) -> str:
    body = str(rng.randrange(3, 7)) + "".join(rng.choice(string.digits) for _ in range(14))
    last = next(digit for digit in string.digits if _luhn(body + digit))
    return body + (last if valid else str((int(last) + rng.randrange(1, 10)) % 10))


@family("redaction-filter", domain="security", kind="adversarial_corpus", skills=("regular_expressions", "checksums"),
        complexity="complex")
def redaction_filter(rng: random.Random) -> Task:
    """A stdin filter that hides tokens and card numbers, and nothing that only looks like them."""
    path = f"{pools.root(rng)}/{rng.choice(('redact', 'scrub', 'mask'))}"
    prefix = rng.choice(("tok", "key", "sess", "pat")) + "_"
    mark_token, mark_card = rng.choice((("[TOKEN]", "[CARD]"), ("<secret>", "<pan>"), ("{{T}}", "{{C}}")))
    hexes = lambda count: "".join(rng.choice("0123456789abcdef") for _ in range(count))  # noqa: E731
    cases = []
    for _ in range(70):
        before, behind = rng.choice(pools.PEOPLE), rng.choice(pools.WORDS)
        kind = rng.randrange(9)
        card, bad = _card(rng, valid=True), _card(rng, valid=False)
        mark = rng.choice((" ", "-"))
        groups = lambda text, sep: sep.join(text[i:i + 4] for i in range(0, 16, 4))  # noqa: E731
        line, wanted = [
            (f"{prefix}{hexes(16)}", mark_token), (f"({prefix}{hexes(16)});", f"({mark_token});"),
                (f"x{prefix}{hexes(16)}", ""),
            (f"{prefix}{hexes(15)}", ""), (card, mark_card), (f"{groups(card, mark)}.", f"{mark_card}."),
            (rng.choice((bad, groups(bad, mark))), ""), (f"{card}{rng.randrange(10)}", ""),
            (rng.choice((f"{card[:4]} {card[4:8]}-{card[8:12]} {card[12:]}",
                         f"{prefix}{hexes(17)}",
                         f"{prefix}{hexes(16)}_",
                         f"{prefix}{hexes(15).upper()}A",
                         f"{card[:8]} {card[8:]}")), ""),
        ][kind]
        cases.append([f"{before} {line} {behind}", f"{before} {wanted or line} {behind}"])
    cases += [["", ""], [f"{prefix}{hexes(16)} {prefix}{hexes(16)}", f"{mark_token} {mark_token}"]]
    rng.shuffle(cases)
    text = brief(
        rng, "Hide secrets in a stream",
        (f"Write a filter `{path}` that hides secrets in log text.",
         f"Our logs leak credentials. Please create the program `{path}`; it copies standard input to standard "
         "output and masks secrets on the way.",
         f"Deliver an executable `{path}`: text in on stdin, the same text with secrets masked on stdout."),
        [(f"A token is `{prefix}` followed by exactly 16 characters out of 0-9 and a-f (lower case). Neither "
          "directly before nor directly after it may stand a letter, a digit or an underscore. Replace the whole "
          f"token by `{mark_token}`.",
          f"Replace every token by `{mark_token}`. Tokens are the prefix `{prefix}` plus exactly sixteen lower-case "
          "hexadecimal digits, not touching a further letter, digit or underscore on either side."),
         ("A card number has 16 digits, either in one run or as four groups of four with the same separator (one "
          "space or one hyphen) all three times. No digit may touch it on either side, and it must pass the Luhn "
          f"check. Replace it by `{mark_card}`.",
          f"Replace card numbers by `{mark_card}`: 16 digits without separators, or 4-4-4-4 separated by single "
          "spaces throughout or by single hyphens throughout, with no further digit directly before or behind, and "
          "valid by the Luhn algorithm."),
         "Everything else stays byte for byte as it is, near misses included."],
        [(f"`{path}` must be executable as it stands (shebang line and mode); it gets no arguments and is run on "
          "inputs that you have not seen.",
          "The file must be directly executable, takes no arguments, and will be tried on hidden inputs. ")],
        example=("text", f"in:  login {prefix}XXXXXXXXXXXXXXXX ok\nout: login {mark_token} ok"),
    )
    code = r'''
        #!/usr/bin/env python3
        import re, sys
        def card(match):
            total = 0
            for i, c in enumerate(reversed(re.sub(r"\D", "", match[0]))):
                d = int(c) * (1 + i % 2)
                total += d - 9 if d > 9 else d
            return match[0] if total % 10 else "@card@"
        token = re.compile(r"(?<![A-Za-z0-9_])@prefix@[0-9a-f]{16}(?![A-Za-z0-9_])")
        number = re.compile(r"(?<!\d)\d{4}([ -]?)\d{4}\1\d{4}\1\d{4}(?!\d)")
        for line in sys.stdin:
            sys.stdout.write(number.sub(card, token.sub("@token@", line)))
    '''
    prelude = fill('''
        def masked(lines):
            return [line.rstrip("\\r") for line in run(["@path@"], "\\n".join(lines) + "\\n").split("\\n")]
    ''', path=path)
    checks = {
        "secrets_are_hidden": "evil = [case for case in CASES if case[0] != case[1]]\n"
                              "got = masked([case[0] for case in evil])\n"
                              "assert got[: len(evil)] == [case[1] for case in evil]",
        "everything_together": "got = masked([case[0] for case in CASES])\n"
                               "assert got[: len(CASES)] == [case[1] for case in CASES]",
        "the_rest_is_kept": "clean = [case[0] for case in CASES if case[0] == case[1]]\n"
                            "assert masked(clean)[: len(clean)] == clean",
    }
    make = {"prefix": prefix, "token": mark_token, "card": mark_card}
    naive = code.replace('return match[0] if total % 10 else "@card@"', 'return "@card@"')
    return Task(
        text, suite(rng, checks, data={"CASES": cases}, prelude=prelude), program(path, code, **make),
            workdir=path.rsplit("/", 1)[0],
        wrong={
            "identity": program(path, "#!/bin/sh\nexec cat"),
            "no luhn": program(path, naive, **make),
            "no boundary": program(path, code.replace("(?<![A-Za-z0-9_])", ""), **make),
        },
        equal={"comment": program(path, code, **make) + f"sed -i '1a # masks' {path}\n"},
    )


@family("path-guard", domain="security", kind="adversarial_corpus", skills=("input_validation", "url_decoding"),
        complexity="complex")
def path_guard(rng: random.Random) -> Task:
    """Which requested paths stay inside a base directory, and what they become."""
    path = f"{pools.root(rng)}/{rng.choice(('guard.py', 'pathcheck', 'confine'))}"
    yes, no = rng.choice((("ALLOW", "DENY"), ("ok", "refused"), ("inside", "escape")))
    backslash = rng.random() < 0.5

    def decide(text: str) -> str:
        out, place = bytearray(), 0
        while place < len(text):
            pair = text[place + 1:place + 3]
            if text[place] == "%" and len(pair) == 2 and all(c in string.hexdigits for c in pair):
                out.append(int(pair, 16))
                place += 3
            else:
                out += text[place].encode()
                place += 1
        name = out.decode()
        if "\0" in name:
            return no
        stack: list[str] = []
        for part in (name.replace("\\", "/") if backslash else name).split("/"):
            if part == "..":
                if not stack:
                    return no
                stack.pop()
            elif part not in ("", "."):
                stack.append(part)
        return f"{yes} /{'/'.join(stack)}"

    words, requests = pools.some(rng, pools.WORDS, 12), []
    pieces = [".", "..", "%2e%2e", "..%2f..", "%2E.", "...", "", "%252e%252e", "a%00b", "%zz", "..\\..", "%5c..",
        "b%20c", "%"]
    for _ in range(90):
        parts = [rng.choice(words) if rng.random() < 0.6 else rng.choice(pieces) for _ in range(rng.randrange(1, 7))]
        requests.append(("/" if rng.random() < 0.4 else "") + "/".join(parts))
    requests += ["/", "..", f"{words[0]}/../..", f"{words[0]}/%2e%2e/{words[1]}", f"/{words[2]}/..//../{words[0]}"]
    requests = [item for item in dict.fromkeys(requests) if item]
    cases = [[item, decide(item)] for item in requests]
    slash = "A backslash is an ordinary character."
    if backslash:
        slash = "A backslash separates directories just like a slash."
    text = brief(
        rng, "Confine request paths",
        (f"Create the program `{path}`, which decides whether requested paths stay inside the document directory.",
         f"`{path}` is to protect a file server from directory traversal. It does not exist yet: write it.",
         f"Write an executable `{path}` that normalises request paths and refuses those that climb out."),
        ["It reads one request path per line from standard input and prints one line for each, in the same order.",
         ("First decode percent escapes once: `%` and two hexadecimal digits (either case) become that byte "
          "(UTF-8); any other `%` stays. What comes out is not decoded again.",
          "Percent escapes are decoded exactly once (`%` plus two hex digits of any case, UTF-8 bytes); a `%` "
          "without two hex digits is literal, and the result is not decoded a second time."),
         slash,
         ("Then split at separators. Empty parts and `.` vanish, `..` removes the part before it. A leading slash "
          "means nothing: every path is relative to the document directory.",
          "After splitting at the separators drop empty parts and `.`; `..` drops the preceding part. Paths with "
          "and without a leading slash mean the same.")],
        [("A path is refused when a `..` finds nothing to remove, even if later parts would lead back, or when the "
          f"decoded path holds a NUL byte: print `{no}`. Otherwise print `{yes}`, a space, a slash and the remaining "
          "parts joined by slashes.",
          f"Print `{no}` if a `..` has no part left to remove (at any point) or if decoding yields a NUL byte. In "
          f"all other cases print `{yes} /REST` where REST are the remaining parts joined with `/` (nothing for the "
          "document directory itself)."),
         "The file must be executable by itself and works on any input, not only on those you can think of."],
        example=("", f"zero/./one/        ->  {yes} /zero/one\n../etc             ->  {no}"),
    )
    code = r'''
        #!/usr/bin/env python3
        import re, sys
        for raw in sys.stdin.buffer:
            raw = raw.rstrip(b"\n")
            name = re.sub(rb"%([0-9a-fA-F]{2})", lambda m: bytes([int(m[1], 16)]), raw)
            if @back@:
                name = name.replace(b"\\", b"/")
            stack, bad = [], b"\0" in name
            for part in name.split(b"/"):
                if part == b"..":
                    if not stack:
                        bad = True
                        break
                    stack.pop()
                elif part not in (b"", b"."):
                    stack.append(part)
            sys.stdout.buffer.write(b"@no@\n" if bad else b"@yes@ /" + b"/".join(stack) + b"\n")
    '''
    make = {"yes": yes, "no": no, "back": backslash}
    check = fill('''
        got = [line.rstrip() for line in run(["@path@"], "".join(case[0] + "\\n" for case in CASES)).splitlines()]
        assert got == [case[1].rstrip() for case in CASES]
    ''', path=path)
    alone = fill('''
        for request, answer in CASES[:3]:
            assert run(["@path@"], request + "\\n").strip() == answer
    ''', path=path)
    return Task(
        text, suite(rng, {"corpus": check, "single_requests": alone}, data={"CASES": cases}),
            program(path, code, **make),
        workdir=path.rsplit("/", 1)[0],
        wrong={
            "refuses all": program(path, f"#!/bin/sh\nsed 's/.*/{no}/'"),
            "no decoding": program(path, code.replace("{2})", "{9})"), **make),
            "accepts all": program(path, f"#!/bin/sh\nsed 's,^/*,{yes} /,'"),
        },
        equal={"stderr": program(path, code, **make) + f"sed -i '2a sys.stderr.write(\"start\")' {path}\n"},
    )


@family("firewall-rules", domain="security", kind="fuzz_equivalence", skills=("networking", "rule_engines"),
    complexity="complex")
def firewall_rules(rng: random.Random) -> Task:
    """First-match packet filtering with CIDR ranges and port ranges."""
    path = f"{pools.root(rng)}/{rng.choice(('fwsim', 'packets.py', 'decide'))}"
    verdicts = rng.choice((("accept", "drop"), ("permit", "deny"), ("pass", "block")))

    def ruleset() -> tuple[list[str], list[list[str]]]:
        rules, packets, nets, edges = [], [], [], [1, 299]
        for _ in range(rng.randrange(4, 9)):
            net = ipaddress.ip_network(f"10.{rng.randrange(4)}.{rng.randrange(4)}.{rng.randrange(256)}/"
                                       f"{rng.choice((8, 14, 16, 22, 24, 27, 30, 32))}", strict=False)
            nets.append(net)
            low = rng.randrange(2, 200)
            high = low + rng.randrange(1, 90)
            port = rng.choice(("*", str(low), f"{low}-{high}", f"{low}-{high}"))
            edges += [low, low - 1, high, high + 1]
            rules.append(f"{rng.choice(verdicts)} {rng.choice(('tcp', 'udp', '*'))} {rng.choice((str(net), '*'))} "
                         f"{port}")
        for _ in range(60):
            net = rng.choice(nets)
            address = net.network_address + rng.randrange(-1, net.num_addresses + 1) if rng.random() < 0.8 else \
                ipaddress.ip_address(f"10.{rng.randrange(5)}.{rng.randrange(4)}.{rng.randrange(256)}")
            packets.append([rng.choice(("tcp", "udp")), str(address), str(rng.choice(edges))])
        return rules, packets

    def decide(rules: list[str], packet: list[str]) -> str:
        for number, rule in enumerate(rules, 1):
            verdict, protocol, source, ports = rule.split()
            low, _, high = ports.partition("-")
            if protocol in ("*", packet[0]) and (ports == "*" or int(low) <= int(packet[2]) <= int(high or low)) and (
                    source == "*" or ipaddress.ip_address(packet[1]) in ipaddress.ip_network(source)):
                return f"{verdict} {number}"
        return f"{verdicts[1]} 0"

    cases = []
    for _ in range(4):
        rules, packets = ruleset()
        cases.append({"rules": rules, "packets": [" ".join(p) for p in packets],
            "wanted": [decide(rules, p) for p in packets]})
    text = brief(
        rng, "Packet filter simulator",
        (f"Implement a packet filter simulator as the executable `{path}`.",
         f"We want to try out firewall rules offline. Please write `{path}`.",
         f"Write the program `{path}` that says what a rule file does with packets."),
        [("It is called as `PROGRAM RULEFILE`; packets come on standard input, one a line: `PROTOCOL SOURCE PORT`.",
          "Its only argument is a rule file. Standard input has one packet per line, written `PROTOCOL SOURCE PORT`."),
         (f"A rule is `VERDICT PROTOCOL SOURCE PORTS`: VERDICT is {verdicts[0]} or {verdicts[1]}, PROTOCOL tcp, udp "
          "or `*`, SOURCE an IPv4 network in CIDR notation or `*`, PORTS one port, an inclusive range `LOW-HIGH`, "
          "or `*`. The star matches anything.",
          f"Rules have four fields separated by single spaces: verdict ({verdicts[0]}/{verdicts[1]}), protocol (tcp, "
          "udp, `*` for any), source network (IPv4 CIDR, `*` for any), ports (number, `low-high` with both ends "
          "included, `*` for any)."),
         "The first rule that matches all of protocol, source and port decides."],
        [("Print for each packet the verdict, a space, and the number of the deciding rule (the first line is 1); "
          f"when no rule matches print `{verdicts[1]} 0`.",
          "One output line per packet in input order: verdict and number of the rule (counted from 1), e.g. verdict "
          f"4 for the fourth rule; without a match it is `{verdicts[1]} 0`."),
         "It must be executable as it is, and is checked with rule files and packets of ours."],
        example=("",
                 f"rules:   {verdicts[0]} tcp 192.0.2.0/24 9000-9010\npacket:  tcp 192.0.2.5 9003\noutput:  "
                 f"{verdicts[0]} 1"),
    )
    code = '''
        #!/usr/bin/env python3
        import sys
        def number(text):
            a, b, c, d = map(int, text.split("."))
            return a << 24 | b << 16 | c << 8 | d
        rules = []
        for line in open(sys.argv[1]):
            if line.strip():
                verdict, protocol, source, ports = line.split()
                net, bits = source.split("/") if source != "*" else ("0.0.0.0", "0")
                shift = 32 - int(bits)
                low, _, high = ports.partition("-")
                span = (0, 1 << 20) if ports == "*" else (int(low), int(high or low))
                rules.append((verdict, protocol, number(net) >> shift, shift, span))
        for line in sys.stdin:
            protocol, source, port = line.split()
            for i, (verdict, wanted, net, shift, span) in enumerate(rules, 1):
                if wanted in ("*", protocol) and number(source) >> shift == net and span[0] <= int(port) <= span[1]:
                    print(verdict, i)
                    break
            else:
                print("@default@ 0")
    '''
    check = fill('''
        for number, case in enumerate(CASES):
            rules = Path("/tmp/rules-%d.txt" % number)
            rules.write_text("\\n".join(case["rules"]) + "\\n")
            lines = run(["@path@", str(rules)], "\\n".join(case["packets"]) + "\\n").splitlines()
            assert [line.split() for line in lines] == [line.split() for line in case["wanted"]], case["rules"]
    ''', path=path)
    return Task(
        text, suite(rng, {"decisions": check}, data={"CASES": cases}), program(path, code, default=verdicts[1]),
        workdir=path.rsplit("/", 1)[0],
        wrong={
            "constant": program(path, f"#!/bin/sh\nsed 's/.*/{verdicts[1]} 0/'"),
            "open range": program(path, code.replace("<= span[1]", "< span[1]"), default=verdicts[1]),
            "stub": program(path, "#!/bin/sh\nexit 0"),
        },
        equal={
            "spaces": program(path, code.replace("print(verdict, i)", "print(verdict, i, end=' \\n')"),
            default=verdicts[1]),
        },
    )
