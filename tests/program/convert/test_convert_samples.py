"""`sill convert`: samples of every format into every other, against whole numbers and fractions."""

import json

import numpy as np
import pytest
import segy_files
import segy_forms
import segy_values
from converting import REVISIONS, WORD_OF, expected, first_revision

ORDERS = ["big", "little", "pairwise"]
SPECIAL = [
    0.0, 0.5, 1.5, 2.5, -0.5, -1.5, 0.25, 127.4, 127.5, 128.5, -128.5, 255.5, 32767.4, 32767.5, -32768.5, 65535.5,
    8388607.5, -8388608.5, 16777215.5, 16777216.5, 16777217.0, 2147483647.5, 4294967295.5, 1e-3, -3.3e-7,
    9.007199254740993e15, 9.2e18, 1.8e19, -9.3e18, 1e30, -2e38,
]  # fmt: skip


def source_values(code: int) -> np.ndarray:
    """Values that a format holds, of all magnitudes, halves and extremes among them."""
    kind = segy_files.SAMPLE_TYPES[code]
    random = np.random.default_rng(code)
    if code == 4:
        return random.integers(0, 1 << 16, 120) | random.integers(0, 13, 120) << 16
    if segy_values.is_integer(kind):
        low, high = segy_files.integer_range(kind)
        bits = 8 * segy_files.size_of(kind)
        values = [low, high, 0, 1, high - 1, low + 1]
        for shift in range(bits):
            values += [low + (int(random.integers(0, 1 << 62)) * 4 + 1) % (1 << shift + 1) for _ in range(2)]
            values += [(int(random.integers(0, 1 << 62)) * 4 + 3) % (1 << shift + 1) % (high + 1) for _ in range(2)]
        return segy_values.numbers(values, kind)
    values = [*SPECIAL, *(random.standard_normal(100) * 10.0 ** random.integers(-3, 20, 100))]
    return np.array([segy_values.plain(segy_values.rounded(segy_values.Fraction(v), kind), kind) for v in values])


def file_of(code: int, values, order: str, **options) -> segy_files.Segy:
    """The values as a file of traces of 16 samples, zeros after the last."""
    rest = -len(values) % 16
    values = np.concatenate([values, np.zeros(rest, values.dtype)]).reshape(-1, 16)
    return segy_forms.make(len(values), 16, code=code, order=order, **options).put_samples(values)


def exact_samples(file: segy_files.Segy) -> np.ndarray:
    if file.code == 4:
        return segy_forms.gain_values(file.samples(), int(file.head[3500]))
    return file.samples()


def revisions_for(code: int) -> list[str]:
    return [name for name, stored in REVISIONS.items() if stored[0] >= first_revision(code)]


