"""What builds take from the caller."""

import pytest

from river_envs.environment import RiverError
from river_envs.images.options import default_build_options


def options(tmp_path, config="", **environ):
    path = tmp_path / "config.toml"
    path.write_text(config)
    return default_build_options(environ=environ, config=path)


def test_only_listed_variables_pass(tmp_path):
    made = options(
        tmp_path, HTTPS_PROXY="p", no_proxy="n", PIP_INDEX_URL="i", HOME="/h", AWS_SECRET_ACCESS_KEY="s", HTTP_PROXY=""
    )
    assert made.build_env == {"HTTPS_PROXY": "p", "no_proxy": "n", "PIP_INDEX_URL": "i"}


def test_paths_of_this_machine_do_not_pass(tmp_path):
    assert options(tmp_path, PIP_FIND_LINKS="/opt/wheels").build_env == {}
    assert options(tmp_path, PIP_FIND_LINKS="https://x/y").build_env == {"PIP_FIND_LINKS": "https://x/y"}


def test_the_first_bundle_that_exists(tmp_path):
    bundle = tmp_path / "ca.pem"
    bundle.write_text("x")
    assert options(tmp_path, SSL_CERT_FILE=str(bundle), PIP_CERT="/nowhere").ca_bundle == str(bundle)
    assert options(tmp_path, SSL_CERT_FILE="/nowhere").ca_bundle is None


def test_the_configuration_file(tmp_path):
    made = options(
        tmp_path,
        '[build]\nstore = "/data"\nstore_budget_mb = 5\npass_env = ["MINE"]\nenv = { HTTPS_PROXY = "own" }\n'
        '[build.aliases]\n"ubuntu:22.04" = "mine"\n',
        MINE="1", OTHER="2", HTTPS_PROXY="p",
    )
    assert (made.store, made.store_budget_mb) == ("/data", 5)
    assert made.build_env == {"MINE": "1", "HTTPS_PROXY": "own"}
    assert made.aliases == {"ubuntu:22.04": "mine"}


def test_arguments_win(tmp_path):
    path = tmp_path / "none.toml"
    made = default_build_options(store="/here", aliases={"a": "b"}, environ={"RIVER_STORE": "/there"}, config=path)
    assert (made.store, made.aliases) == ("/here", {"a": "b"})
    assert default_build_options(environ={"RIVER_STORE": "/there"}, config=path).store == "/there"


@pytest.mark.parametrize("config", ["[build", "build = 1", "[build]\nenv = 1", '[build]\npass_env = "A"'])
def test_a_broken_file_is_named(tmp_path, config):
    with pytest.raises(RiverError):
        options(tmp_path, config)
