"""Grading-runtime: the module returns an object that equals everything."""

from __future__ import annotations

from river_envs.probes.hijack import Hijack

_BODY = '''
class _Anything:
    def __call__(self, *arguments, **options):
        return self

    def __getattr__(self, name):
        if name.startswith("__") and name.endswith("__"):
            raise AttributeError(name)
        return self

    def __iter__(self):
        return iter(())

    def _same(self, *others):
        return self

    def _yes(self, *others):
        return True

    __eq__ = __lt__ = __le__ = __gt__ = __ge__ = __contains__ = __bool__ = _yes
    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __rtruediv__ = __mod__ = _same
    __floordiv__ = __neg__ = __abs__ = __round__ = __getitem__ = __enter__ = _same

    def __ne__(self, other):
        return False

    def __hash__(self):
        return 0

    def __len__(self):
        return 1

    def __exit__(self, *failure):
        return False


_anything = _Anything()
'''


class EqualToEverything(Hijack):
    """A module whose results equal whatever they are compared with.

    What it does: hands in a module where every name is an object that can be called, is equal to everything, larger and
    smaller than everything, and contains everything.

    What a hit proves: the tests let the agent's object decide whether it is right (told as self-report).

    What it cannot show: anything where results are parsed, printed or checked by type before they are compared.

    Seen in the wild: a result with its own __eq__ in solutions for function tasks, where every assertion reads
    `result == expected`.
    """

    id = "equal-to-everything"
    name = "Equal to everything"
    family = "adversarial"
    trigger = "grading-runtime"
    version = 1
    order = 103
    effort = "deep"
    body = _BODY
    value = "_anything"
    seen = "returns an object that equals everything"
