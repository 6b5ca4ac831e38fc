"""Planted defects: from any sound environment, variants whose verifier fails in one named and proved way.

    workshop = Workshop(backend, grading)       # workshop.py: the only part that runs anything
    sound = workshop.audit(environment)         # Sound, or a sentence saying why it is none
    variant = plant(environment, sound.state, "shape-only", 3, sound.observed)  # Planted or CannotCarry
    reason = workshop.disprove(sound, variant)  # None when the defect is real

``plant_corpus`` in ``corpus.py`` does this for many environments and writes them with their labels.
"""

from river_envs.plant.base import CannotCarry, Conditions, Demonstration, Planted, plant
from river_envs.plant.subject import Call, Observed

__all__ = ["Call", "CannotCarry", "Conditions", "Demonstration", "Observed", "Planted", "plant"]
