"""`sill policies`: what can be given to `--policy`, and what it means."""

import json
import re

import pytest
from presets import PRESETS

AXES = ["writers", "stage", "call", "align", "striping", "sync", "async", "threads", "burst"]


def told(sill, text, **options) -> dict:
    return json.loads(sill.run("policies", text, "--json", **options).out)


def test_all_presets_and_axes_are_told(sill):
    text = sill.run("policies").out
    for name in PRESETS:
        assert re.search(rf"^ +{name} +\S.+$", text, re.M), text
    for axis in AXES:
        assert re.search(rf"^ +{axis}=\S+\n +\S.+$", text, re.M), text
    found = json.loads(sill.run("policies", "--json").out)
    assert {preset["name"]: preset["policy"] for preset in found["presets"]} == PRESETS
    assert [axis["name"] for axis in found["axes"]] == AXES
    assert all(row["meaning"] for row in found["presets"] + found["axes"])


def test_the_bounds_of_a_stage_are_told(sill):
    assert "512 to 1G" in sill.run("policies").out


def test_what_is_told_of_a_preset_gives_that_preset(sill):
    text = sill.run("policies").out
    for name, policy in PRESETS.items():
        changes = re.search(rf"^ +{name} .*\n +(\S+)$", text, re.M).group(1)
        assert told(sill, changes)["others"]["policy"] == policy, name


@pytest.mark.parametrize("name", PRESETS)
def test_a_policy_is_told_axis_by_axis(sill, name):
    text = sill.run("policies", name).out
    assert PRESETS[name] in text
    found = told(sill, name)
    assert found["outputs"] == {}
    assert found["others"]["policy"] == PRESETS[name]
    axes = found["others"]["axes"]
    assert list(axes) == AXES
    for axis, value in axes.items():
        assert f"{axis}={value['value']}" in PRESETS[name].split(",")
        assert re.search(rf"^ +{axis} +{value['value']} +{re.escape(value['meaning'])}$", text, re.M), text


def test_meanings_say_the_values(sill):
    axes = told(sill, "writers=3,stage=1.5K,align=1M,striping=4x64K,sync=phase,async=2,threads=1")["others"]["axes"]
    meanings = {axis: value["meaning"] for axis, value in axes.items()}
    assert "3 ranks" in meanings["writers"]
    assert "1536" in meanings["stage"]
    assert "1M" in meanings["align"]
    assert "4 stripes of 64K" in meanings["striping"]
    assert "every collective write" in meanings["sync"]
    assert "2 collective writes" in meanings["async"]
    assert "1 worker " in meanings["threads"]


def test_outputs_have_policies_of_their_own(sill):
    text = "stations:stage=64K; surfaces:aggregated ;elected,threads=2"
    found = told(sill, text)
    assert list(found["outputs"]) == ["stations", "surfaces"]
    assert found["outputs"]["stations"]["policy"].startswith("writers=auto,stage=64K,")
    assert found["outputs"]["surfaces"]["policy"] == PRESETS["aggregated"]
    assert found["others"]["policy"] == PRESETS["elected"].replace("threads=0", "threads=2")
    spelled = sill.run("policies", text).out
    for title in ("output stations: ", "output surfaces: ", "all other outputs: "):
        assert re.search(rf"^{title}", spelled, re.M), spelled
    again = "; ".join(f"{name}:{output['policy']}" for name, output in found["outputs"].items())
    assert told(sill, f"{again}; {found['others']['policy']}") == found


