"""What runs on the sandbox's side: the launcher (zygote), the holder that is pid 1 of each sandbox, and file workers.

Everything here uses the standard library only and is imported before the process enters its user namespace, where the
host's Python may no longer be readable. ``river_envs.sandbox.namespaces`` starts it and talks to it with
``wire.Channel``.
"""
