"""What an error says to give is given, on the very file, and the command succeeds."""

import re

import numpy as np
import pytest
import segy_files
import segy_forms
from advice import assumptions_of
from test_sample_format import seismic_values

VALUES = seismic_values(20, 50)


def survey(code=5, **options) -> segy_files.Segy:
    return segy_files.make(20, 50, code=code, **options).put_samples(np.rint(VALUES)).put_word("ns", 50).put_word("dt", 2000).put_word("delrt", 0)


def su() -> segy_files.Segy:
    return segy_forms.make_su(20, 50, order="big").put_samples(VALUES)


# Of each error: the file, the command on it, what the file is known to hold, and the exit code.
ERRORS = {
    "format 0": (survey().put_binary(3225, "i2", 0), ["info", "IN"], {"CODE": 5}),
    "format 99, no text": (
        segy_files.Segy(np.zeros(3600, np.uint8), survey().rows).put_binary(3225, "i2", 99), ["info", "IN"], {"CODE": 5}),
    "no samples": (survey().put_binary(3221, "u2", 0).put_word("ns", 0), ["info", "IN"], {"N": 50}),
    "Seismic Unix without samples": (su().put_word("ns", 0), ["scan", "IN", "--keys", "tracl"], {"N": 50}),
    "format unknown in the order assumed": (
        survey(order="little").put_binary(3225, "i2", 99), ["info", "IN", "--assume", "byte_order=little"], {"CODE": 5}),
    "no interval": (
        survey(interval_us=0).put_word("dt", 0), ["cut", "IN", "-o", "OUT", "--time", "10ms:20ms"], {"US": 2000}),
    "intervals that contradict": (
        survey().put_word("dt", 4000), ["repair", "IN", "-o", "OUT"], {}),
    "samples that are not of the format": (
        segy_files.make(50, 200, code=1).put_samples(seismic_values(50, 200)).put_binary(3225, "i2", 5), ["flow", "IN", "--do", "gain scale=2", "-o", "OUT"], {}),
    "lost samples": (
        survey().put_samples(VALUES / 1e4), ["convert", "IN", "-o", "OUT", "--sample-format", "int16"], {}),
    "lost samples of a flow": (
        survey().put_samples(VALUES / 1e4), ["flow", "IN", "--do", "gain scale=2", "-o", "OUT", "--sample-format", "int16"], {}),
    "integers of another scale": (survey(3), ["flow", "IN", "--do", "agc 40ms", "-o", "OUT"], {}),
    "samples out of range": (
        survey().put_samples(VALUES * 1e3), ["convert", "IN", "-o", "OUT", "--sample-format", "int16"], {}),
    "samples out of range of a flow": (
        survey().put_samples(VALUES * 1e3), ["flow", "IN", "--do", "gain scale=2", "-o", "OUT", "--sample-format", "int16"], {}),
    "not a number": (
        survey().put_samples(np.where(VALUES > 990, np.nan, VALUES)), ["convert", "IN", "-o", "OUT", "--sample-format", "int16"], {}),
    "not a number, of a flow": (
        survey().put_samples(np.where(VALUES > 990, np.nan, VALUES)),
        ["flow", "IN", "--do", "sort tracl", "-o", "OUT", "--sample-format", "int16"], {}),
    "not a number, of a flow that scales": (
        survey().put_samples(np.where(VALUES > 990, np.nan, VALUES)),
        ["flow", "IN", "--do", "sort tracl", "-o", "OUT", "--sample-format", "int16", "--scale", "2"], {}),
    "cut": (survey(), ["repair", "IN", "-o", "OUT"], {}),
    "auxiliary traces": (survey().put_word("trid", 6), ["flow", "IN", "--do", "mix 3", "-o", "OUT"], {}),
    "traces that no stack takes": (
        survey().put_word("trid", 6), ["flow", "IN", "--do", "stack by=cdp trid=1", "-o", "OUT"], {"CODE": 6}),
}  # fmt: skip
OPTIONS = re.compile(
    r"--(?:clip|accept-loss|scale fit|nonfinite zero|auxiliary process|last-trace (?:drop|pad)|sample-format ieee)")


def content_of(name: str) -> bytes:
    content = ERRORS[name][0].to_bytes()
    return content[:-30] if name == "cut" else content


@pytest.mark.parametrize("name", ERRORS)
def test_the_advice_of_an_error_is_followed(sill, tmp_path, name):
    _, command, known = ERRORS[name]
    path = tmp_path / ("in.su" if "Unix" in name else "in.sgy")
    path.write_bytes(content_of(name))
    arguments = [str(path) if word == "IN" else str(tmp_path / "out.sgy") if word == "OUT" else word for word in command]
    refused = sill.run(*arguments, expect=(2, 3))
    advice = refused.err
    ways = [["--assume", text] for text in assumptions_of(advice, known)]
    if "--assume" in arguments:
        ways = [["--assume", ",".join([arguments[-1], text])] for _, text in ways]
        arguments = arguments[:-2]
    ways += [found.split() for found in OPTIONS.findall(advice)]
    if "trid=CODE" in advice:
        ways.append(["--do", f"stack by=cdp trid={known['CODE']}"])
    assert ways, advice
    for way in ways:
        options = [word for i, word in enumerate(arguments) if way[0] not in arguments[i - 1 : i + 1]]
        sill.run(*options, *way)


def test_the_other_byte_order_is_advised_where_it_makes_sense(sill, tmp_path):
    path = survey().write(tmp_path / "in.sgy")
    advice = sill.run("info", path, "--assume", "byte_order=little", expect=3).err
    assert "assume the other byte order, in which the header is valid, or do not assume a byte order" in advice
    sill.run("info", path, "--assume", "byte_order=big")
