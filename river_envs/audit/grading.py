"""How the audit grades: the verifier's own rules, with the test layer that its downloads need, made once per image."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from river_envs.audit.attempt import Grade
from river_envs.audit.options import AuditOptions
from river_envs.environment import Environment
from river_envs.sandbox.base import Backend, Image
from river_envs.verifier import grade
from river_envs.verify.test_layer import prepare_tests


def grading(backend: Backend, options: AuditOptions) -> Callable[[Image, Environment], Grade]:
    """The grading of one run: a function of image and environment."""

    def prepared(image: Image, environment: Environment) -> Grade:
        layer = prepare_tests(backend, image, environment)
        network = options.network and environment.network != "none"
        return partial(grade, pass_at=options.pass_at, network=network, test_layer=layer)

    return prepared
