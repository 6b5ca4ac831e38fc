"""What agents did: readers of published rollouts, and their commands as solutions that can be run again.

A reader turns files into :class:`~river_envs.rollouts.records.Rollout` values and names everything that it could not
read.
"""
