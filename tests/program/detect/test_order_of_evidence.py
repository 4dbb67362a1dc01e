"""What a header declares, against what its file shows: in which order they count, and what outputs then state."""

import json
import re

import numpy as np
import pytest
import segy_files
import segy_forms
import varied_files

# Smaller numbers in pairwise order than in little.
LARGE = np.arange(1, 8) * 65536


def info(sill, path, *options, expect=0) -> dict:
    return json.loads(sill.run("info", path, "--json", *options, expect=expect).out)


def found_at(found: dict, byte: int) -> list[str]:
    return [d["grade"] for d in found["diagnostics"] if d["where"].startswith(f"bytes {byte}-")]


def file(traces=7, samples=30, **options) -> segy_files.Segy:
    made = segy_files.make(traces, samples, **{"revision": (0, 0), "code": 5, **options})
    return made.put_word("ns", samples).put_word("dt", 2000)


def sorted_of(made: segy_files.Segy, word="tracl") -> segy_files.Segy:
    return made.permuted(np.argsort(made.word(word), kind="stable"))


@pytest.mark.parametrize("revision", [(0, 0), (1, 0), (2, 0), (36, 37), (0, 100)])
@pytest.mark.parametrize("order", ["little", "pairwise"])
def test_the_constant_counts_before_the_32_bit_words(sill, tmp_path, revision, order):
    made = file(order=order, revision=revision).put_binary(3297, "i4", 0x01020304)
    made.rows[:, :240] = 0
    made.put_word("ns", 30).put_word("dt", 2000)
    for word in ("tracl", "tracr", "fldr", "cdp", "sx", "gx"):
        made.put_word(word, LARGE if order == "little" else np.arange(1, 8))
    found = info(sill, made.write(tmp_path / "in.sgy"))
    assert (found["byte_order"], found["traces"]) == (order, 7)
    assert found_at(found, 3297) == (["major"] if order == "little" else [])
    sill.run("sort", tmp_path / "in.sgy", "-o", tmp_path / "o.sgy", "--by", "-tracl", "--keep-sorting-code")
    assert (tmp_path / "o.sgy").read_bytes() == made.permuted(np.arange(7)[::-1]).to_bytes()


def test_what_is_assumed_counts_before_the_constant(sill, tmp_path):
    raw = bytearray(file(order="little").to_bytes())
    raw[3296:3300] = bytes([2, 1, 4, 3])
    path = tmp_path / "in.sgy"
    path.write_bytes(raw)
    assert info(sill, path, expect=3)["byte_order"] == "pairwise"
    for assumed in ("byte_order=little", "revision=0"):
        assert info(sill, path, "--assume", assumed)["byte_order"] == "little"


@pytest.mark.parametrize("revision", [(0, 0), (1, 0), (36, 37), (0, 100)])
@pytest.mark.parametrize("stated", [0, 30])
def test_an_extended_number_of_samples_that_alone_fits(sill, tmp_path, revision, stated):
    made = file(9, 41, revision=revision).put_word("ns", stated)
    made.put_binary(3221, "u2", stated).put_binary(3269, "u4", 41)
    path = made.write(tmp_path / "in.sgy")
    found = info(sill, path)
    assert (found["traces"], found["samples"], found["lengths_vary"]) == (9, 41, False)
    assert found_at(found, 3269) == ["major"]
    sill.run("sort", path, "-o", tmp_path / "o.sgy", "--by", "-tracl", "--keep-sorting-code")
    expected = made.permuted(np.argsort(-made.word("tracl"), kind="stable"))
    expected.put_binary(3221, "u2", 41)
    assert (tmp_path / "o.sgy").read_bytes() == expected.to_bytes()
    assert (info(sill, tmp_path / "o.sgy")["traces"], info(sill, tmp_path / "o.sgy")["samples"]) == (9, 41)