@pytest.mark.parametrize(
    "text, words",
    [
        ("aggregatd", ["`aggregatd`", "did you mean aggregated?"]),
        ("writers=electd", ["`electd`", "did you mean elected?"]),
        ("root", ["did you mean writers=root?"]),
        ("", ["the text is empty"]),
        ("direct,", ["an empty entry: remove the extra comma"]),
        ("direct;", ["an empty entry: remove the extra `;`"]),
        ("direct,direct", ["the preset `direct` is given twice"]),
        ("writers=all,writers=root", ["the axis `writers` is given twice"]),
        ("collective,writers=root", ["call=mpiio-collective can only be combined with writers=all"]),
        ("independent,async=1", ["only the thread of the caller may call MPI"]),
        ("stations:direct; stations:staged", ["`stations` is named twice"]),
        ("stations:fast", ["output `stations`", "`fast`"]),
        ("Stations:direct", ["`Stations` is not a name of an output"]),
        ("stage=2G", ["stage=2G is above 1G"]),
        ("stage=1", ["stage=1 is below 512"]),
        ("stage=0.1", ["'0.1' is not an integer number of bytes"]),
        ("x\x1b[31m" + 1000 * "x", ["`x\\x1B[31mxxx", "xxx...`"]),
    ],
)
def test_what_is_no_policy_is_refused_with_the_reason(sill, text, words):
    result = sill.run("policies", text, expect=2)
    assert result.out == ""
    assert "\x1b" not in result.err
    for word in [*words, "see `sill policies`"]:
        assert word in result.err, result.err


def test_other_commands_take_the_same_texts(sill, small, tmp_path):
    _, path = small
    report = tmp_path / "report.json"
    sill.run("scan", path, "--policy", "staged,sync=close,threads=2", "--report", report)
    expected = PRESETS["staged"].replace("never", "close").replace("threads=0", "threads=2")
    assert json.loads(report.read_text())["policy"] == expected


@pytest.mark.parametrize("ranks", [None, pytest.param(2, marks=pytest.mark.mpich), 4])
def test_hints_are_tried_in_a_folder(sill, tmp_path, ranks):
    result = sill.run("policies", "--hints", tmp_path, ranks=ranks)
    count = ranks or 1
    writers = [("one per node", 1), ("1", 1)] + [(str(count), count)] * (count > 1)
    for asked, wrote in writers:
        line = rf"^  cb_nodes +{asked} +{wrote} ranks? wrote +as requested$"
        assert len(re.findall(line, result.out, re.M)) == 1, result.out
    for asked, least in [("1M", 1 << 20), ("16M", 16 << 20)]:
        (wrote,) = re.findall(rf"^  cb_buffer_size +{asked} +writes of ([\d,]+) bytes +as requested$", result.out, re.M)
        assert least <= int(wrote.replace(",", "")) <= least * 65 // 64
    found = json.loads(sill.run("policies", "--hints", tmp_path, "--json", ranks=ranks).out)
    assert (found["folder"], found["ranks"]) == (str(tmp_path), count)
    assert [hint["hint"] for hint in found["hints"]] == ["cb_nodes"] * len(writers) + ["cb_buffer_size"] * 2
    assert all(hint["took_effect"] for hint in found["hints"])
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("ranks", [None, 2])
def test_hints_that_cannot_be_tried(sill, tmp_path, tiny_disk, ranks):
    missing = tmp_path / "missing"
    failed, full = sill.run_together(
        [("policies", "--hints", missing), ("policies", "--hints", tiny_disk)], ranks=ranks, expect=4
    )
    assert failed.err.count("No such file") == 1 and str(missing) in failed.err
    assert full.err.count("sill: error: ") == 1 and str(tiny_disk) in full.err
    assert list(tiny_disk.iterdir()) == []
    refused = sill.run("policies", "direct", "--hints", tmp_path, expect=2)
    assert "--hints" in refused.err
    assert "needs a folder" in sill.run("policies", "--hints", "", ranks=ranks, expect=2).err


@pytest.mark.mpich
def test_ranks_tell_it_once_and_fail_alike(sill):
    assert sill.run("policies", "elected", ranks=2).out == sill.run("policies", "elected").out
    result = sill.run("policies", "electd", ranks=2, expect=2)
    assert result.err.count("unknown preset `electd`") == 1
