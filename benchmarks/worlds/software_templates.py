"""Software engineering: a template language, judged on templates that the image does not hold."""

from __future__ import annotations

import random

from . import pools
from .base import Task, family, fill, program
from .checks import suite
from .text import brief


@family("template-renderer", domain="software_engineering", kind="fuzz_equivalence", skills=("templates", "json"),
    complexity="complex")
def template_renderer(rng: random.Random) -> Task:
    """A mini template language with values, defaults, filters and loops."""
    path = f"{pools.root(rng)}/{rng.choice(('render', 'tmpl.py', 'expand'))}"
    left, right = rng.choice((("{{", "}}"), ("<%", "%>"), ("[[", "]]")))
    upper, size = rng.choice((("upper", "len"), ("caps", "count"), ("shout", "size")))

    def look(name: str, scope: dict) -> object:
        return scope.get(name)

    def value(expression: str, scope: dict) -> str:
        name, *filters = expression.split("|")
        default = None
        if "?" in name:
            name, default = name.split("?")
        found = look(name, scope)
        text: object = default if found is None and default is not None else "" if found is None else found
        for item in filters:
            text = str(text).upper() if item == upper else str(len(text if isinstance(text, list) else str(text)))
        return ",".join(map(str, text)) if isinstance(text, list) else str(text)

    cases = []
    for number in range(36):
        keys = pools.some(rng, pools.WORDS, 5)
        scope: dict[str, object] = {keys[0]: rng.choice(pools.CITIES), keys[1]: rng.randrange(1000),
                                    keys[2]: pools.some(rng, pools.ITEMS, rng.randrange(0, 4))}
        template, wanted = "", ""
        for _ in range(rng.randrange(3, 8)):
            kind = rng.randrange(5)
            literal = rng.choice((" ", ": ", " - ", ", ", "{x}", "|", "% "))
            if kind < 3:
                expression = rng.choice(keys) + (f"?{rng.choice(pools.ITEMS)}" if rng.random() < 0.4 else "")
                expression += "".join(f"|{rng.choice((upper, size))}" for _ in range(rng.randrange(0, 3)))
                if "?" not in expression or expression.split("?")[0] != keys[2]:
                    template, wanted = template + left + expression + right, wanted + value(expression, scope)
            elif kind == 3 and isinstance(scope[keys[2]], list):
                inner = f"<{left}it|{upper}{right}/{left}{keys[1]}{right}>"
                template += f"{left}each {keys[2]}{right}{inner}{left}end{right}"
                wanted += "".join(f"<{item.upper()}/{scope[keys[1]]}>"
                    for item in scope[keys[2]])  # type: ignore[attr-defined]
            template, wanted = template + literal, wanted + literal
        template, wanted = template + str(number), wanted + str(number)
        cases.append({"scope": scope, "template": template, "wanted": wanted})
    q = lambda body: f"`{left}{body}{right}`"  # noqa: E731
    text = brief(
        rng, "Template expander",
        (f"Write `{path}`, an expander for a small template language.",
         f"Please build the executable `{path}` that fills in templates.",
         f"We need a template tool without dependencies; put it at `{path}`."),
        ["Each line of standard input is a JSON object with `template` (a string) and `values` (an object whose "
         "values are strings, integers or lists of strings).",
         f"{q('NAME')} is replaced by the value of NAME; a missing name gives nothing. {q('NAME?WORD')} gives WORD "
         "when NAME is missing. A list is printed as its items joined by commas without blanks.",
         f"Filters follow, applied from left to right: {q(f'NAME|{upper}')} turns the text into upper case, "
         f"{q(f'NAME|{size}')} gives the number of characters of the text, or of items if it is still a list. "
         f"Defaults come before filters: {q(f'NAME?WORD|{upper}')}.",
         f"{q('each NAME')}BODY{q('end')} repeats BODY for each item of the list NAME; inside, the name `it` is the "
         "item and all other names keep their meaning. Loops are not nested. Everything else is copied as it is.",
         "Names are lower-case letters only, and there are no blanks inside the delimiters except after `each`."],
        ["Print the expanded template of each input line on a line of its own, in order (templates contain no line "
         "breaks).",
         ("Make it executable; it will be tested with unseen templates.",
          "It has to be directly executable; hidden templates decide.")],
        example=("json", '{"template": "Dear ' + left + "who|" + upper + right + '!", "values": {"who": "nobody"}}'),
    )
    code = '''
        #!/usr/bin/env python3
        import json, re, sys
        L, R = re.escape("@left@"), re.escape("@right@")
        def value(m, scope):
            name, *filters = m[1].split("|")
            name, _, default = name.partition("?")
            v = scope[name] if name in scope else default
            for f in filters:
                if f == "@size@":
                    v = str(len(v if isinstance(v, list) else str(v)))
                else:
                    v = (",".join(v) if isinstance(v, list) else str(v)).upper()
            return ",".join(v) if isinstance(v, list) else str(v)
        def plain(text, scope):
            return re.sub(L + r"([a-z]+(?:[?|][A-Za-z?|]*)?)" + R, lambda m: value(m, scope), text)
        def loop(m, scope):
            return "".join(plain(m[2], {**scope, "it": item}) for item in scope.get(m[1], []))
        for line in sys.stdin:
            d = json.loads(line)
            parts = re.split("(" + L + "each [a-z]+" + R + ".*?" + L + "end" + R + ")", d["template"])
            for i, p in enumerate(parts):
                m = i % 2 and re.fullmatch(L + "each ([a-z]+)" + R + "(.*?)" + L + "end" + R, p)
                parts[i] = loop(m, d["values"]) if m else plain(p, d["values"])
            print("".join(parts))
    '''
    make = {"left": left, "right": right, "upper": upper, "size": size}
    cases = [case for case in cases if not any(
        f"{name}|{upper}" in case["template"] for name,
        item in case["scope"].items() if isinstance(item, list))]  # type: ignore[attr-defined]
    checks = {"expansions": fill('''
        lines = [json.dumps({"template": case["template"], "values": case["scope"]}) for case in CASES]
        got = run(["@path@"], "\\n".join(lines) + "\\n").split("\\n")
        for text, case in zip(got, CASES, strict=False):
            assert text.rstrip() == case["wanted"].rstrip(), case["template"]
        assert len(got) >= len(CASES)
    ''', path=path)}
    return Task(
        text, suite(rng, checks, data={"CASES": cases}), program(path, code, **make), workdir=path.rsplit("/", 1)[0],
        wrong={
            "echo": program(path, "#!/usr/bin/env python3\nimport json, sys\nfor l in sys.stdin:\n    "
                                  "print(json.loads(l)['template'])"),
            "no filters": program(path, code.replace("for f in filters", "for f in []"), **make),
            "no loops": program(path, code.replace('"each [a-z]+"', '"EACH"'), **make),
        },
        equal={"comment": program(path, code, **make) + f"sed -i '1a # expands' {path}\n"},
    )
