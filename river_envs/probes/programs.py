"""Programs as deliverables: which are asked for, what the instruction shows of their input and output, and stand-ins.

A stand-in is a program in the asked language that does something simple: prints one text, hands its input back, knows
a few answers by heart, calls another program.
"""

from __future__ import annotations

import posixpath
import re
import shlex
from typing import Final

from river_envs.environment import Environment, File
from river_envs.probes import instruction as text
from river_envs.probes import leaks
from river_envs.probes.base import Survey

LANGUAGES: Final = {
    ".py": "python", ".sh": "shell", ".bash": "shell", ".pl": "perl", ".rb": "ruby", ".js": "node", "": "either"
}  # fmt: skip
"""Languages of stand-ins by suffix; without one a file is made that the shell and Python both run."""
RUNNERS: Final = {
    ".py": "python3", ".pyc": "python3", ".sh": "bash", ".bash": "bash", ".pl": "perl", ".rb": "ruby", ".js": "node"
}  # fmt: skip
_PROGRAM = re.compile(r"\b(script|program|executable|command|tool|binary|cli|utility|wrapper|filter)\b", re.IGNORECASE)
_THE_PROGRAM = re.compile(
    r"\b(?:the|this|your) (?:program|script|executable|command|binary|utility) (?:must|should|shall|has to|is|gets"
    r"|reads|takes|will|may)\b|\b(?:must|should|shall|has to) be (?:directly )?executable\b",
    re.IGNORECASE,
)
_TAKES = re.compile(
    r"\b(stdin|standard input|arguments?|argv|parameters?|usage|call(?:ed|s)? (?:it |as|with|like|the)|invoked?|passed"
    r"|(?:is|be|gets) given|given (?:a|an|the|one|some|any)|accepts?|takes?|reads? (?:\w+ ){0,4}(?:from|on|lines?)"
    r"|each line|every line|per line|one per line|started as|run (?:as|on)|for (?:any|every|each)|works? for"
    r"|filters?|unseen|(?:hidden|other|further|secret) (?:\w+ )?(?:inputs?|cases|tests?|files|lines))\b"
    r"|`[^`\n]*(?:<\w[\w -]*>|\$1| [A-Z_]{2,})[^`\n]*`|--\w+",
    re.IGNORECASE,
)
_SAYS = re.compile(
    r"\b(print(?:s|ed)?|outputs?|stdout|standard output|writes? (?:\w+ ){0,4}to (?:stdout|standard)|exits?"
    r"|exit (?:code|status)|returns?|echo(?:es)?|emits?|displays?|answers?|responds?"
    r"|filters?|replac\w+|copies|converts?|transforms?|decides?)\b",
    re.IGNORECASE,
)
_PRINTS = re.compile(r"\b(print\w*|outputs?|stdout|standard output|echo(?:es)?|emits?|displays?)\b", re.IGNORECASE)
_FUNCTION = re.compile(
    r"`(?:\w+\.)?([a-z_]\w*)\((?:[^`()]|\([^()`]*\))*\)[^`]*`|\bdef ([a-z_]\w*)\(|function `([a-z_]\w*)`"
)


def deliverables(environment: Environment, survey: Survey) -> tuple[str, ...]:
    """The programs that the agent hands in, in languages that have stand-ins."""
    instruction = environment.instruction
    directories = {entry.path for entry in survey.listing if entry.kind == "directory"}
    found = []
    targets = leaks.targets(environment, survey)
    bare = [path for path in targets if not posixpath.splitext(path)[1] and path not in directories]
    only = len(bare) == 1 and _THE_PROGRAM.search(text.prose(instruction)) is not None
    only = only and not any(leaks.is_code(path) for path in targets)
    for path in targets:
        suffix = posixpath.splitext(path)[1].lower()
        if suffix not in LANGUAGES or path in directories:
            continue
        naming = leaks.naming(instruction, posixpath.basename(path))
        if suffix or text.is_program(instruction, path) or any(_PROGRAM.search(sentence) for sentence in naming):
            found.append(path)
    return tuple(found)


def takes_input(environment: Environment) -> bool:
    """Whether the asked program says something about an input that is not fixed."""
    prose = text.prose(environment.instruction)
    return bool(_TAKES.search(prose) and _SAYS.search(prose)) or bool(functions(environment))


def prints(environment: Environment) -> bool:
    """Whether what the asked program prints or returns matters, beyond its exit status."""
    return bool(_PRINTS.search(environment.instruction)) or bool(functions(environment))


