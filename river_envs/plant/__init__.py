"""Planted defects: from any sound environment, variants whose verifier fails in one named and proved way.

variant = plant(environment, state, "shape-only", seed=3)   # Planted or CannotCarry
with Workshop(backend, grading) as workshop:                # executes what a variant claims
    reason = workshop.disprove(original, state, variant)    # None when the defect is real
"""

from river_envs.plant.base import CannotCarry, Conditions, Demonstration, Planted, plant
from river_envs.plant.subject import Call, Observed

__all__ = ["Call", "CannotCarry", "Conditions", "Demonstration", "Observed", "Planted", "plant"]
