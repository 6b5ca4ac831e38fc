"""Run as root by each Python of the image that may be started isolated: ``-I`` and ``-E`` hide PYTHONPATH, and with it
the ``sitecustomize`` beside this file; a ``.pth`` file among the interpreter's own packages is read all the same.
"""

import os
import site
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
LINE = (
    "import os, sys; path = %r; set(os.environ) & {'RIVER_CLOCK', 'RIVER_PROCESSORS', 'RIVER_MEMORY', 'PYTHONHASHSEED'}"
    " and sys.flags.ignore_environment and os.path.exists(path)"
    " and exec(open(path).read(), {'__name__': 'river_isolated', '__file__': path})\n"
) % os.path.join(HERE, "python", "sitecustomize.py")

known = [folder for folder in site.getsitepackages() if folder in sys.path] or site.getsitepackages()[:1]
for folder in known:
    try:
        os.makedirs(folder, exist_ok=True)
        with open(os.path.join(folder, "river-conditions.pth"), "w") as stream:
            stream.write(LINE)
        break
    except OSError:
        continue  # the next of its folders may be written to
