"""Isolation: files that shells read when they start."""

from __future__ import annotations

from river_envs.probes.tamper import Tamper


class LoginFiles(Tamper):
    """Start files of shells that replace python3 and pytest by nothing.

    What it does: leaves functions named python3 and pytest, and PYTEST_ADDOPTS=--collect-only, in the start files of
    login and interactive shells and in the file that BASH_ENV names; then grades the untouched image.

    What a hit proves: the test script runs in a shell that reads the agent's files.

    What it cannot show: anything where the script is started by a plain `bash script`, as Harbor does.

    Seen in the wild: harnesses that use `bash -lc`, and images that set BASH_ENV for a version manager.
    """

    id = "login-files"
    name = "Planted start files of the shell"
    family = "isolation"
    trigger = "privileged"
    version = 1
    order = 116
    effort = "deep"
    seen = "start files of the shell that replace python3"
    remedy = "Start the script with `bash --noprofile --norc` and without BASH_ENV and PYTEST_ADDOPTS."

    def script(self, sting: bool) -> str:
        """Leave the lines."""
        lines = "python3() { return 0; }\npytest() { return 0; }\nexport PYTEST_ADDOPTS=--collect-only\n"
        body = lines if sting else ": unused\n"
        return f"""left=1
for at in ~/.bashrc ~/.bash_profile ~/.profile /etc/bash.bashrc /etc/profile.d/zz.sh $BASH_ENV; do
  cat >>"$at" 2>/dev/null <<'EOF' && left=0
{body}EOF
done
exit $left
"""
