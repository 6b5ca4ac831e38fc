"""build-fails: the image cannot be built."""

from __future__ import annotations

from random import Random

from river_envs.environment import Environment
from river_envs.plant.base import REFUSES, UNTOUCHED, CannotCarry, Defect, Demonstration, Planted
from river_envs.plant.recipe import add_to_image, insert_lines, with_recipe
from river_envs.plant.subject import Subject


class BuildFails(Defect):
    """The recipe copies a file that is not shipped, checks something that does not hold, or runs a script that fails.
    Differs from a sound variant in that no image comes out of it.
    """

    cause = "build-fails"

    def form_missing_file(self, subject: Subject, rng: Random) -> Planted | CannotCarry:
        """A copied file is not in the build context."""
        name = rng.choice(
            ["requirements.txt", "config/defaults.yaml", "data/extra.csv", "entrypoint.sh", "fixtures/base.tar.gz"]
        )
        if any(file.path == name for file in subject.environment.image.context):
            return CannotCarry(f"{name} is there")
        return self._with(
            subject.environment,
            f"COPY {name} {subject.home}/{name.rsplit('/', 1)[-1]}",
            f"the recipe copies {name}, which is not shipped",
        )

    def form_renamed_file(self, subject: Subject, rng: Random) -> Planted | CannotCarry:
        """A file of the build context has another name than the recipe says."""
        recipe = subject.environment.image
        names = [file.path for file in recipe.context if file.path != "Dockerfile" and f" {file.path} " in recipe.text]
        if not names or recipe.kind != "dockerfile":
            return CannotCarry("the recipe names no file of its context")
        name = rng.choice(names)
        stem, dot, suffix = name.rpartition(".")
        wrong = f"{stem}s.{suffix}" if dot else f"{name}2"
        text = recipe.text.replace(f" {name} ", f" {wrong} ")
        return self._finish(
            with_recipe(subject.environment, text), f"the recipe copies {wrong}, the folder holds {name}"
        )

    def form_failing_step(self, subject: Subject, rng: Random) -> Planted | CannotCarry:
        """A step that checks or prepares something fails."""
        step, note = rng.choice(
            [
                (
                    "echo 'd41d8cd98f00b204e9800998ecf8427e  /etc/hostname.orig' | md5sum -c -",
                    "a checksum in the recipe does not match",
                ),
                ('python3 -c "import task_fixtures"', "the recipe imports a module that is not there"),
                (f"test -f {subject.home}/VERSION", "the recipe checks for a file that is not there"),
                ("cd /opt/src/project && make install", "the recipe builds a project that is not there"),
                ("python3 /opt/setup/build_fixtures.py --out /app", "the recipe runs a script that is not there"),
                ("chmod +x /usr/local/bin/task-runner", "the recipe changes the mode of a file that is not there"),
            ]
        )
        made = add_to_image(subject.environment, {}, (step,))
        return made if isinstance(made, CannotCarry) else self._finish(made, note)

    def _with(self, environment: Environment, line: str, note: str) -> Planted | CannotCarry:
        if environment.image.kind != "dockerfile":
            return CannotCarry("the image recipe is no Dockerfile")
        return self._finish(with_recipe(environment, insert_lines(environment.image.text, [line])), note)

    def _finish(self, made: Environment, note: str) -> Planted:
        proof = Demonstration("the image is not built", UNTOUCHED, frozenset({"build-failed"}), REFUSES)
        return self.made(made, note, proof)
