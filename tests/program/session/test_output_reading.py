"""An output is found to be what it was meant to be, or it does not appear: other traces are other evidence."""

import json

import numpy as np
import pytest
import segy_files

# Traces that are not among those by which the byte order of the file is told: the first, the middle and the last.
OTHERS = np.r_[70:190, 210:330]


@pytest.fixture
def ambiguous(tmp_path):
    """A file of revision 0 in little-endian order, of which some traces have numbers that other orders make smaller."""
    file = segy_files.make(400, 9, order="little", revision=(0, 0))
    odd = np.zeros(400, bool)
    odd[OTHERS] = True
    for byte in (1, 5, 9, 13, 17, 21, 25, 37, 73, 77, 81, 85):
        file.put(byte, "i4", np.where(odd, 3 << 16, 1000))
    file.put_word("fldr", np.where(odd, 3 << 16, 1 << 20))
    return file.write(tmp_path / "in.sgy")


WRITERS = [
    ("sort", "--by", "fldr"),
    ("cut", "--where", "fldr == 3 * 65536"),
    ("split", "--by", "fldr"),
]


@pytest.mark.parametrize("ranks", [1, 3])
@pytest.mark.parametrize("writer", WRITERS, ids=[writer[0] for writer in WRITERS])
def test_an_output_that_would_be_read_otherwise_is_refused(sill, ambiguous, writer, ranks):
    target = ambiguous.with_name("out_{fldr}.sgy" if writer[0] == "split" else "out.sgy")
    refused = sill.run(writer[0], ambiguous, "-o", target, *writer[1:], ranks=ranks, expect=3)
    assert "would be read differently from its input: the byte order would be pairwise instead of little" in refused.err
    left = {path.name for path in ambiguous.parent.iterdir()}
    assert not {name for name in left if "out" in name and "196608" in name} and "out.sgy" not in left


@pytest.mark.parametrize("writer", WRITERS, ids=[writer[0] for writer in WRITERS])
def test_what_is_told_of_the_input_is_told_of_the_output(sill, ambiguous, writer):
    target = ambiguous.with_name("out_{fldr}.sgy" if writer[0] == "split" else "out.sgy")
    sill.run(writer[0], ambiguous, "-o", target, *writer[1:], "--assume", "byte_order=little")


def test_a_conversion_whose_byte_order_nothing_would_tell(sill, tmp_path):
    file = segy_files.make(40, 9, revision=(0, 0))
    for byte in (1, 5, 9, 13, 17, 21, 25, 37, 73, 77, 81, 85):
        file.put(byte, "i4", 3 << 16)
    path, target = file.write(tmp_path / "in.sgy"), tmp_path / "out.sgy"
    refused = sill.run("convert", path, "-o", target, "--byte-order", "little", "--map", "standard", expect=3)
    assert "pairwise instead of little" in refused.err and not target.exists()


def test_a_window_of_a_length_that_was_told(sill, tmp_path):
    """The header of the output says how many samples it has, so what was told of the input's is not told of it."""
    file = segy_files.make(20, 100).put_word("ns", 0).put_word("delrt", 0).put_binary(3221, "u2", 77)
    path, target = file.write(tmp_path / "in.sgy"), tmp_path / "out.sgy"
    sill.run("cut", path, "-o", target, "--time", "0s:40ms", "--assume", "samples=100")
    assert json.loads(sill.run("info", target, "--json").out)["samples"] == 21


@pytest.mark.parametrize("command", [["sort", "--by", "-tracl"], ["cut", "--where", "trace > 2"], ["edit", "--set", "cdp=5"]])
def test_one_length_that_was_assumed_to_vary(sill, tmp_path, command):
    file = segy_files.make(30, 12).put_binary(3503, "i2", 0)
    path = file.write(tmp_path / "f.sgy")
    name, *options = command
    out = tmp_path / "out.sgy"
    sill.run(name, path, "-o", out, *options, "--assume", "lengths=vary")
    plain = tmp_path / "plain.sgy"
    sill.run(name, path, "-o", plain, *options)
    assert out.read_bytes() == plain.read_bytes()


def test_one_length_that_was_assumed_to_vary_is_edited_in_place(sill, tmp_path):
    file = segy_files.make(30, 12).put_binary(3503, "i2", 0)
    path = file.write(tmp_path / "f.sgy")
    sill.run("edit", path, "--set", "cdp=5", "--assume", "lengths=vary")
    assert path.read_bytes() == file.put_word("cdp", 5).to_bytes()
