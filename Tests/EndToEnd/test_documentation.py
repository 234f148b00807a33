# SPDX-License-Identifier: Apache-2.0
"""Code and documents name the same things, both ways."""

import re
import subprocess
from pathlib import Path

import pytest

from service import program

ROOT = Path(__file__).parents[2]
PAGES = sorted((ROOT / "config/man").iterdir())


def text(path: str) -> str:
    return (ROOT / path).read_text(encoding="utf-8")


def page_options(page: str) -> set:
    """Long options that a manual page explains (.It Fl -name) or shows (.Op Fl -name, .Fl -name)."""
    return set(re.findall(r"Fl -([a-z][a-z-]*)", text(f"config/man/{page}")))


def page_items(page: str) -> set:
    return set(re.findall(r"^\.It Cm ([a-z_-]+)", text(f"config/man/{page}"), re.MULTILINE))


def help_of(name: str, *words: str) -> str:
    shown = subprocess.run([program(name), *words], capture_output=True, text=True, timeout=10)
    assert shown.returncode == 0, shown.stderr
    return shown.stdout


def options_in(help_text: str) -> set:
    return set(re.findall(r"--([a-z][a-z-]*)", help_text))


def commands() -> list:
    listed = help_of("thumbturn", "help").split("Commands:\n")[1].split("\n\n")[0]
    return [line.split()[0] for line in listed.splitlines()]


def test_the_commands_page_names_every_command_and_option():
    options = options_in(help_of("thumbturn", "help"))
    for command in commands():
        options |= options_in(help_of("thumbturn", "help", command))
    assert page_options("thumbturn.1") == options
    assert page_items("thumbturn.1") == set(commands())


def test_the_commands_page_names_every_exit_code():
    shown = help_of("thumbturn", "help").split("Exit codes:\n")[1].split("\n\n")[0]
    codes = {line.split()[0] for line in shown.splitlines()}
    status = text("config/man/thumbturn.1").split(".Sh EXIT STATUS")[1].split(".Sh ")[0]
    assert set(re.findall(r"^\.It (\d+)$", status, re.MULTILINE)) == codes | {"130"}


def test_completion_offers_what_each_command_takes():
    script = ROOT / "config/completions/thumbturn.bash"
    for command in commands():
        completed = subprocess.run(
            ["bash", "-c", f"source {script}; COMP_WORDS=(thumbturn {command} ''); COMP_CWORD=2; "
             f"_thumbturn thumbturn '' {command}; printf '%s\\n' \"${{COMPREPLY[@]}}\""],
            capture_output=True, text=True, check=True)
        offered = {word[2:] for word in completed.stdout.split() if word.startswith("--")}
        assert offered == options_in(help_of("thumbturn", "help", command)), command


def test_completion_offers_every_command_and_finger():
    script = text("config/completions/thumbturn.bash")
    assert re.search(r"commands='([^']*)'", script)[1].split() == commands()
    fingers = re.findall(r'case \.\w+: "((?:left|right)-\w+)"', text("Sources/ThumbturnProtocol/Vocabulary.swift"))
    assert len(fingers) == 10
    assert re.search(r"fingers='([^']*)'", script)[1].split() == fingers
    assert set(fingers) <= set(re.findall(r"(?:left|right)-\w+", text("config/man/thumbturn.1")))


def test_the_daemons_page_names_every_option():
    assert page_options("thumbturnd.8") == options_in(help_of("thumbturnd", "--help"))


def test_every_setting_is_documented_with_its_default():
    code = text("Sources/DaemonCore/Configuration/ConfigurationKey.swift")
    declared = re.findall(r'^  case (\w+)(?: = "([a-z-]+)")?$', code.split("enum ConfigurationKey")[1], re.MULTILINE)
    defaults = code.split("var standard: ConfigurationValue")[1].split("var strictest")[0]
    keys = {}
    for name, spelled in declared:
        default = re.search(rf'case \.{name}: \.\w+\(\[?"?(\w+)"?\]?\)', defaults)[1]
        keys[spelled or name] = default
    assert len(keys) >= 9
    assert dict(re.findall(r"^#([a-z-]+)=(\w+)$", text("config/thumbturn.conf"), re.MULTILINE)) == keys
    section = text("Sources/DaemonCore/Configuration/SectionKey.swift").split("enum SectionKey")[1].split("  ///")[0]
    spelled = [re.sub(r'(\w+) = "(\w+)"', r"\2", name) for line in re.findall(r"case (.+)", section)
               for name in line.split(", ")]
    assert len(spelled) == 5
    for name in spelled:
        assert re.search(rf"^#   {name} ", text("config/thumbturn.conf"), re.MULTILINE), name
        assert re.search(rf"^\.It Cm .*\b{name}\b", text("config/man/thumbturn.conf.5"), re.MULTILINE), name
    assert page_items("thumbturn.conf.5") == set(keys) | set(spelled)
    page = text("config/man/thumbturn.conf.5")
    for key, default in keys.items():
        entry = page.split(f".It Cm {key}\n")[1].split(".It Cm")[0]
        assert f"usually {default}" in entry, key


