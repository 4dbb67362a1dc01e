"""`--help` and `--version`."""

import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from program import TIMEOUT_S, clean_environment

ROOT = Path(__file__).resolve().parents[3]

COMMANDS = ["info", "scan", "sort", "compare", "make-survey", "policies"]
# Sentences of an option's text that state its properties.
PROPERTY = re.compile(r"(Default|Required|One of|The only value|At least|From [\d.]|Not with|Needs|Only with)\b")


@pytest.fixture(scope="module")
def manual(sill, tmp_path_factory) -> dict[str, dict[str, str]]:
    """The help of all commands, section by section, from their man pages: one start of the program."""
    prefix = tmp_path_factory.mktemp("manual")
    sill.run("help", "--write-manual", prefix)
    pages = {}
    for path in (prefix / "share/man/man1").glob("sill*.1"):
        text = path.read_text("utf-8").replace("\\-", "-").replace("\\&", "").replace("\\e", "\\")
        parts = re.split(r"(?m)^\.SH (.*)\n", text)
        pages[path.stem] = {title: body.replace(".nf\n", "").replace(".fi\n", "")
                            for title, body in zip(parts[1::2], parts[2::2])}  # fmt: skip
    assert len(pages) >= 65
    return pages


def leaves(manual):
    """Commands without commands of their own."""
    return {name: page for name, page in manual.items() if "EXAMPLES" in page}


def options_of(page) -> list[tuple[str, str]]:
    """Labels and texts of arguments and options."""
    found = []
    for line in (page.get("ARGUMENTS", "") + page.get("OPTIONS", "")).splitlines():
        if line.startswith("  ") and line[2] != " ":
            label, _, text = line[2:].partition("  ")
            found.append([label, text.strip()])
        elif line.strip():
            found[-1][1] += " " + line.strip()
    return found


def test_help_names_every_command(sill):
    text = sill.run("--help").out
    for command in COMMANDS:
        assert re.search(rf"\b{command}\b", text), text


def commands_of(example: str) -> list[list[str]]:
    """The calls of `sill` in a line of a shell, with a remark behind three blanks or a number sign."""
    line = re.split(r"   |  # ", example)[0]
    calls, words = [], []
    for word in [*shlex.shlex(line, posix=True, punctuation_chars=True), ";"]:
        if set(word) <= set("();<>|&"):
            calls += [words[words.index("sill") + 1 :]] if "sill" in words else []
            words = []
        else:
            words.append(word)
    return calls


def test_help_describes_in_two_lines_and_has_three_examples_that_parse(sill, manual):
    script = []
    for name, page in leaves(manual).items():
        description = page["DESCRIPTION"].partition("\n\n")[0].splitlines()
        assert 1 <= len(description) <= 2, (name, description)
        lines = page["EXAMPLES"].partition("\n\n")[0].splitlines()
        assert len(lines) == 3, (name, lines)
        calls = [call for line in lines for call in commands_of(line.strip())]
        command = name.removeprefix("sill-")
        assert any("-".join(call).startswith(command) for call in calls), name
        # All of a command line is checked before an option that does not exist is refused.
        script += [shlex.join([str(sill.path), *call, "--no-such-option"]) for call in calls]
    assert len(script) >= 3 * 60
    done = subprocess.run(["bash", "-c", "\n".join(script)], env=clean_environment(), capture_output=True, text=True,
                          timeout=TIMEOUT_S, check=False)  # fmt: skip
    refusals = re.findall(r"(?m)^.*error.*$", done.stderr)
    assert len(refusals) == len(script)
    for line, refusal in zip(script, refusals):
        assert "--no-such-option" in refusal, (line, refusal)


def test_texts_of_options_have_two_sentences_at_most(sill, manual):
    texts = [(name, *option) for name, page in leaves(manual).items() for option in options_of(page)]
    common = sill.run("help", "options").out.partition("Options:\n")[2].partition("\nExit status")[0]
    texts += [("options", *option) for option in options_of({"OPTIONS": common})]
    assert len(texts) > 400
    for name, label, text in texts:
        said = [s for s in re.split(r"(?<=\w\w|\w[)`'%])\. (?=[A-Z`-])", text) if not PROPERTY.match(s)]
        assert len(said) <= 2 and " ".join(said).count("; ") <= 1, (name, label, said)


