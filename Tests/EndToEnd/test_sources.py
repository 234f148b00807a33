# SPDX-License-Identifier: Apache-2.0
"""Rules about the sources that no compiler checks."""

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
# What a pure module may import: other pure ones. No I/O, no clock, no C.
PURE = {
    "ThumbturnProtocol": set(),
    "ReaderProtocol": {"ThumbturnProtocol"},
    "Conversation": {"ThumbturnProtocol"},
    "Records": {"ThumbturnProtocol"},
    "SyntheticPrints": set(),
}
CODE = sorted(
    path for folder in ("Sources", "Tests", "pam") for path in (ROOT / folder).rglob("*")
    if path.suffix in (".swift", ".c", ".h", ".py") and path.is_file())


def imports(path: Path) -> set:
    return set(re.findall(r"^(?:\w+ )*import (\w+)", path.read_text(encoding="utf-8"), re.MULTILINE))


@pytest.mark.parametrize("module", PURE)
def test_pure_modules_import_pure_modules_only(module):
    sources = list((ROOT / "Sources" / module).glob("**/*.swift"))
    assert sources
    for source in sources:
        assert imports(source) <= PURE[module], source


def test_nothing_imports_foundation():
    for source in (path for path in CODE if path.suffix == ".swift"):
        assert not imports(source) & {"Foundation", "FoundationEssentials"}, source


def test_only_the_reader_knows_libfprint():
    for source in (path for path in CODE if path.suffix == ".swift"):
        if "CFprint" in imports(source):
            assert source.is_relative_to(ROOT / "Sources/ReaderCore") or source.is_relative_to(ROOT / "Tests"), source


def test_every_file_names_its_licence():
    for source in CODE:
        head = "\n".join(source.read_text(encoding="utf-8").splitlines()[:3])
        assert "SPDX-License-Identifier: Apache-2.0" in head, source


def test_no_file_outgrows_one_job():
    for source in CODE:
        if source.suffix != ".py":
            assert len(source.read_text(encoding="utf-8").splitlines()) <= 300, source


def test_shell_scripts_parse():
    for script, shell in (("config/install-packages", "sh"), (".ci/run", "bash"), ("config/completions/thumbturn.bash", "bash")):
        checked = subprocess.run([shell, "-n", str(ROOT / script)], capture_output=True, text=True)
        assert checked.returncode == 0, checked.stderr


def test_ci_runs_what_people_run():
    assert re.findall(r"^exec (.*)$", (ROOT / ".ci/run").read_text(), re.MULTILINE) == ["make check"]
