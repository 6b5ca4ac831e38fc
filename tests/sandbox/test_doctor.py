import json

import pytest
from typer.testing import CliRunner

from river_cli.main import build_app
from river_envs.sandbox import doctor, idmap, open_backend
from river_envs.sandbox.base import BackendOptions, BackendUnavailable
from river_envs.sandbox.bubblewrap import BubblewrapBackend


@pytest.mark.sandbox
def test_everything_required_holds_where_sandboxes_run(tmp_path):
    report = doctor.examine(BackendOptions(store=str(tmp_path / "store")))
    assert "bubblewrap" in report.usable
    names = {check.name for check in report.checks["bubblewrap"]}
    assert names >= BubblewrapBackend.required | {
        "id mapping", "no network", "host base", "host files", "memory limit", "process limit", "cpu limit",
        "disk limit"}
    assert all(check.ok or check.remedy for group in report.checks.values() for check in group)
    assert not (tmp_path / "store").exists(), "looking leaves nothing behind"


@pytest.mark.sandbox
def test_command_prints_json(tmp_path):
    result = CliRunner().invoke(build_app(), ["doctor", "--json", "--store", str(tmp_path)])
    assert result.exit_code == 0
    report = json.loads(result.stdout)
    assert "bubblewrap" in report["usable"]
    assert {"backend", "name", "ok", "detail", "remedy"} == set(report["checks"][0])


def test_without_bubblewrap_the_reason_is_named(monkeypatch):
    def missing():
        raise BackendUnavailable("there is no bwrap program")

    monkeypatch.setattr(doctor, "bwrap_path", missing)
    backend = BubblewrapBackend()
    checks = backend.check()
    assert [(check.name, check.ok) for check in checks] == [("bubblewrap", False)]
    assert "no bwrap" in checks[0].detail
    backend.close()


def test_no_backend_is_exit_status_1(monkeypatch):
    monkeypatch.setattr(doctor, "examine", lambda options: doctor.Report({"bubblewrap": []}, ()))
    result = CliRunner().invoke(build_app(), ["doctor"])
    assert result.exit_code == 1
    assert "No backend works here" in result.stdout


def test_forbidden_user_namespaces_name_the_setting(monkeypatch, tmp_path):
    setting = tmp_path / "max_user_namespaces"
    setting.write_text("0\n")
    monkeypatch.setattr(doctor, "_SETTINGS", ((str(setting), "0", "set the sysctl user.max_user_namespaces to 10000"),))

    class Forbidden:
        def probe(self):
            raise BackendUnavailable("user namespaces do not work here")

    check = doctor._user_namespaces(Forbidden())
    assert not check.ok
    assert "user.max_user_namespaces" in check.remedy


def test_unknown_backend_is_refused():
    with pytest.raises(BackendUnavailable, match="auto, bubblewrap or docker"):
        open_backend("podman")


def test_subordinate_ranges(tmp_path):
    table = tmp_path / "subuid"
    table.write_text("someone:1:2\n4242:300000:65536\nbroken\n")
    assert idmap._subordinate(str(table), 4242) == (300000, 65535)
    assert idmap._subordinate(str(table), 4243) is None
    assert idmap._subordinate(str(tmp_path / "missing"), 4242) is None