@pytest.mark.parametrize("command", COMMANDS)
def test_help_names_the_common_options_that_stand_in_one_place(sill, command):
    text = sill.run(command, "--help").out
    options = sill.run("help", "options").out
    common = re.findall(r"--[\w-]+", text.partition("Common options (sill help options): ")[2])
    assert {"--log", "--report"} <= set(common)
    assert ({"--policy", "--threads"} <= set(common)) == (command != "policies")  # which moves no data
    for name in common:
        assert f"\n  {name} " in options and f"\n  {name} " not in text


def test_commands_are_listed_in_groups_by_what_they_do(sill):
    text = sill.run("--help").out
    for title in ("Inspect surveys", "Change surveys", "Process surveys", "Simulate output", "Tune input and output"):
        assert f"\n{title}:\n" in text
    lines = re.findall(r"(?m)^  ([a-z0-9-]+) +(.*)$", text)
    assert len(lines) >= 35 and len({name for name, _ in lines}) == len(lines)
    for name, does in lines:
        assert len(does) <= 70, does
        assert re.match(r"[A-Z][a-z]+[^s ] ", does) or does.split()[0] in ("Process", "Compress"), does  # imperative


def test_help_is_at_most_100_columns_wide(sill, manual):
    for name, page in manual.items():
        lines = [line for title in ("DESCRIPTION", "ARGUMENTS", "OPTIONS") for line in page.get(title, "").splitlines()]
        assert max(map(len, lines)) <= 110, name
    for name in ("sort", "policies", "kernel"):
        assert sill.run(name, "--help").out.partition("Examples:")[0] in sill.run("help", name).out
    assert sill.run("help").out == sill.run("--help").out


@pytest.mark.parametrize("topic, said", [("options", "--strict"), ("expressions", "true(WORD)"), ("keys", "-KEY sorts"),
                                         ("units", "km/s"), ("policies", "writers="), ("kernel ior", "sill kernel ior")])  # fmt: skip
def test_topics_of_help(sill, topic, said):
    assert said in sill.run("help", *topic.split()).out
    assert "topics are options" in sill.run("help", "sotr", expect=2).err


@pytest.mark.parametrize(
    "command, options",
    [
        ("info", ["--json"]),
        ("scan", ["--keys", "--stats", "--csv", "--range"]),
        ("sort", ["--by", "--memory", "--method", "--keep-sorting-code", "--durable", "--explain"]),
        ("compare", ["--tolerance", "--ignore"]),
        ("policies", ["POLICY", "--json"]),
        ("make-survey", ["--traces", "--samples", "--sample-format", "--interval", "--byte-order", "--seed"]),
    ],
)
def test_help_has_the_options_of_the_command(sill, command, options):
    text = sill.run(command, "--help").out
    for option in options:
        assert option in text


def test_the_page_of_commands_is_what_help_prints(sill):
    made = subprocess.run(
        [sys.executable, ROOT / "script/commands", sill.path], env=clean_environment(), capture_output=True, text=True,
        timeout=TIMEOUT_S, check=False,
    )  # fmt: skip
    assert made.returncode == 0, made.stderr
    assert made.stdout == (ROOT / "docs/commands.md").read_text(), "script/commands > docs/commands.md"
    for command in re.findall(r"^  ([a-z0-9-]+)  ", sill.run("--help").out, re.M):
        assert f"\n## sill {command}\n" in made.stdout


def test_version(sill):
    assert re.search(r"\b\d+\.\d+(\.\d+)?\b", sill.run("--version").out)


@pytest.mark.mpich
def test_printed_once_with_ranks(sill):
    assert sill.run("--version", ranks=2).out == sill.run("--version").out
    assert sill.run("sort", "--help", ranks=2).out == sill.run("sort", "--help").out


@pytest.mark.parametrize(
    "arguments, told, meant",
    [
        (["sotr", "a.sgy", "-o", "b.sgy"], "`sotr`", "sort"),
        (["Info", "a.sgy"], "`Info`", "info"),
        (["kernel", "ondes3d-station"], "`kernel ondes3d-station`", "ondes3d-stations"),
        (["sort", "a.sgy", "-o", "b.sgy", "--by", "cdp", "--memroy", "64M"], "--memroy", "--memory"),
        (["info", "--jsno", "a.sgy"], "--jsno", "--json"),
        (["convert", "a.sgy", "-o", "b.sgy", "--sampleformat=ieee"], "--sampleformat", "--sample-format"),
    ],
)
def test_the_nearest_of_what_there_is(sill, arguments, told, meant):
    refused = sill.run(*arguments, expect=2)
    assert told in refused.err.split("\n")[0], refused.err
    assert re.search(rf"to do: +did you mean {meant}[?,]", refused.err), refused.err
    assert "--help` lists commands and options" in refused.err


