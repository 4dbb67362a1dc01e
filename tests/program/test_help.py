"""`--help` and `--version`."""

import re

import pytest

COMMANDS = ["info", "scan", "sort", "compare", "make-survey", "policies"]


def test_help_names_every_command(sill):
    text = sill.run("--help").out
    for command in COMMANDS:
        assert re.search(rf"\b{command}\b", text), text


@pytest.mark.parametrize("command", COMMANDS)
def test_help_has_examples(sill, command):
    text = sill.run(command, "--help").out
    examples = re.split("examples?:?", text, flags=re.I)
    assert len(examples) > 1, text
    assert re.search(rf"\bsill {command} \S", examples[-1]), text


@pytest.mark.parametrize("command", COMMANDS)
def test_help_has_the_common_options(sill, command):
    text = sill.run(command, "--help").out
    for option in ("--policy", "--threads", "--log", "--report", "--help"):
        assert option in text


@pytest.mark.parametrize(
    "command, options",
    [
        ("info", ["--json"]),
        ("scan", ["--keys", "--stats", "--csv", "--range"]),
        ("sort", ["--by", "--memory", "--method", "--keep-sorting-code", "--durable", "--explain"]),
        ("compare", ["--tolerance", "--ignore"]),
        ("policies", ["TEXT", "--json"]),
        ("make-survey", ["--traces", "--samples", "--sample-format", "--interval", "--byte-order", "--seed"]),
    ],
)
def test_help_has_the_options_of_the_command(sill, command, options):
    text = sill.run(command, "--help").out
    for option in options:
        assert option in text


def test_version(sill):
    assert re.search(r"\b\d+\.\d+(\.\d+)?\b", sill.run("--version").out)


@pytest.mark.mpich
def test_printed_once_with_ranks(sill):
    assert sill.run("--version", ranks=2).out == sill.run("--version").out
    assert sill.run("sort", "--help", ranks=2).out == sill.run("sort", "--help").out
