"""Loaded by every Python that runs below ``under``: shows it another clock, another number of processors, another
amount of memory, another order of tests. An isolated Python runs it from ``isolated.py``'s ``.pth`` file. Runs in the image's own Python (3.6 and later), so it uses nothing else.
"""

import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))


def note():
    """Leave a trace of having run: the audit reads it as the receipt of the condition."""
    try:
        with open(os.path.join(os.path.dirname(HERE), "seen"), "a") as stream:
            stream.write("python %d\n" % os.getpid())
    except OSError:
        pass  # no receipt: the audit then says that the condition was not seen


def replace(owner, name, value):
    """Set an attribute of a type that is written in C: the type stays the same object, so nothing else notices."""
    import gc

    gc.get_referents(owner.__dict__)[0][name] = value


class Plain(object):
    """A function that stays one as the attribute of a class, as functions written in C do (logging relies on it)."""

    def __init__(self, function):
        self.function = function

    def __call__(self, *arguments, **options):
        return self.function(*arguments, **options)


def shift_clock(offset):
    """Every way in which Python reads the time of day is ``offset`` seconds ahead."""
    import datetime
    import time

    real = {name: getattr(time, name) for name in (
        "time", "time_ns", "gmtime", "localtime", "ctime", "asctime", "strftime", "clock_gettime", "clock_gettime_ns",
    ) if hasattr(time, name)}
    step = int(offset * 10**9)

    def now():
        return real["time"]() + offset

    def of(function):
        return lambda seconds=None: function(now() if seconds is None else seconds)

    wall = getattr(time, "CLOCK_REALTIME", 0)
    shifted = {
        "time": now,
        "time_ns": lambda: real["time_ns"]() + step,
        "gmtime": of(real["gmtime"]),
        "localtime": of(real["localtime"]),
        "ctime": of(real["ctime"]),
        "asctime": lambda *parts: real["asctime"](*(parts or (real["localtime"](now()),))),
        "strftime": lambda form, *parts: real["strftime"](form, *(parts or (real["localtime"](now()),))),
        "clock_gettime": lambda which: real["clock_gettime"](which) + (offset if which == wall else 0),
        "clock_gettime_ns": lambda which: real["clock_gettime_ns"](which) + (step if which == wall else 0),
    }
    for name in real:
        setattr(time, name, Plain(shifted[name]))

    def utcnow(cls):
        return cls.fromtimestamp(now(), datetime.timezone.utc).replace(tzinfo=None)

    replace(datetime.datetime, "now", classmethod(lambda cls, tz=None: cls.fromtimestamp(now(), tz)))
    replace(datetime.datetime, "utcnow", classmethod(utcnow))
    replace(datetime.date, "today", classmethod(lambda cls: cls.fromtimestamp(now())))


def pretend_processors(count):
    """Python says that there are ``count`` processors."""
    os.cpu_count = Plain(lambda: count)
    if hasattr(os, "process_cpu_count"):
        os.process_cpu_count = os.cpu_count
    if hasattr(os, "sched_getaffinity"):
        os.sched_getaffinity = Plain(lambda pid: set(range(count)))


def pretend_memory(mib):
    """Python says, and reads, that the machine has ``mib`` MiB, three quarters of them free."""
    import builtins
    import io
    import tempfile

    real_open, real_conf = io.open, os.sysconf
    pages = (mib << 20) // real_conf("SC_PAGE_SIZE")
    known = {"SC_PHYS_PAGES": pages, "SC_AVPHYS_PAGES": pages // 4 * 3}
    known.update({os.sysconf_names[name]: value for name, value in list(known.items()) if name in os.sysconf_names})
    lines = {"MemTotal": mib << 10, "MemFree": (mib << 10) // 4 * 3, "MemAvailable": (mib << 10) // 4 * 3}

    def told(line):
        name, colon, _ = line.partition(":")
        return "%-16s%8d kB\n" % (name + colon, lines[name]) if name in lines else line

    def opened(file, mode="r", *rest, **options):
        other = isinstance(file, int) or os.fspath(file) not in ("/proc/meminfo", b"/proc/meminfo")
        if other or mode not in ("r", "rb", "rt"):
            return real_open(file, mode, *rest, **options)
        with real_open(file) as stream:
            text = "".join(map(told, stream))
        shown = tempfile.TemporaryFile("w+b" if "b" in mode else "w+")
        shown.write(text.encode() if "b" in mode else text)
        shown.seek(0)
        return shown

    os.sysconf = Plain(lambda name: known[name] if name in known else real_conf(name))
    builtins.open = io.open = Plain(opened)


def seeded():
    """An isolated Python starts again with the hash seed and, but for that, as isolated as it was asked to be."""
    words = list(getattr(sys, "orig_argv", ()))
    flag = next((word for word in words[1:3] if word in ("-I", "-E")), None)
    if flag is None or sys.version_info < (3, 11):
        return
    words[words.index(flag):words.index(flag) + 1] = ["-s", "-P"] if flag == "-I" else []
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    kept["PYTHONHASHSEED"] = os.environ["PYTHONHASHSEED"]
    os.execve(sys.executable, words, kept)


def chain():
    """Run the ``sitecustomize`` that would have run without this one."""
    from importlib.machinery import PathFinder
    from importlib.util import module_from_spec

    spec = PathFinder.find_spec("sitecustomize", [path for path in sys.path if os.path.abspath(path or ".") != HERE])
    if spec is not None and spec.loader is not None:
        spec.loader.exec_module(module_from_spec(spec))


if __name__ == "river_isolated" and os.environ.get("PYTHONHASHSEED"):
    seeded()
note()
if os.environ.get("RIVER_CLOCK"):
    shift_clock(float(os.environ["RIVER_CLOCK"]))
if os.environ.get("RIVER_PROCESSORS"):
    pretend_processors(int(os.environ["RIVER_PROCESSORS"]))
if os.environ.get("RIVER_MEMORY"):
    pretend_memory(int(os.environ["RIVER_MEMORY"]))
if os.environ.get("RIVER_ORDER") and __name__ != "river_isolated":
    plugins = [name for name in os.environ.get("PYTEST_PLUGINS", "").split(",") if name]
    if "river_reversed_order" not in plugins:
        os.environ["PYTEST_PLUGINS"] = ",".join([*plugins, "river_reversed_order"])
if __name__ != "river_isolated":
    chain()
