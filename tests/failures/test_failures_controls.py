"""x"""

from __future__ import annotations

import pytest
from failures.failure_tasks import ASK, BASE, ORDERS, RECIPE, RIGHT, SOLVE, Audited, harbor, pays

pytestmark = pytest.mark.sandbox

GIT = "-c user.name=a -c user.email=a@b.invalid"
FUTURE = (
    f"FROM {BASE}\nWORKDIR /app\nCOPY orders.csv /app/orders.csv\n"
    f"RUN cd /app && git init -q . && git add . && git {GIT} commit -qm start && echo 4812 >total.txt && git add ."
    f" && git {GIT} commit -qm 'add the sum' && git tag later && git reset -q --hard HEAD~1\n"
)
BYTECODE = RECIPE + (
    "RUN mkdir -p /app/checks && printf 'EXPECTED = \"4812\"\\n\\ndef check(text):\\n    return text == EXPECTED\\n'"
    " >/app/checks/expected_total.py && python3 -m compileall -q /app/checks && rm /app/checks/expected_total.py\n"
)
LEFT = RECIPE + "RUN mkdir -p /app/solution && echo 4812 >/app/solution/total.txt\n"


@pytest.fixture(scope="module")
def told(tmp_path_factory, audited) -> Audited:
    folder = tmp_path_factory.mktemp("controls")
    harbor(folder, "future-commit", recipe=FUTURE)
    harbor(folder, "compiled-tests", recipe=BYTECODE)
    harbor(folder, "left-solution", recipe=LEFT)
    harbor(folder, "public-tests", files={"tests/test_sum.py": "def test_sum():\n    assert open('/app/total.txt').read().strip().isdigit()\n", "tests/README.md": "Run these as often as you like.\n"}, recipe=RECIPE + "COPY tests /app/tests\n")
    harbor(folder, "touchy", test=pays(f'[ ! -e /app/.graded ] && {RIGHT}') + "touch /app/.graded\n")
    harbor(folder, "one-line", ask="Write the sum of the column `amount` of `/app/orders.csv` to `/app/total.txt`.\n", solve="echo 4812 >/app/total.txt\n", test=pays("grep -q 48 /app/total.txt"))
    harbor(folder, "counts-processors", test=pays(f"{RIGHT} && [ $(nproc) = $(cat /app/cpus.txt 2>/dev/null) ]"), ask=ASK + "Write the number of workers, one for each processor, to `/app/cpus.txt`.\n", solve=SOLVE+"echo NPROC >/app/cpus.txt\n".replace("NPROC", str(__import__("os").cpu_count())))
    harbor(folder, "looks-at-the-clock", test=pays(f"{RIGHT} && [ $(date +%s) -lt {int(__import__('time').time()) + 86400 * 200} ]"))
    hidden = pays(f'{RIGHT} && grep -q provenance /app/notes.idx')
    py = """import os
def test_sum():
    assert open('/app/total.txt').read().strip() == '4812'
def test_ledger():
    assert os.path.exists('/app/ledger.idx'), 'ledger.idx'
"""
    harbor(folder, "unstated", test=pays("cd /tests && python3 -m pytest -q -p no:cacheprovider test_state.py"), tests={"test_state.py": py}, solve=SOLVE+"touch /app/ledger.idx\n")
    harbor(folder, "unstated-no-reference", test=pays("cd /tests && python3 -m pytest -q -p no:cacheprovider test_state.py"), tests={"test_state.py": py+"\n"}, solve=None)
    return audited(folder, effort="standard")


def test_x(told):
    for name in ("future-commit","compiled-tests","left-solution","public-tests","touchy","one-line","counts-processors","looks-at-the-clock","unstated","unstated-no-reference"):
        print(name, told.verdict(name), told.reasons(name)[:400], len(told.attempts(name)), told.score(name))
        print("   ", {k:v for k,v in told.probes(name).items() if v[0] in("survived","hit","error")})
    print(told.report)
    assert 0
