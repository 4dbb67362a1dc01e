"""Files, maps and options made to mislead: each was once read wrong, crashed, or took for ever."""

import json
import os

import numpy as np
import pytest
import segy_files
import segy_forms
import varied_files


def info(sill, path) -> dict:
    return json.loads(sill.run("info", path, "--json").out)


@pytest.mark.parametrize("count", [3, 300])
@pytest.mark.parametrize("told", [0, 5])
def test_open_trailers_of_any_number(sill, tmp_path, count, told):
    file = segy_forms.make(5, 20, trailers=count, trailers_told=-1).put_binary(3513, "u8", told)
    found = info(sill, file.write(tmp_path / "in.sgy"))
    assert (found["traces"], found["trailers"]) == (5, count)


def test_text_without_end_is_refused(sill, tmp_path):
    file = segy_forms.make(5, 20, trailers=5000, trailers_told=-1).put_binary(3513, "u8", 0)
    refused = sill.run("info", file.write(tmp_path / "in.sgy"), expect=3)
    assert "in.sgy" in refused.err and "3529" in refused.err


def test_what_is_kept_comes_back(sill, tmp_path):
    file = segy_files.make(7, 5)
    for byte, kind, value in [(197, "i4", 1001), (201, "i2", -10), (203, "i2", 5), (213, "i2", 7), (215, "i2", -1000)]:
        file.put(byte, kind, value)
    path = file.write(tmp_path / "in.sgy")
    sill.run("convert", path, "-o", tmp_path / "k.su", "--keep-181", "--byte-order", "little")
    sill.run("convert", tmp_path / "k.su", "-o", tmp_path / "back.sgy", "--keep-181", "--byte-order", "big")
    made = segy_files.read(tmp_path / "back.sgy")
    assert (made.rows[:, 180:240] == file.rows[:, 180:240]).all()


@pytest.mark.parametrize(
    "word", ["byte = 113\ntype = 'i4'", "byte = 115\ntype = 'a2'", "byte = 375\ntype = 'i4'", "byte = 470\ntype = 'f8'"]
)
def test_a_map_does_not_turn_what_tells_lengths(sill, tmp_path, word):
    file = varied_files.make([30, 40, 50, 30, 45, 60], headers=[1, 2, 1, 2, 1, 1])
    path = file.write(tmp_path / "in.sgy")
    (tmp_path / "map.toml").write_text(f"[words.mine]\n{word}\n")
    options = ("--map", tmp_path / "map.toml")
    result = sill.run("convert", path, "-o", tmp_path / "o.sgy", "--byte-order", "little", *options)
    assert "mine overlaps" in result.err
    sill.run("convert", tmp_path / "o.sgy", "-o", tmp_path / "back.sgy", "--byte-order", "big", *options)
    assert (tmp_path / "back.sgy").read_bytes()[3600:] == path.read_bytes()[3600:]
    scanned = sill.run("scan", tmp_path / "o.sgy", "--keys", "tracl", "--csv", "-").out
    assert len(scanned.split()) == 7


def test_sorting_does_not_make_text_of_traces(sill, tmp_path):
    file = segy_files.make(40, 20, revision=(0, 0)).put_binary(3505, "i2", 1)
    file.put_word("cdp", np.arange(40))
    file.rows[20:, 28:] = 0x40
    file.put_word("ns", 20)
    path = file.write(tmp_path / "in.sgy")
    assert info(sill, path)["traces"] == 40
    sill.run("sort", path, "-o", tmp_path / "o.sgy", "--by", "-cdp")
    assert info(sill, tmp_path / "o.sgy")["traces"] == 40


@pytest.mark.parametrize("revision", [(1, 0), (2, 0), (2, 1)])
def test_compare_knows_the_words_of_each_revision(sill, tmp_path, revision):
    if revision[0] == 2:
        file = segy_forms.make(3, 4, additional=1, revision=revision, order="little")
    else:
        file = segy_files.make(3, 4, revision=revision, order="little")
    path = file.write(tmp_path / "a.sgy")
    sill.run("convert", path, "-o", tmp_path / "b.sgy", "--byte-order", "big")
    sill.run("compare", path, tmp_path / "b.sgy")


@pytest.mark.parametrize("text", [".".join(["a"] * 50_000) + "=1", "[words." + "a." * 20_000 + "b]", '{"scalar": 1e999}'])
def test_maps_that_go_too_deep_or_too_far(sill, tmp_path, text):
    (tmp_path / "map.toml").write_text(text)
    path = segy_files.make(3, 4).write(tmp_path / "in.sgy")
    refused = sill.run("scan", path, "--map", tmp_path / "map.toml", expect=2)
    assert "map.toml" in refused.err


def test_a_map_that_is_no_file(sill, tmp_path):
    os.mkfifo(tmp_path / "fifo")
    path = segy_files.make(3, 4).write(tmp_path / "in.sgy")
    assert "not a regular file" in sill.run("scan", path, "--map", tmp_path / "fifo", expect=4).err


def test_stanzas_that_begin_and_do_not_end(sill, tmp_path):
    file = segy_forms.make(3, 4, extended=1000)
    file.head[3600:] = ord("(")
    sill.run("scan", file.write(tmp_path / "in.sgy"), "--keys", "cdp")


def test_no_traces_are_no_seismic_unix_data(sill, tmp_path):
    path = segy_files.make(0, 4).write(tmp_path / "in.sgy")
    sill.run("convert", path, "-o", tmp_path / "o.su", expect=2)
    assert not (tmp_path / "o.su").exists()
