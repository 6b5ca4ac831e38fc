"""Every probe says who it is; one that does not cannot be imported."""

from __future__ import annotations

import pytest

from river_envs.causes import CAUSES
from river_envs.environment import RiverError
from river_envs.probes import registry
from river_envs.probes.base import SECTIONS, Judgement, Probe, ProbeStatus


def test_probes_are_found_and_ordered():
    found = registry.probes()
    assert [probe.order for probe in found] == sorted(probe.order for probe in found)
    assert found[0].family == "control"
    assert len({probe.id for probe in found}) == len(found)


@pytest.mark.parametrize("probe", registry.probes(), ids=lambda probe: probe.id)
def test_each_documents_itself(probe: Probe):
    assert all(section in (probe.__doc__ or "") for section in SECTIONS)


def test_an_undocumented_probe_fails_at_import():
    with pytest.raises(TypeError, match="does not document"):

        class Silent(Probe):
            """Says nothing."""

            id, name, family, trigger, version, order = "x", "x", "control", "privileged", 1, 0

            def plan(self, environment, survey):
                return []

            def judge(self, environment, results, background):
                return Judgement(ProbeStatus.SURVIVED)


def test_an_unknown_probe_is_named():
    with pytest.raises(RiverError, match="river-envs probes"):
        registry.probe("nothing")


def test_the_table_of_causes_is_whole():
    assert len(CAUSES) == 26