@pytest.mark.parametrize("revision", [(0, 0), (1, 0)])
def test_more_samples_than_16_bits_state_before_revision_2(sill, tmp_path, revision):
    samples, low = 70_000, 70_000 - 65_536
    made = segy_forms.make(5, samples, revision=revision, constant=False, code=3)
    made.put_binary(3221, "u2", low).put_word("ns", low).put_binary(3503, "i2", 0)
    path = made.write(tmp_path / "in.sgy")
    found = info(sill, path)
    assert (found["traces"], found["samples"], found["lengths_vary"]) == (5, samples, False)
    sill.run("sort", path, "-o", tmp_path / "o.sgy", "--by", "-tracl", "--keep-sorting-code")
    assert (tmp_path / "o.sgy").read_bytes() == made.permuted(np.arange(5)[::-1]).to_bytes()
    sill.run("check", path, expect=(0, 3))


@pytest.mark.parametrize("order", ["big", "little"])
def test_a_sample_format_in_a_single_byte(sill, tmp_path, order):
    made = file(order=order)
    path = made.copy().put_binary(3225, "i2", 1280).write(tmp_path / "in.sgy")
    found = info(sill, path)
    assert (found["byte_order"], found["sample_format"], found["traces"]) == (order, 5, 7)
    assert found_at(found, 3225) == ["major"]
    # Outputs state it in the whole word.
    sill.run("sort", path, "-o", tmp_path / "o.sgy", "--by", "tracl", "--keep-sorting-code")
    assert (tmp_path / "o.sgy").read_bytes() == sorted_of(made).to_bytes()
    sill.run("repair", path, "-o", tmp_path / "r.sgy")
    assert segy_files.read(tmp_path / "r.sgy", order=order).binary(3225, "i2") == 5


# 280 traces of 226 samples are as long as 143 of 500.
@pytest.mark.parametrize("traces", [7, 64, 65, 200, 280])
@pytest.mark.parametrize("revision, flag", [((0, 0), 0), ((1, 0), 0), ((1, 0), 1), ((2, 1), 0)])
def test_a_wrong_number_of_samples_in_the_binary_header(sill, tmp_path, traces, revision, flag):
    made = file(traces, 226, revision=revision).put_binary(3503, "i2", flag)
    path = made.copy().put_binary(3221, "u2", 500).write(tmp_path / "in.sgy")
    found = info(sill, path)
    assert (found["traces"], found["samples"], found["lengths_vary"]) == (traces, 226, False)
    assert found_at(found, 3221) == ["major"]
    sill.run("sort", path, "-o", tmp_path / "s.sgy", "--by", "tracl", "--keep-sorting-code")
    assert (tmp_path / "s.sgy").read_bytes() == sorted_of(made).to_bytes()
    sill.run("cut", path, "-o", tmp_path / "c.sgy", "--where", "trace >= 2 and trace <= 4")
    assert (tmp_path / "c.sgy").read_bytes() == made.permuted(np.arange(1, 4)).to_bytes()
    sill.run("split", path, "--by", "tracl", "-o", tmp_path / "x{tracl}.sgy", "--where", "trace <= 2")
    assert {segy_files.read(each).binary(3221, "u2") for each in tmp_path.glob("x*.sgy")} == {226}


def test_what_is_assumed_is_carried_as_it_is(sill, tmp_path):
    path = file(9, 226).put_binary(3221, "u2", 500).write(tmp_path / "in.sgy")
    sill.run("sort", path, "-o", tmp_path / "o.sgy", "--by", "tracl", "--assume", "samples=226")
    assert segy_files.read(tmp_path / "o.sgy").binary(3221, "u2") == 500


def test_info_exits_3_where_the_file_cannot_be_used(sill, tmp_path):
    whole = file(5, 40)
    cut, sound = tmp_path / "cut.sgy", whole.write(tmp_path / "whole.sgy")
    cut.write_bytes(whole.to_bytes()[:-30])
    result = sill.run("info", cut, "--json", expect=3)
    found = json.loads(result.out)
    assert found["traces"] == 4 and "bytes follow" in result.err
    # All files are described; the order does not matter.
    for order in ([cut, sound], [sound, cut]):
        assert len(json.loads(sill.run("info", *order, "--json", expect=3).out)) == 2
        assert sill.run("info", *order, expect=3).out.count("\n  evidence\n") == 2
    assert sill.run("info", sound).err == ""


