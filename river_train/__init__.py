"""The RL stage on TRL. It needs the extra ``train``; nothing here is imported by ``river_envs``."""