def test_a_command_is_missing(sill, tmp_path):
    alone = sill.run(expect=2)
    assert alone.err == "" and alone.out == sill.run("--help").out and "convert" in alone.out
    assert "a command is missing after `kernel`" in sill.run("kernel", expect=2).err
    assert "unknown option `-v`" in sill.run("-v", expect=2).err
    (tmp_path / "line.sgy").write_bytes(b"")
    assert "name a command first" in sill.run(tmp_path / "line.sgy", expect=2).err


def test_names_that_are_empty(sill, tmp_path):
    assert "the name of a file is empty" in sill.run("info", "", expect=2).err
    refused = sill.run("make-survey", "", "--traces", 3, "--samples", 4, expect=2).err
    assert "no name" in refused and "to do:" in refused


def test_nothing_is_near(sill):
    refused = sill.run("fold", "a.sgy", expect=2)
    assert "unknown command `fold`" in refused.err and "did you mean" not in refused.err


def test_man_pages_and_completions_come_from_the_same_source(sill, tmp_path):
    sill.run("help", "--write-manual", tmp_path)
    share = tmp_path / "share"
    page = (share / "man/man1/sill.1").read_text("utf-8").replace("\\-", "-")
    for line in sill.run("--help").out.splitlines():  # titles of groups are sections
        assert (f".SH {line[:-1].upper()}\n" if line.endswith(":") else f"\n{line}\n") in page, line
    names = [c for c in re.findall(r"(?m)^  ([a-z0-9-]+)  ", sill.run("--help").out)]
    for name in (*names, "kernel-ior", "arrays-copy"):
        page = (share / f"man/man1/sill-{name}.1").read_text(encoding="utf-8")
        assert page.startswith(f".TH sill-{name} 1") and ".SH NAME\n" in page and ".SH EXAMPLES\n" in page or name in (
            "kernel", "arrays", "checkpoint", "records", "solutions")  # fmt: skip
    assert "\\-\\-method TEXT" in (share / "man/man1/sill-sort.1").read_text()
    main = (share / "man/man1/sill.1").read_text()
    assert ".BR sill\\-sort (1)" in main and ".BR sill (1)" in (share / "man/man1/sill-sort.1").read_text()
    script = share / "bash-completion/completions/sill"

    def completed(*words):
        done = subprocess.run(
            ["bash", "-c", f'source {script}; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _sill; echo "${{COMPREPLY[@]}}"',
             "bash", "sill", *words], capture_output=True, text=True, check=True, timeout=TIMEOUT_S)  # fmt: skip
        return done.stdout.split()

    assert completed("so") == ["sort", "solutions"]
    assert {"--method", "--memory"} <= set(completed("sort", "--m"))
    assert completed("sort", "--method", "") == ["gather", "scatter", "buckets", "auto"]
    assert completed("kernel", "io") == ["ior"]
    assert "--grid" in completed("kernel", "awp-volume", "--")
    assert completed("help", "exp") == ["expressions"] and "sort" in completed("help", "")
    assert "sort:Sort traces by header words" in (share / "zsh/site-functions/_sill").read_text()
    fish = (share / "fish/vendor_completions.d/sill.fish").read_text()
    assert "-l method -r -a 'gather scatter" in fish
    assert "-l strict -d 'Refuse" in fish  # takes no value
    for shell, completion in (("zsh", "zsh/site-functions/_sill"), ("fish", "fish/vendor_completions.d/sill.fish")):
        if shutil.which(shell):
            checked = subprocess.run([shell, "-n", share / completion], capture_output=True, text=True, timeout=TIMEOUT_S)
            assert (checked.returncode, checked.stderr) == (0, "")
    if shutil.which("fish"):
        of_compare = subprocess.run(
            ["fish", "-c", f"source {share}/fish/vendor_completions.d/sill.fish; complete -C 'sill compare --'"],
            capture_output=True, text=True, check=True, timeout=TIMEOUT_S).stdout  # fmt: skip
        assert "--match" in of_compare and "--absolute" not in of_compare  # an option of `sill arrays compare`
    (tmp_path / "file").write_text("")
    assert "cannot be written" in sill.run("help", "--write-manual", tmp_path / "file", expect=4).err
