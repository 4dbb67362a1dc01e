"""Headers that state counts, revisions and domains in ways of their own."""

import json
import struct

import numpy as np
import pytest
import segy_files
import segy_forms
from test_geometry_positions import with_text


def info(sill, path, *options):
    return json.loads(sill.run("info", "--json", path, *options).out)


@pytest.mark.parametrize("revision", [0, 1])
@pytest.mark.parametrize("samples, code", [(70_000, 8), (65_536 + 4464, 3), (140_001, 8)])
def test_counts_modulo_65536(sill, tmp_path, samples, code, revision):
    stored = samples % 65_536
    file = segy_files.make(5, samples, code=code)
    file.head[3500] = revision
    file.put_binary(3221, "u2", stored).put_word("ns", stored).put_word("tracl", 1 + np.arange(5))
    path = file.write(tmp_path / "in.sgy")
    told = info(sill, path)
    assert (told["traces"], told["samples"]) == (5, samples)
    assert any(f"{stored} samples per trace, but the traces have {samples}" in one["problem"] for one in told["diagnostics"])
    sill.run("sort", path, "-o", tmp_path / "o.sgy", "--by", "-tracl")
    assert (tmp_path / "o.sgy").stat().st_size == path.stat().st_size


def test_revision_in_digits_of_one_byte(sill, tmp_path):
    file = segy_files.make(5, 10)
    file.head[3500:3502] = (0, 0x10)
    told = info(sill, file.write(tmp_path / "in.sgy"))
    assert told["revision"] == "0.16" and ["revision", "1"] in [[e["subject"], e["decided"]] for e in told["evidence"]]
    assert "SEG-Y revision 1.0, stored as 0.16" in sill.run("info", tmp_path / "in.sgy").out
    assert any("0x0010" in one["problem"] for one in told["diagnostics"])


def test_suspected_depth_is_refused_where_time_counts(sill, tmp_path):
    file = with_text(segy_files.make(5, 100), "PRESTACK DEPTH MIGRATION")
    path = file.write(tmp_path / "in.sgy")
    refused = sill.run("flow", path, "--do", "ormsby 5,10,40,50Hz", "-o", tmp_path / "o.sgy", expect=2)
    assert "may be in depth" in refused.err and "line 1" in refused.err
    for advice in ("domain=time", "domain=depth"):
        assert advice in refused.err
    sill.run("flow", path, "--do", "ormsby 5,10,40,50Hz", "-o", tmp_path / "o.sgy", "--assume", "domain=time")
    assert info(sill, path, "--assume", "domain=depth")["domain"] == "depth"
    refused = sill.run("flow", path, "--do", "ormsby 5,10,40,50Hz", "-o", tmp_path / "o.sgy", "--assume", "domain=depth", expect=2)
    assert "in depth" in refused.err
    sill.run("flow", path, "--do", "gain scale=2", "-o", tmp_path / "p.sgy")
    both = with_text(segy_files.make(5, 100), "PRESTACK DEPTH MIGRATION", "CONVERTED TO TIME").write(tmp_path / "t.sgy")
    sill.run("flow", both, "--do", "ormsby 5,10,40,50Hz", "-o", tmp_path / "o.sgy")


@pytest.mark.parametrize("order", [">", "<"])
@pytest.mark.parametrize("form", [0, 1])
@pytest.mark.parametrize("traces", [1, 3])
def test_passcal_says_what_it_is_and_the_advice_reads_it(sill, tmp_path, order, form, traces):
    samples, kind = 500, "i2" if form == 0 else "i4"
    values = np.arange(traces * samples).reshape(traces, samples).astype(order + kind)
    data = b""
    for i in range(traces):
        header = bytearray(240)
        struct.pack_into(order + "i", header, 0, i + 1)
        struct.pack_into(order + "h", header, 114, samples)
        struct.pack_into(order + "h", header, 116, 1)
        struct.pack_into(order + "i", header, 200, 4000)
        struct.pack_into(order + "h", header, 204, form)
        struct.pack_into(order + "i", header, 228, samples)
        data += bytes(header) + values[i].tobytes()
    (tmp_path / "p.sgy").write_bytes(data)
    refused = sill.run("info", tmp_path / "p.sgy", expect=3)
    assert "PASSCAL" in refused.err and f"{traces} of 500 samples of {2 * (form + 1)} bytes" in refused.err
    header = bytearray(b" " * 3200 + bytes(400))
    for byte, value in ((3221, 500), (3217, 4000), (3225, 3 if form == 0 else 2)):
        assert f"{value} at" in refused.err or f"{value} at bytes" in refused.err
        struct.pack_into(order + "h", header, byte - 1, value)
    (tmp_path / "o.sgy").write_bytes(bytes(header) + data)
    told = info(sill, tmp_path / "o.sgy")
    assert (told["traces"], told["samples"], told["interval_us"]) == (traces, 500, 4000)
    sill.run("flow", tmp_path / "o.sgy", "--do", "gain scale=2", "--sample-format", "ieee", "-o", tmp_path / "q.sgy")


def test_what_extension_1_states_is_not_contradicted(sill, tmp_path):
    """Bytes 115-116 hold the most that a signed number can say; extension 1 has the number."""
    for samples in (40_000, 32_768):
        file = segy_forms.make(6, samples, additional=1, code=3).put_word("ns", 32_767)
        path = file.put(240 + 137, "u4", samples).put(240 + 157, "i2", 1).write(tmp_path / "in.sgy")
        told = info(sill, path)
        assert told["samples"] == samples
        assert not any("115-116" in one["where"] for one in told["diagnostics"])
        assert "115-116" not in sill.run("check", path).out
    # Without that header it is a contradiction.
    path = segy_forms.make(6, 40_000, code=3).put_word("ns", 32_767).write(tmp_path / "in.sgy")
    assert any("115-116" in one["where"] for one in info(sill, path)["diagnostics"])
