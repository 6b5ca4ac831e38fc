"""Harbor task directories: the usual, the old keys, and what cannot be run yet."""

import pytest
from formats.format_tasks import TASK_TOML, harbor_files, read_one, write_tree

from river_envs.formats.base import Found, Rejected, Unsupported


def test_a_whole_task(tmp_path):
    item = read_one(write_tree(tmp_path / "adders" / "adder", harbor_files()))
    assert isinstance(item, Found)
    environment = item.environment
    assert (environment.name, environment.source, environment.format) == ("tests/adder", "adders", "harbor")
    assert environment.instruction == "Add the numbers.\n"
    assert environment.image.kind == "dockerfile"
    assert [file.path for file in environment.image.context] == ["Dockerfile", "data/numbers.txt"]
    assert environment.verifier.protocol == "harbor"
    assert environment.verifier.timeout_sec == 45
    assert environment.reference.provenance == "shipped"
    limits = environment.limits
    assert (limits.agent_timeout_sec, limits.cpus, limits.memory_mb) == (300, 2, 1024)
    assert environment.network == "public"
    assert environment.metadata.domain == "data_science"
    assert environment.metadata.task_complexity == "moderate"
    assert environment.metadata.command_complexity == "bash, code, and system"
    assert environment.metadata.keywords == ("math",)
    assert environment.metadata.verifier_kind is None


def test_identity_ignores_names_and_time(tmp_path):
    first = read_one(write_tree(tmp_path / "one", harbor_files()))
    second = read_one(write_tree(tmp_path / "two", harbor_files(**{"task.toml": TASK_TOML.replace("adder", "other")})))
    changed = read_one(write_tree(tmp_path / "three", harbor_files(**{"instruction.md": "Subtract.\n"})))
    assert first.environment.id == second.environment.id != changed.environment.id


def test_old_keys(tmp_path):
    toml = 'version = "0.1"\n[metadata]\ncategory = "games"\ntags = ["x"]\n' \
        '[environment]\nmemory = "4G"\nstorage = "512M"\nallow_internet = false\n'
    environment = read_one(write_tree(tmp_path / "old", harbor_files(**{"task.toml": toml}))).environment
    assert (environment.limits.memory_mb, environment.limits.storage_mb) == (4096, 512)
    assert environment.network == "none"
    assert environment.name == "old"
    assert (environment.metadata.domain, environment.metadata.keywords) == ("games", ("x",))


@pytest.mark.parametrize(
    ("lines", "network", "hosts"),
    [
        ('network_mode = "no-network"', "none", ()),
        ('network_mode = "allowlist"\nallowed_hosts = ["b.org", "a.org"]', "allowlist", ("a.org", "b.org")),
        ('network_mode = "public"\nallow_internet = false', "public", ()),
    ],
)
def test_network(tmp_path, lines, network, hosts):
    environment = read_one(
        write_tree(tmp_path / "t", harbor_files(**{"task.toml": f"[environment]\n{lines}\n"}))
    ).environment
    assert (environment.network, environment.allowed_hosts) == (network, hosts)


def test_agent_phase_overrides_the_network(tmp_path):
    toml = '[environment]\nnetwork_mode = "public"\n[agent]\nnetwork_mode = "no-network"\nuser = 1000\n'
    environment = read_one(write_tree(tmp_path / "t", harbor_files(**{"task.toml": toml}))).environment
    assert (environment.network, environment.user) == ("none", "1000")


def test_variables_take_their_default_and_never_the_callers(tmp_path, monkeypatch):
    monkeypatch.setenv("SECRET", "do not read me")
    toml = '[environment.env]\nB = "${SECRET:-harmless}"\nA = "plain $PATH"\n'
    environment = read_one(write_tree(tmp_path / "t", harbor_files(**{"task.toml": toml}))).environment
    assert environment.env == (("A", "plain $PATH"), ("B", "harmless"))


def test_prebuilt_image(tmp_path):
    files = harbor_files(environment__Dockerfile=None, **{"task.toml": '[environment]\ndocker_image = "org/image:1"\n'})
    environment = read_one(write_tree(tmp_path / "t", files)).environment
    assert (environment.image.kind, environment.image.docker_image) == ("prebuilt", "org/image:1")


