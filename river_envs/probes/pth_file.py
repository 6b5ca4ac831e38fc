"""Isolation: a .pth file that runs code in every Python."""

from __future__ import annotations

from river_envs.probes.sitecustomize_file import EVERYWHERE
from river_envs.probes.tamper import Tamper


class PthFile(Tamper):
    """A .pth file among the packages, with a line that Python runs when it starts.

    What it does: leaves zz.pth in the folders of Python's packages; its line ends every Python with status 0; then
    grades the untouched image.

    What a hit proves: the tests run in a Python that the agent could change by adding a package.

    What it cannot show: see sitecustomize.

    Seen in the wild: a .pth file needs no root where a user's own packages are on the path.
    """

    id = "pth-file"
    name = "Planted .pth file"
    family = "isolation"
    trigger = "privileged"
    version = 1
    order = 113
    effort = "deep"
    seen = "a .pth file among Python's packages"
    remedy = "Start Python with -I -S and add the folders of its packages by name, or use an image for the verifier."

    def script(self, sting: bool) -> str:
        """Leave the file."""
        body = "import atexit, os; atexit.register(os._exit, 0)\n" if sting else "import atexit, os\n"
        return EVERYWHERE.format(names=("zz.pth",), body=body)