def test_info_exits_3_where_traces_lead_out_of_the_file(sill, tmp_path):
    made = varied_files.make([30, 40, 50, 30, 45, 60])
    path = tmp_path / "in.sgy"
    path.write_bytes(made.to_bytes()[:-50])
    result = sill.run("info", path, "--json", expect=3)
    assert [d for d in json.loads(result.out)["diagnostics"] if d["grade"] == "critical"]
    sill.run("scan", path, "--keys", "tracl", expect=3)


SEG_D = bytes.fromhex("0017 8058 123456789012 24 02 31 23 59 07".replace(" ", ""))


@pytest.mark.parametrize("code", ["8058", "8048", "8015", "8022", "8024", "8036", "8038", "8042", "8044", "0048"])
@pytest.mark.parametrize("name", ["f.segd", "f.sgy", "f.su"])
def test_seg_d_is_refused_as_such(sill, tmp_path, code, name):
    content = np.random.default_rng(7).integers(0, 256, 20_000).astype(np.uint8)
    content[: len(SEG_D)] = np.frombuffer(SEG_D, np.uint8)
    content[2:4] = np.frombuffer(bytes.fromhex(code), np.uint8)
    (tmp_path / name).write_bytes(content.tobytes())
    refused = sill.run("info", tmp_path / name, expect=3)
    assert "SEG-D" in refused.err and code in refused.err


@pytest.mark.parametrize("order", ["big", "little"])
def test_seismic_unix_data_is_not_taken_for_seg_d(sill, tmp_path, order):
    """Trace 32856 is 80 58 in hexadecimal digits; field record 1 and trace 1 are day 100 of a year 0."""
    made = segy_forms.make_su(9, 30, order=order).put_word("tracl", 0x8058).put_word("tracr", 0)
    made.put_word("fldr", 1).put_word("tracf", 1)
    assert info(sill, made.write(tmp_path / "f.su"))["format"] == "Seismic Unix"


def test_a_refused_su_file_says_why(sill, tmp_path):
    content = bytearray(segy_forms.make_su(9, 30).to_bytes())
    for trace in (1, 4, 8):
        content[trace * 360 + 114 : trace * 360 + 116] = (77).to_bytes(2, "big")
    (tmp_path / "f.su").write_bytes(content)
    refused = sill.run("info", tmp_path / "f.su", expect=3).err
    assert "Seismic Unix" in refused and re.search(r"big order .* 30 samples, but trace 2 states 77", refused)
    assert re.search(r"little order .* 7680 samples, but 3240 of the 3240 bytes .* after 0 traces", refused)
    assert "--assume" in refused and "kind=su" in refused
    (tmp_path / "g.su").write_bytes(bytes(100))
    assert "too few" in sill.run("info", tmp_path / "g.su", expect=3).err


@pytest.mark.parametrize("code", [5, 3])
def test_an_assumed_byte_order_mixes_no_binary_header(sill, tmp_path, code):
    """Traces in little-endian order behind a binary header in big: what was assumed is not written."""
    made = file(9, 40, order="little", code=code)
    raw = bytearray(made.to_bytes())
    words = {3216: 2000, 3220: 500, 3224: code}
    for at, value in words.items():
        raw[at : at + 2] = value.to_bytes(2, "big")
    path = tmp_path / "in.sgy"
    path.write_bytes(raw)
    assumed = ["--assume", f"byte_order=little,sample_format={code},interval=2000"]
    sill.run("sort", path, "-o", tmp_path / "o.sgy", "--by", "-tracl", "--keep-sorting-code", *assumed)
    order = np.argsort(-made.word("tracl"), kind="stable")
    expected = made.permuted(order).to_bytes()
    assert (tmp_path / "o.sgy").read_bytes() == bytes(raw[:3600]) + expected[3600:]
    sill.run("cut", path, "-o", tmp_path / "c.sgy", "--where", "trace <= 4", *assumed)
    assert (tmp_path / "c.sgy").read_bytes()[:3600] == bytes(raw[:3600])
