"""Data processing: programs that work on streams."""

from __future__ import annotations

import random

from . import pools
from .base import Task, family, fill, program
from .checks import suite
from .text import brief


@family("window-aggregator", domain="data_processing", kind="fuzz_equivalence", skills=("streams", "windows"),
    complexity="complex")
def window_aggregator(rng: random.Random) -> Task:
    """A filter that sums events per key and time window, dropping late ones."""
    path, size = f"{pools.root(rng)}/{rng.choice(('windows', 'aggregate.py', 'tumble'))}", rng.choice((10, 60, 100))
    late, fold = rng.choice((5, 20, 45)), rng.choice(("sum", "max"))

    def expected(events: list[list]) -> list[dict]:
        newest, table, dropped = -1, {}, 0
        for at, key, value in events:
            newest = max(newest, at)
            if at < newest - late:
                dropped += 1
                continue
            place = (at // size * size, key)
            old = table.get(place)
            table[place] = [value if old is None else old[0] + value if fold == "sum" else max(old[0], value),
                1 if old is None else old[1] + 1]
        return [{"window": w, "key": k, fold: v, "events": n} for (w, k),
            (v, n) in sorted(table.items())] + [{"dropped": dropped}]

    cases = []
    for _ in range(5):
        keys, clock, events = pools.some(rng, pools.WORDS, 4), rng.randrange(0, 500), []
        for _ in range(rng.randrange(20, 60)):
            clock += rng.randrange(0, size // 2)
            events.append([max(0, clock - rng.choice((0, 0, 0, 1, late, late + 1, late // 2, 2 * late))),
                rng.choice(keys), rng.randrange(-50, 200)])
        newest = max(event[0] for event in events) + late
        events += [[newest, keys[0], 3], [newest - late, keys[1], 199], [newest - late - 1, keys[2], 198]]
        cases.append([events, expected(events)])
    cases.append([[], [{"dropped": 0}]])
    how = "the sum of its values" if fold == "sum" else "the greatest of its values"
    text = brief(
        rng, "Aggregate a stream",
        (f"Write the executable `{path}`, which aggregates a stream of events.",
         f"We need a stream aggregator: `{path}`.",
         f"Please implement windowed aggregation as `{path}`."),
        ["Input (standard input) are lines of JSON arrays `[TIME, KEY, VALUE]`: a non-negative integer, a string "
         "and an integer. They come in order of arrival, which is not always the order of time.",
         ("An event is late if its time is smaller than the greatest time seen so far (its own included) minus "
          f"{late}. Late events are dropped and counted.",
          f"Keep the greatest time seen so far. Events more than {late} time units older than it are late: they are "
          "counted as dropped and otherwise ignored."),
         f"All others go into windows of {size} units: window W (a multiple of {size}) covers the times from W up "
         f"to, not including, W+{size}."],
        [("At the end of input print for each window and key that got events one JSON object per line with "
          f"`window`, `key`, `{fold}` ({how}) and `events` (their number), sorted by window, then key; and as last "
          "line an object with `dropped`, the number of late events.",
          f"Print JSON Lines when the input ends: an object (`window`, `key`, `{fold}`: {how}, `events`: how many) "
          "for every non-empty pair of window and key, ascending by window and key, and finally one object with the "
          "single key `dropped`."),
         "The program must be directly executable. It will see streams that are not on this machine."],
        example=("json", f'{{"window": 0, "key": "sample", "{fold}": 999, "events": 88}}\n{{"dropped": 77}}'),
    )
    code = '''
        #!/usr/bin/env python3
        import json, sys
        top, dropped, table = 0, 0, {}
        for line in sys.stdin:
            if line.strip():
                t, key, value = json.loads(line)
                top = max(top, t)
                if top - t > @late@:
                    dropped += 1
                else:
                    table.setdefault((t - t % @size@, key), []).append(value)
        for (w, key), values in sorted(table.items()):
            print(json.dumps({"window": w, "key": key, "@fold@": @fold@(values), "events": len(values)}))
        print(json.dumps({"dropped": dropped}))
    '''
    make = {"late": late, "size": size, "fold": fold}
    checks = {"streams": fill('''
        for events, wanted in CASES:
            said = run(["@path@"], "".join(json.dumps(event) + "\\n" for event in events))
            assert same([json.loads(line) for line in said.splitlines() if line.strip()], wanted)
    ''', path=path)}
    return Task(
        text, suite(rng, checks, data={"CASES": cases}), program(path, code, **make), workdir=path.rsplit("/", 1)[0],
        wrong={"late kept": program(path, code.replace("> @late@", "> 99999"), **make),
            "off by one": program(path, code.replace("> @late@", ">= @late@"), **make),
               "constant": program(path, "#!/bin/sh\necho '{\"dropped\": 0}'")},
        equal={"compact": program(path, code.replace('"events": len(values)}', '"events": len(values)}, '
            'separators=(",", ":")'), **make)},
    )


@family("phone-normaliser", domain="data_processing", kind="adversarial_corpus", skills=("normalisation", "validation"),
    complexity="complex")
def phone_normaliser(rng: random.Random) -> Task:
    """Telephone numbers brought to one form; look-alikes refused."""
    path = f"{pools.root(rng)}/{rng.choice(('phones', 'normalise.py', 'e164'))}"
    country = rng.choice(("49", "44", "31", "351"))
    low, bad = rng.choice((7, 8)), rng.choice(("invalid", "-", "REJECT"))
    separators = rng.choice((" -./", " -.", " -/"))

    def decide(text: str) -> str:
        body, plus = text.strip(" "), False
        if body.startswith("+"):
            body, plus = body[1:], True
        depth = 0
        digits = ""
        for c in body:
            if c == "(":
                depth += 1
                if depth > 1 or "(" in digits:
                    return bad
                digits += "("
            elif c == ")":
                depth -= 1
                if depth < 0 or digits.endswith("("):
                    return bad
            elif c.isascii() and c.isdigit():
                digits += c
            elif c not in separators:
                return bad
        if depth:
            return bad
        digits = digits.replace("(", "")
        if plus:
            number = digits
        elif digits.startswith("00"):
            number = digits[2:]
        elif digits.startswith("0"):
            number = country + digits[1:]
        else:
            return bad
        return f"+{number}" if low <= len(number) <= 15 and number[0] != "0" else bad

    def shape(digits: str) -> str:
        return "".join(c + (rng.choice(separators) if rng.random() < 0.25 else "") for c in digits[:-1]) + digits[-1:]

    lines = []
    for _ in range(90):
        digits = "".join(rng.choice("123456789") if n == 0 else rng.choice("0123456789")
            for n in range(rng.choice((low - 1, low, 9, 10, 12, 14, 15, 16))))
        lead = rng.choice(("+", "+", "00", "0", "0", ""))
        line = lead + shape(digits)
        if rng.random() < 0.3 and len(line) > 6:
            line = line[:3] + "(" + line[3:5] + ")" + line[5:]
        if rng.random() < 0.25:
            at = rng.randrange(1, len(line))
            line = line[:at] + rng.choice(("x", "+", "(", ")", "()", "_", "٣", ",", "O")) + line[at:]
        lines.append(rng.choice(("", " ")) + line)
    lines += [f"+{'1' * 15}", f"+{'1' * 16}", "+0123456789", f"0{'2' * (low - len(country))}",
        f"0{'2' * (low - 1 - len(country))}", "+", "0", "phone"]
    cases = [[line, decide(line)] for line in lines]
    shown = ", ".join({" ": "blanks", "-": "hyphens", ".": "dots", "/": "slashes"}[c] for c in separators)
    text = brief(
        rng, "Normalise telephone numbers",
        (f"Write `{path}`, which brings telephone numbers into international form.",
         f"Please implement a strict normaliser for telephone numbers, `{path}`.",
         f"Our address data has telephone numbers in all shapes. The program `{path}` is to clean them."),
        ["It reads one number per line from standard input and prints one line for each.",
         "Blanks at both ends are ignored. A number may begin with one `+`; apart from that only the digits 0-9, "
         f"{shown} and at most one pair of parentheses with at least one digit between them may occur, anywhere and "
         "in any number.",
         ("After removing everything but digits: with `+` the digits are the international number; without it, "
          "digits that begin with `00` are the international number after these two zeros, otherwise digits that "
          f"begin with `0` are a national number: replace that zero by the country code {country}. Anything else is "
          "wrong.",
          "Then look at the digits alone. `+` or a leading `00` (dropped) marks an international number. A single "
          f"leading `0` is replaced by {country}. Numbers with neither are wrong."),
         f"The international number must have {low} to 15 digits and must not begin with 0."],
        [(f"Print `+` and the international number, or `{bad}` if anything is wrong with the line.",
          f"The output is `+DIGITS` for good lines and `{bad}` for all others."),
         "The file must be executable. The hidden test lines were chosen to be difficult."],
        example=("", f"+99 (0000) 00 x  ->  {bad}"),
    )
    code = r'''
        #!/usr/bin/env python3
        import re, sys
        PLAIN = "[0-9@inside@]*"
        FORM = re.compile(r"(\+?)" + PLAIN + r"(\([@inside@]*[0-9]" + PLAIN + r"\)" + PLAIN + ")?")
        for line in sys.stdin:
            text = line.rstrip("\n").strip(" ")
            found = FORM.fullmatch(text)
            digits = re.sub("[^0-9]", "", text)
            if not found:
                number = ""
            elif found[1]:
                number = digits
            elif digits[:2] == "00":
                number = digits[2:]
            else:
                number = "@country@" + digits[1:] if digits[:1] == "0" else ""
            print("+" + number if @low@ <= len(number) <= 15 and number[0] != "0" else "@bad@")
    '''
    inside = "".join(sorted(separators, key=lambda c: c == "-")).replace("-", "\\-")
    make = {"inside": inside, "country": country, "low": low, "bad": bad}
    checks = {
        "good_numbers": f'good = [case for case in CASES if case[1] != {bad!r}]\ngot = run(["{path}"], '
                        '"".join(case[0] + "\\n" for case in good)).splitlines()\nassert [line.strip() for line in '
                        'got] == [case[1] for case in good]',
        "bad_numbers": f'evil = [case for case in CASES if case[1] == {bad!r}]\ngot = run(["{path}"], '
                       '"".join(case[0] + "\\n" for case in evil)).splitlines()\nassert [line.strip() for line in '
                       'got] == [case[1] for case in evil]',
    }
    return Task(
        text, suite(rng, checks, data={"CASES": cases}), program(path, code, **make), workdir=path.rsplit("/", 1)[0],
        wrong={"refuses all": program(path, f"#!/bin/sh\nsed 's/.*/{bad}/'"),
            "digits only": program(path, "#!/bin/sh\nsed 's/[^0-9]//g; s/^/+/'"),
               "no form check": program(path,
               code.replace("if not found", "if not text").replace("elif found[1]", 'elif text[:1] == "+"'), **make)},
        equal={"comment": program(path, code, **make) + f"sed -i '1a # strict' {path}\n"},
    )


@family("telemetry-gateway", domain="data_processing", kind="multi_protocol", skills=("udp", "http", "streams"),
    complexity="complex", language="python")
def telemetry_gateway(rng: random.Random) -> Task:
    """Readings over UDP and HTTP, aggregates over HTTP and a line protocol."""
    path = f"{pools.root(rng)}/{rng.choice(('gateway.py', 'collector.py'))}"
    unit = rng.choice(("sensor", "probe", "meter"))
    names, sent = pools.some(rng, pools.WORDS, 4), []
    for number in range(40):
        sent.append([rng.choice(("udp", "http")), rng.choice(names) if number > 3 else names[number],
            rng.randrange(-400, 900)])
    wanted = {}
    for _, name, value in sent:
        entry = wanted.setdefault(name, {"count": 0, "min": value, "max": value, "sum": 0})
        wanted[name] = {"count": entry["count"] + 1, "min": min(entry["min"], value), "max": max(entry["max"], value),
            "sum": entry["sum"] + value}
    text = brief(
        rng, "Telemetry gateway",
        (f"Write the telemetry gateway `{path}`.",
         f"Please implement `{path}`, a collector of {unit} readings in Python.",
         f"Devices send readings in two ways; `{path}` is to collect them."),
        [f"It is started as `python3 {path} UDP_PORT HTTP_PORT TCP_PORT`, uses 127.0.0.1 and runs until it is killed.",
         "UDP: each datagram is `NAME VALUE` (VALUE an integer) in ASCII. A good datagram is answered by a datagram "
         "`ok`, any other one by `error` and otherwise ignored.",
         f"HTTP: `POST /{unit}s` with a JSON object `{{\"name\": ..., \"value\": ...}}` adds a reading and answers "
         "201; a body that is not such an object (name a string, value an integer) is answered by 400. `GET "
         f"/{unit}s/NAME` gives 200 and a JSON object with `count`, `min`, `max` and `sum` of all readings of that "
         "name, however they came, or 404.",
         "TCP: a client sends `NAME` and a newline and gets `COUNT MIN MAX SUM` and a newline, or `none`. A "
         "connection may be used for several questions."],
        [("All three sides share the data. A reading is visible everywhere as soon as it has been answered.",
          "As soon as a reading has been acknowledged it must count in every answer, on either side."),
         "Use the standard library only."],
        example=("", "> nothing\n< none"),
    )
    code = '''
        import json, socketserver, sys, threading
        from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
        data, lock = {}, threading.Lock()
        def add(name, value):
            with lock:
                data.setdefault(name, []).append(value)
        class Datagrams(socketserver.BaseRequestHandler):
            def handle(self):
                text, sock = self.request
                try:
                    name, value = text.decode().split()
                    add(name, int(value))
                    answer = b"ok"
                except ValueError:
                    answer = b"error"
                sock.sendto(answer, self.client_address)
        class Lines(socketserver.StreamRequestHandler):
            def handle(self):
                for raw in self.rfile:
                    with lock:
                        v = list(data.get(raw.decode().strip(), []))
                    self.wfile.write((f"{len(v)} {min(v)} {max(v)} {sum(v)}" if v else "none").encode() + b"\\n")
        class Web(BaseHTTPRequestHandler):
            def reply(self, status, body=None):
                text = json.dumps(body).encode()
                self.send_response(status)
                self.send_header("Content-Length", str(len(text)))
                self.end_headers()
                self.wfile.write(text)
            def do_POST(self):
                try:
                    body = json.loads(self.rfile.read(int(self.headers.get("Content-Length", 0))))
                    good = self.path == "/@unit@s" and isinstance(body["name"], str) and type(body["value"]) is int
                except (ValueError, KeyError, TypeError):
                    good = False
                if good:
                    add(body["name"], body["value"])
                self.reply(201 if good else 400)
            def do_GET(self):
                with lock:
                    v = list(data.get(self.path.removeprefix("/@unit@s/"), []))
                if not v:
                    return self.reply(404)
                self.reply(200, {"count": len(v), "min": min(v), "max": max(v), "sum": sum(v)})
            def log_message(self, *words):
                pass
        socketserver.ThreadingTCPServer.allow_reuse_address = True
        udp, web, tcp = map(int, sys.argv[1:])
        servers = [socketserver.UDPServer(("127.0.0.1", udp), Datagrams),
                   socketserver.ThreadingTCPServer(("127.0.0.1", tcp), Lines),
                   ThreadingHTTPServer(("127.0.0.1", web), Web)]
        threads = [threading.Thread(target=s.serve_forever) for s in servers]
        for t in threads:
            t.start()
    '''
    prelude = '''
        def datagram(port, text, patience=10):
            with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as link:
                link.settimeout(patience)
                link.sendto(text.encode(), ("127.0.0.1", port))
                return link.recv(100).decode().strip()
    '''
    checks = {"gateway": fill('''
        udp, web, tcp = free_port(), free_port(), free_port()
        with serving(["python3", "@path@", str(udp), str(web), str(tcp)], web, tcp):
            for _ in range(100):
                with contextlib.suppress(OSError):
                    assert datagram(udp, "still starting up", 0.1) == "error"
                    break
            for way, name, value in SENT:
                if way == "udp":
                    assert datagram(udp, "%s %d" % (name, value)) == "ok"
                else:
                    assert http(web, "POST", "/@unit@s", json.dumps({"name": name, "value": value}))[0] == 201
            assert datagram(udp, "no number here") == "error"
            for body in ('{"name": "x"}', "[1]", "nonsense", '{"name": "x", "value": "12"}'):
                assert http(web, "POST", "/@unit@s", body)[0] == 400, body
            for name, wanted in WANTED.items():
                status, body = http(web, "GET", "/@unit@s/" + name)
                assert status == 200 and same(json.loads(body), wanted), name
            assert http(web, "GET", "/@unit@s/x")[0] == 404
            lines = ["%d %d %d %d" % (w["count"], w["min"], w["max"], w["sum"]) for w in WANTED.values()]
            assert talk(tcp, [*WANTED, "x"]) == [*lines, "none"]
    ''', path=path, unit=unit)}
    make = {"unit": unit}
    return Task(
        text, suite(rng, checks, data={"SENT": sent, "WANTED": wanted}, prelude=prelude),
            program(path, code, mode="644", **make), workdir=path.rsplit("/", 1)[0],
        wrong={"maximum": program(path, code.replace("{max(v)}", "{v[-1]}"), **make),
            "accepts text": program(path, code.replace("type(body[\"value\"]) is int", "body[\"value\"] is not None"),
            **make),
               "udp lost": program(path, code.replace("add(name, int(value))", "int(value)"), **make)},
        equal={"all interfaces": program(path, code.replace('"127.0.0.1"', '"0.0.0.0"'), **make)},
    )