def functions(environment: Environment) -> tuple[str, ...]:
    """Names of functions that the instruction speaks of."""
    found = [next(filter(None, groups)) for groups in _FUNCTION.findall(environment.instruction)]
    builtin = {"print", "len", "open", "input", "range", "main", "exit", "int", "str", "float", "round", "sorted"}
    return tuple(dict.fromkeys(name for name in found if name not in builtin))


def says(path: str, said: str, *, status: int = 0, by_line: bool = False, names: tuple[str, ...] = ()) -> File:
    """A program that prints ``said`` (for each line of its standard input when ``by_line``) and exits with ``status``.

    ``names`` are functions that return it, in Python.
    """
    said = said.rstrip("\n")
    match _language(path):
        case "python":
            body = _says_python(said, status, by_line, names)
        case "perl":
            shown = f'print {_quoted(said)} . "\\n";\n' if said else ""
            body = f"#!/usr/bin/perl\n{shown}exit {status};\n"
        case "ruby":
            shown = f"puts {_quoted(said)}\n" if said else ""
            body = f"#!/usr/bin/ruby\n{shown}exit {status}\n"
        case "node":
            shown = f"console.log({_quoted(said)});\n" if said else ""
            body = f"#!/usr/bin/env node\n{shown}process.exit({status});\n"
        case language:
            line = f"printf '%s\\n' {shlex.quote(said)}" if said else ":"
            shell = f"while IFS= read -r line; do {line}; done" if by_line and said else line
            body = f"#!/bin/sh\n{shell}\nexit {status}\n"
            if language == "either":
                body = either(body, _says_python(said, status, by_line, names))
    return File(path.strip("/"), body.encode(), 0o755)


def _says_python(said: str, status: int, by_line: bool, names: tuple[str, ...]) -> str:
    value = f"import ast\ntry:\n    VALUE = ast.literal_eval({said!r})\nexcept (ValueError, SyntaxError):\n"
    value += f"    VALUE = {said!r}\n"
    defined = "".join(f"def {name}(*given, **named):\n    return VALUE\n" for name in names)
    loop = "for _ in (sys.stdin if BY_LINE else (0,)):\n            print(SAID)"
    return (
        f"#!/usr/bin/env python3\nimport sys\nSAID = {said!r}\nBY_LINE = {by_line}\n{value if names else ''}"
        f"{defined}if __name__ == '__main__':\n    if SAID:\n        {loop}\n"
        f"    sys.exit({status})\n"
    )


def returns_input(path: str, *, arguments: bool, names: tuple[str, ...] = ()) -> File | None:
    """A program that prints its arguments, or the file or standard input it is given; None where there is no form."""
    defined = "".join(f"def {name}(*given, **named):\n    return (*given, None)[0]\n" for name in names)
    said = "print(*sys.argv[1:])" if arguments else (
        "named = [name for name in sys.argv[1:] if os.path.isfile(name)]\n"
        "    sys.stdout.write(open(named[0]).read() if named else sys.stdin.read())"
    )  # fmt: skip
    python = f"#!/usr/bin/env python3\nimport os, sys\n{defined}if __name__ == '__main__':\n    {said}\n"
    shell = 'echo "$@"' if arguments else 'for name do [ -f "$name" ] && exec cat "$name"; done; exec cat'
    return _in_language(path, f"#!/bin/sh\n{shell}\n", python)


def _in_language(path: str, shell: str, python: str) -> File | None:
    """The one of two programs, or both in one file; None for other languages."""
    bodies = {"python": python, "shell": shell, "either": either(shell, python)}
    body = bodies.get(_language(path))
    return File(path.strip("/"), body.encode(), 0o755) if body is not None else None


def _language(path: str) -> str:
    return LANGUAGES[posixpath.splitext(path)[1].lower()]


def either(shell: str, python: str) -> str:
    """One file that the shell and Python both run: for Python the shell's part is a text that nobody uses. Python alone
    where the shell's part cannot stand in a text.
    """
    if "'''" in shell or re.search(r"\\[xNuU0-7]", shell):
        return python
    return f"#!/bin/sh\n''':'\n{shell.removeprefix('#!/bin/sh')}\nexit\n'''\n{python}"


