"""network-dependent: the grade of one state depends on whether the verifier has a network."""

from __future__ import annotations

from dataclasses import replace
from random import Random

from river_envs.plant.base import (
    PAYS,
    REFUSES,
    RESTORED,
    CannotCarry,
    Conditions,
    Defect,
    Demonstration,
    Planted,
    still_refuses_untouched,
)
from river_envs.plant.sheet import Sheet
from river_envs.plant.subject import Subject
from river_envs.plant.suite import add_checks

_ROUTE = '''
def _online():
    """Whether this machine has a route to the outside."""
    with open("/proc/net/route") as table:
        return any(line.split()[1] == "00000000" for line in table.readlines()[1:])
'''
_SOCKET = '''
def _online():
    """Whether a datagram socket finds a route; nothing is sent."""
    probe = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    try:
        probe.connect(("192.0.2.1", 53))
        return True
    except OSError:
        return False
    finally:
        probe.close()
'''
_INTERFACES = '''
def _online():
    """Whether there is an interface besides the loopback."""
    return any(name != "lo" for _, name in socket.if_nameindex())
'''


class NetworkDependent(Defect):
    """The environment declares a public network, and a test is added that behaves in one way with a route to the
    outside and in another without. Differs from a sound variant in that the reference's state gets one grade with a
    network and the other without, both times as a judgement and not as a failure to run.
    """

    cause = "network-dependent"

    def form_wants_network(self, subject: Subject, rng: Random) -> Planted | CannotCarry:
        """Refused without a network."""
        return self._plant(subject, rng, wants=True)

    def form_wants_isolation(self, subject: Subject, rng: Random) -> Planted | CannotCarry:
        """Refused with a network."""
        return self._plant(subject, rng, wants=False)

    def _plant(self, subject: Subject, rng: Random, *, wants: bool) -> Planted | CannotCarry:
        sheet = Sheet(rng)
        helper = rng.choice([_ROUTE, _SOCKET, _INTERFACES])
        if "socket." in helper:
            sheet.need("socket")
        sheet.helpers.append(helper)
        if wants:
            name = rng.choice(["result_can_be_published", "mirror_is_consistent", "upstream_available"])
            sheet.check(
                name,
                [f"assert _online(){sheet.say('result cannot be compared with upstream')}"],
                "Upstream can be asked.",
            )
        else:
            name = rng.choice(["no_leftover_connections", "runs_isolated", "sandboxed"])
            sheet.check(
                name, [f"assert not _online(){sheet.say('grading has to be isolated')}"], "The check runs isolated."
            )
        made = add_checks(subject.environment, sheet)
        if isinstance(made, CannotCarry):
            return made
        made = replace(made, network="public")
        online = Conditions(network=True)
        with_it, without_it = (PAYS, REFUSES) if wants else (REFUSES, PAYS)
        return self.made(
            made,
            f"the reference's state is refused {'without' if wants else 'with'} a route to the outside",
            still_refuses_untouched(),
            Demonstration("the grade without a network", RESTORED, without_it),
            Demonstration("the grade with a network", RESTORED, with_it, conditions=online),
        )