MULTI = "services:\n  main:\n    build: .\n  database:\n    image: postgres\n"


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({"tests/Dockerfile": "FROM scratch\n"}, "image of its own"),
        ({"task.toml": '[verifier]\nenvironment_mode = "separate"\n'}, "image of its own"),
        ({"task.toml": "[verifier.environment]\ncpus = 1\n"}, "image of its own"),
        ({"environment/docker-compose.yaml": MULTI}, "2 services"),
        ({"environment/docker-compose.yaml": MULTI, "environment/Dockerfile": None}, "database, main"),
        ({"environment/docker-compose.yaml": "services: {main: {privileged: true}}\n"}, "privileged"),
        ({"task.toml": "[environment]\ngpus = 2\n"}, "needs 2 GPU"),
        ({"task.toml": '[environment]\nos = "Windows"\n'}, "Windows"),
        ({"tests/test.sh": None, "tests/test.bat": "echo\n"}, "Windows"),
        ({"task.toml": '[environment.healthcheck]\ncommand = "true"\n'}, "healthcheck"),
        ({"task.toml": '[environment.env]\nKEY = "${API_KEY}"\n'}, "API_KEY"),
        ({"task.toml": '[verifier.env]\nKEY = "${API_KEY}"\n'}, "API_KEY"),
    ],
)
def test_unsupported_is_kept_with_its_reason(tmp_path, changed, reason):
    item = read_one(write_tree(tmp_path / "t", harbor_files(**changed)))
    assert isinstance(item, Unsupported)
    assert reason in item.reason
    assert item.environment.instruction


def test_one_plain_service_is_supported(tmp_path):
    compose = "services:\n  main:\n    build:\n      context: .\n    command: [sh, -c, sleep infinity]\n"
    assert isinstance(
        read_one(write_tree(tmp_path / "t", harbor_files(**{"environment/docker-compose.yaml": compose}))), Found
    )


def test_steps(tmp_path):
    files = harbor_files(
        **{"instruction.md": None, "tests/test.sh": None, "task.toml": '[[steps]]\nname = "a"\n[[steps]]\nname = "b"\n'}
    )
    for step in "ab":
        files |= {f"steps/{step}/instruction.md": f"Do {step}.", f"steps/{step}/tests/test.sh": f"echo {step}"}
    item = read_one(write_tree(tmp_path / "t", files))
    assert isinstance(item, Unsupported)
    assert "2 steps" in item.reason
    assert item.environment.instruction == "Do a.\n\nDo b."
    assert [file.path for file in item.environment.verifier.files] == ["steps/a/test.sh", "steps/b/test.sh"]


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({"task.toml": None}, "task.toml is missing"),
        ({"instruction.md": None}, "instruction.md is missing"),
        ({"instruction.md": "  \n"}, "instruction.md is empty"),
        ({"tests/test.sh": None}, "tests/test.sh is missing"),
        ({"environment/Dockerfile": None}, "environment/Dockerfile is missing"),
        ({"task.toml": "[agent\n"}, "not valid TOML"),
        ({"task.toml": "a = " + "[" * 5000}, "nested too deeply"),
        ({"task.toml": '[agent]\ntimeout_sec = "soon"\n'}, "agent.timeout_sec"),
        ({"task.toml": "[agent]\ntimeout_sec = inf\n"}, "agent.timeout_sec"),
        ({"task.toml": "[agent]\ntimeout_sec = -1\n"}, "agent.timeout_sec"),
        ({"task.toml": '[environment]\nmemory = "much"\n'}, "environment.memory"),
        ({"task.toml": '[environment]\nnetwork_mode = "fast"\n'}, "environment.network_mode"),
        ({"task.toml": "[environment.env]\nA = 1\n"}, "environment.env.A"),
        ({"task.toml": '[task]\nname = "a\\u0000b"\n'}, "task.name"),
        ({"task.toml": b"\xff\xfe"}, "not UTF-8"),
        ({"instruction.md": b"caf\xe9"}, "not UTF-8"),
        ({"instruction.md": b"a\0b"}, "NUL"),
        ({"environment/docker-compose.yaml": "services: [unclosed"}, "not valid YAML"),
    ],
)
def test_rejected_with_the_reason(tmp_path, changed, reason):
    item = read_one(write_tree(tmp_path / "t", harbor_files(**changed)))
    assert isinstance(item, Rejected)
    assert reason in item.reason