def calls(path: str, program: str, module: bool = False) -> File:
    """A program that hands arguments and standard input on to ``program``; as a Python ``module`` it has its names."""
    runner = RUNNERS.get(posixpath.splitext(program)[1].lower())
    command = [runner, program] if runner else [program]
    loading = (
        "\nelse:\n    import importlib.machinery, importlib.util\n"
        f"    _loader = importlib.machinery.SourceFileLoader('_called', {program!r})\n"
        "    _module = importlib.util.module_from_spec(importlib.util.spec_from_loader('_called', _loader))\n"
        "    _loader.exec_module(_module)\n"
        "    globals().update({name: value for name, value in vars(_module).items() if name[:2] != '__'})\n"
    )
    python = (
        "#!/usr/bin/env python3\nimport os, sys\nif __name__ == '__main__':\n"
        f"    os.execvp({command[0]!r}, {command!r} + sys.argv[1:])\n" + (loading if module else "")
    )
    match _language(path):
        case "perl":
            body = f"#!/usr/bin/perl\nexec({', '.join(_quoted(word) for word in command)}, @ARGV);\n"
        case "ruby":
            body = f"#!/usr/bin/ruby\nexec({', '.join(_quoted(word) for word in command)}, *ARGV)\n"
        case "node":
            words = ", ".join(_quoted(word) for word in command[1:])
            body = (
                "#!/usr/bin/env node\nconst { spawnSync } = require('child_process');\n"
                f"const done = spawnSync({_quoted(command[0])}, [{words}].concat(process.argv.slice(2)), "
                "{ stdio: 'inherit' });\nprocess.exit(done.status);\n"
            )
        case language:
            shell = f'#!/bin/sh\nexec {shlex.join(command)} "$@"\n'
            body = {"python": python, "shell": shell}.get(language) or either(shell, python)
    return File(path.strip("/"), body.encode(), 0o755)


def knows(path: str, known: dict[str, str], values: dict[str, dict[str, object]]) -> File | None:
    """A program that knows the outputs ``known`` by input (arguments and standard input, blanks squeezed) and nothing
    else. ``values`` does the same for functions: per name, the arguments as ``repr`` of a tuple and the value. None
    where there is no form.
    """
    python = _KNOWING_PYTHON.format(known=known, values=values)
    pieces = [f"  {shlex.quote(given)}) printf '%s\\n' {shlex.quote(said)} ;;" for given, said in known.items()]
    return _in_language(path, _KNOWING_SHELL.format(cases="\n".join(pieces)), python)


def _quoted(word: str) -> str:
    """A double-quoted string that means the same in Perl, Ruby and JavaScript."""
    escaped = re.sub(r'([\\"$@#])', r"\\\1", word).replace("\n", "\\n").replace("\t", "\\t")
    return f'"{escaped}"'


_KNOWING_PYTHON = """\
#!/usr/bin/env python3
import os, sys
KNOWN = {known!r}
VALUES = {values!r}
def _asked(name):
    def answer(*given, **named):
        return VALUES[name][repr(given + tuple(named.values()))]
    return answer
globals().update({{name: _asked(name) for name in VALUES}})
def _known(*parts):
    return KNOWN.get(" ".join(" ".join(parts).split()))
def _main():
    arguments = sys.argv[1:]
    files = [open(name).read() for name in arguments if os.path.isfile(name)]
    words = [word for word in arguments if not os.path.isfile(word)]
    for given in [words + files, arguments, files]:
        if given and _known(*given) is not None:
            print(_known(*given))
            return 0
    fed = "" if sys.stdin.isatty() else sys.stdin.read()
    for given in [arguments + [fed], words + files + [fed], [fed] if fed.strip() else arguments + [fed]]:
        if _known(*given) is not None:
            print(_known(*given))
            return 0
    lines = [line for line in (fed or "".join(files)).splitlines() if line.strip()] or arguments
    for line in lines:
        print(_known(line) or "")
    return 0 if lines and all(_known(line) is not None for line in lines) else 1
if __name__ == "__main__":
    sys.exit(_main())
"""
_KNOWING_SHELL = """\
#!/bin/sh
set -f
know() {{
  case "$*" in
{cases}
  *) return 1 ;;
  esac
}}
[ $# != 0 ] && know $* && exit 0
for name do [ -f "$name" ] && know $(cat "$name") && exit 0; done
told=$(cat)
know $* $told && exit 0
[ -n "$told" ] || exit 1
know $told && exit 0
printf '%s\\n' "$told" | while IFS= read -r line; do know $line || echo; done
"""