@pytest.mark.parametrize("code", sorted(segy_files.SAMPLE_TYPES))
def test_every_format_into_every_other(sill, tmp_path, code):
    """Whole files, with as many byte orders and revisions as there are formats; what is beyond the range is clipped."""
    everything = source_values(code)
    for turn, to in enumerate(WORD_OF):
        kind = segy_files.SAMPLE_TYPES[to]
        order = ORDERS[turn % 3]
        if order == "pairwise" and 3 in (segy_files.size_of(kind), segy_files.size_of(segy_files.SAMPLE_TYPES[code])):
            order = "little"
        made_order = ORDERS[(turn // 3 + code) % 2]
        named = revisions_for(to)
        revision = named[(turn + code) % len(named)]
        file = file_of(code, everything, order)
        values, account = segy_values.convert(exact_samples(file), kind, clip=True)
        path = file.write(tmp_path / "in.sgy")
        arguments = ["--sample-format", WORD_OF[to], "--byte-order", made_order, "--revision", revision, "--clip"]
        arguments += ["--accept-loss"]
        arguments += ["--assume", f"sample_format={code}"]  # values that no survey has
        sill.run("convert", path, "-o", tmp_path / "out.sgy", *arguments, "--report", tmp_path / "r.json")
        wanted = expected(
            file, code=to, order=made_order, revision=REVISIONS[revision], samples=segy_values.numbers(values, kind)
        )
        assert (tmp_path / "out.sgy").read_bytes() == wanted.to_bytes(), (code, to, order, made_order, revision)
        told = json.loads((tmp_path / "r.json").read_text())
        for name in ("rounded", "clipped", "zeroed"):
            assert told[name] == account[name], (name, code, to)
        assert told["largest_relative_error"] == pytest.approx(account["largest_relative_error"], rel=1e-6)
        assert told["samples"] == file.traces * 16


@pytest.mark.parametrize("code", sorted(segy_files.SAMPLE_TYPES))
def test_without_clip_only_what_fits(sill, tmp_path, code):
    """The first sample beyond the range ends the command, with file and trace; without those it passes."""
    for to in WORD_OF:
        kind = segy_files.SAMPLE_TYPES[to]
        file = file_of(code, source_values(code), "big")
        target = tmp_path / "out.sgy"
        path = file.write(tmp_path / "in.sgy")
        assumed = ["--assume", f"sample_format={code}"]  # values that no survey has
        try:
            values, _ = segy_values.convert(exact_samples(file), kind)
        except segy_values.OutOfRange as beyond:
            refused = sill.run("convert", path, "-o", target, "--sample-format", WORD_OF[to], "--threads", 1, *assumed, expect=3)
            assert f"trace:  {beyond.index // 16 + 1}\n" in refused.err, (code, to)
            assert "in.sgy" in refused.err and "--clip" in refused.err
            assert not target.exists()
        else:
            sill.run("convert", path, "-o", target, "--sample-format", WORD_OF[to], *assumed)
            wanted = expected(file, code=to, samples=segy_values.numbers(values, kind))
            assert target.read_bytes() == wanted.to_bytes(), (code, to)
            target.unlink()


def test_gain_of_revision_1_multiplies(sill, tmp_path):
    """Code 4 in a file of revision 1; revision 2.1 divides, as the matrix above has it."""
    file = segy_files.make(9, 16, code=4).put_samples(source_values(4)[:72].repeat(2))
    sill.run("convert", file.write(tmp_path / "in.sgy"), "-o", tmp_path / "out.sgy", "--sample-format", "ieee")
    made = segy_forms.parse((tmp_path / "out.sgy").read_bytes(), segy_files.make(9, 16))
    assert np.array_equal(made.samples(), segy_forms.gain_values(file.samples(), 1))


@pytest.fixture
def strange():
    """IEEE floats with NaN and infinities in traces 4 and 6."""
    file = segy_forms.make(8, 16)
    values = file.samples()
    values[3, 5], values[3, 6], values[5, 0] = np.nan, np.inf, -np.inf
    return file.put_samples(values)


@pytest.mark.parametrize("to", [code for code in WORD_OF if code not in (5, 6)])
def test_no_numbers(sill, tmp_path, strange, to):
    path, target = strange.write(tmp_path / "in.sgy"), tmp_path / "out.sgy"
    kind = segy_files.SAMPLE_TYPES[to]
    command = ["convert", path, "-o", target, "--sample-format", WORD_OF[to]]
    # Which of them is met first, NaN or a sample beyond the range, depends on the format.
    refused = sill.run(*command, "--nonfinite", "refuse", "--threads", 1, expect=3)
    with pytest.raises(segy_values.OutOfRange) as beyond:
        segy_values.convert(strange.samples(), kind)
    assert f"trace:  {beyond.value.index // 16 + 1}\n" in refused.err
    # NaN has no nearest value: --clip does not help.
    assert "trace:  4\n" in sill.run(*command, "--clip", "--threads", 1, expect=3).err
    assert sorted(path.name for path in tmp_path.iterdir()) == ["in.sgy"]

    sill.run(*command, "--clip", "--nonfinite", "zero", "--report", tmp_path / "r.json")
    values, account = segy_values.convert(strange.samples(), kind, clip=True, zero=True)
    assert target.read_bytes() == expected(strange, code=to, samples=segy_values.numbers(values, kind)).to_bytes()
    told = json.loads((tmp_path / "r.json").read_text())
    assert {name: told[name] for name in account} == pytest.approx(account, rel=1e-6)
    assert told["zeroed"] == 3


@pytest.mark.parametrize("code, to", [(5, 6), (6, 5)])
def test_no_numbers_stay_what_they_are_between_ieee_formats(sill, tmp_path, code, to):
    values = np.array([np.nan, np.inf, -np.inf, -0.0, 1e-45, 3.0] * 8)
    file = file_of(code, values, "little")
    sill.run("convert", file.write(tmp_path / "in.sgy"), "-o", tmp_path / "out.sgy", "--sample-format", WORD_OF[to],
             "--accept-loss")  # of the smallest double
    assert (tmp_path / "out.sgy").read_bytes() == expected(file, code=to, samples=file.samples()).to_bytes()


@pytest.mark.parametrize("code", [1, 5, 6])
def test_byte_order_alone_moves_bytes_whatever_they_are(sill, tmp_path, code):
    """Unnormalised IBM words and payloads of NaN are carried."""
    file = segy_forms.make(5, 16, code=code)
    raw = np.random.default_rng(1).integers(0, 256, file.rows[:, 240:].shape)
    file.rows[:, 240:] = raw
    sill.run("convert", file.write(tmp_path / "in.sgy"), "-o", tmp_path / "out.sgy", "--byte-order", "little")
    size = segy_files.size_of(segy_files.SAMPLE_TYPES[code])
    made = (tmp_path / "out.sgy").read_bytes()[3600:]
    rows = np.frombuffer(made, np.uint8).reshape(5, -1)[:, 240:]
    assert np.array_equal(rows.reshape(5, 16, size), raw.reshape(5, 16, size)[..., ::-1])


def test_unnormalised_ibm(sill, tmp_path):
    """0x40010000 is 2^-8, 0x46001000 is 4096."""
    file = segy_files.make(2, 2, code=1)
    words = np.array([0x40010000, 0x46001000, 0xC276A000, 0x00000000], np.uint32)
    file.rows[:, 240:] = segy_files.encode(words, "u4", "big").reshape(2, 8)
    sill.run("convert", file.write(tmp_path / "in.sgy"), "-o", tmp_path / "out.sgy", "--sample-format", "ieee")
    made = segy_forms.parse((tmp_path / "out.sgy").read_bytes(), segy_files.make(2, 2))
    assert made.samples().ravel().tolist() == [0.00390625, 4096.0, -118.625, 0.0]