def test_the_modules_page_names_every_option():
    code = text("pam/options.c")
    options = set(re.findall(r'value_of\(word, "([a-z-]+)"\)', code))
    options |= set(re.findall(r'strcmp\(word, "([a-z_]+)"\)', code))
    assert len(options) >= 8
    assert page_items("pam_thumbturn.8") == options
    values = set(re.findall(r'strcmp\(text, "([a-z]+)"\)', code))
    assert set(re.findall(r"^\.It Cm reader= Ns Ar (\w+)", text("config/man/pam_thumbturn.8"), re.MULTILINE)) == values


def test_the_modules_page_names_every_code_it_answers():
    answers = {
        "SUCCESS", "AUTHINFO_UNAVAIL", "AUTH_ERR", "CONV_ERR", "ABORT", "INCOMPLETE", "USER_UNKNOWN", "SERVICE_ERR",
        "BUF_ERR", "SYSTEM_ERR"}
    others = {  # items, styles and flags of PAM's, and what its functions answer
        "AUTHTOK", "RHOST", "RUSER", "USER", "TTY", "SERVICE", "TEXT_INFO", "ERROR_MSG", "PROMPT_ECHO_OFF", "SILENT",
        "MAX_MSG_SIZE", "MAX_RESP_SIZE", "CONV_AGAIN", "IGNORE"}
    used = set()
    for source in (ROOT / "pam").glob("*.c"):
        used |= set(re.findall(r"\bPAM_([A-Z_]+)", source.read_text()))
    assert used <= answers | others, "say in pam_thumbturn(8) what it means, then name it here"
    entries = " ".join(re.findall(r"^\.It Dv (.*)$", text("config/man/pam_thumbturn.8"), re.MULTILINE))
    assert {name[4:] for name in re.findall(r"PAM_[A-Z_]+", entries)} == answers


def swift_cases(path: str, declaration: str) -> dict:
    """Names and numbers of the cases of a Swift enumeration over integers."""
    body = text(path).split(declaration)[1].split("\n  }\n")[0].split("\n}\n")[0]
    numbers, following = {}, 0
    for line in re.findall(r"^ +case (.+)$", body, re.MULTILINE):
        for part in line.split(","):
            name, _, number = part.partition("=")
            following = int(number) if number else following
            numbers[name.strip()] = following
            following += 1
    return numbers


def table_rows(heading: str) -> list:
    section = text("docs/protocol.md").split(f"## {heading}\n")[1].split("\n## ")[0]
    return re.findall(r"^\| (\d+) \| `(\w+)` \|(.*)\|$", section, re.MULTILINE)


@pytest.mark.parametrize("heading, path, declaration", [
    ("What clients send", "Sources/ThumbturnProtocol/ClientMessage.swift", "public enum Kind: UInt8"),
    ("What the daemon sends", "Sources/ThumbturnProtocol/ServerEvent.swift", "public enum Kind: UInt8"),
    ("Refusals", "Sources/ThumbturnProtocol/Refusal.swift", "public enum Refusal: UInt8"),
])
def test_the_protocols_page_names_every_code(heading, path, declaration):
    documented = {name: int(code) for code, name, _ in table_rows(heading)}
    assert documented == swift_cases(path, declaration)
    assert len(documented) > 10


def test_the_protocols_page_has_the_refusals_sentences():
    sentences = dict(re.findall(r'case \.(\w+): "(.*)"', text("Sources/ThumbturnProtocol/Refusal.swift")))
    for _, name, rest in table_rows("Refusals"):
        assert rest.split("|")[0].strip() == sentences[name]


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.name)
def test_manual_pages_are_well_formed(page):
    checked = subprocess.run(["mandoc", "-T", "lint", "-W", "warning", str(page)], capture_output=True, text=True)
    assert checked.stdout + checked.stderr == ""
    shown = subprocess.run(["man", "--warnings", "-l", str(page)], capture_output=True, text=True, check=True)
    assert shown.stderr == "" and len(shown.stdout) > 500


def test_links_between_documents_lead_somewhere():
    for document in [ROOT / "README.md", *sorted((ROOT / "docs").iterdir())]:
        for target in re.findall(r"\]\((?!https?:)([^)#]+)", document.read_text(encoding="utf-8")):
            assert (document.parent / target).exists(), f"{document.name}: {target}"
