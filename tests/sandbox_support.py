"""What tests of sandboxes share."""

import os
import subprocess


def shell(sandbox, script, timeout_sec=30, **options):
    return sandbox.exec(["bash", "-c", script], timeout_sec=timeout_sec, **options)


def processes_with(marker):
    """Host processes whose command line holds ``marker``."""
    found = subprocess.run(["ps", "-eo", "pid=,args="], capture_output=True, text=True, check=True).stdout
    return [line for line in found.splitlines() if marker in line and str(os.getpid()) != line.split()[0]]
