"""Records: read by zstandard, gzip and Biopython, and as XML; files that are cut, damaged, or of runs that are killed."""

import gzip
import random
import time
import xml.etree.ElementTree as ElementTree
import zlib

import pytest
import zstandard
from Bio import bgzf
from program import kill_group

SIZES = ["--records", 500, "--record-bytes", 3000, "--buffer", "300K"]
NAMES = {"none": "hits.xml", "zstd": "hits.xml.zst", "bgzf": "hits.xml.gz"}


def written(sill, folder, codec, *options, ranks=None):
    sill.run("kernel", "blast-records", *SIZES, "--codec", codec, "--out", folder, "--verify", *options, ranks=ranks)
    return folder / NAMES[codec]


def unpacked(path, codec):
    if codec == "zstd":
        with open(path, "rb") as file:
            return zstandard.ZstdDecompressor().stream_reader(file, read_across_frames=True).read()
    return gzip.open(path).read() if codec == "bgzf" else path.read_bytes()


def index_of(path):
    lines = path.with_name(path.name + ".index").read_text().splitlines()
    assert lines[0] == "# id\toffset\tbytes\tcrc32" and lines[-1] == "# complete"
    return [tuple(int(field, 16 if i == 3 else 10) for i, field in enumerate(line.split("\t"))) for line in lines[1:-1]]


@pytest.mark.parametrize("codec", NAMES)
def test_other_programs_read_what_any_ranks_wrote(sill, tmp_path, codec):
    path = written(sill, tmp_path / "a", codec)
    for ranks in (2, 3):
        other = written(sill, tmp_path / str(ranks), codec, "--policy", "elected,async=1", ranks=ranks)
        assert other.read_bytes() == path.read_bytes()
    text = unpacked(path, codec)
    index = index_of(path)
    assert [entry[0] for entry in index] == list(range(500))
    for number, offset, size, crc in index:
        record = text[offset : offset + size]
        assert zlib.crc32(record) == crc
        assert record.startswith(f"<Iteration><Iteration_iter-num>{number + 1}<".encode())
    assert offset + size == len(text)
    if codec == "bgzf":
        with bgzf.BgzfReader(str(path), "rb") as reader:
            assert reader.read(len(text) + 1) == text
    document = ElementTree.fromstring(sill.run("records", "get", path, "--ids", "3,7-9").out)
    assert [each.get("id") for each in document] == ["3", "7", "8", "9"]
    assert document[0].find("Iteration/Iteration_iter-num").text == "4"
    plain = tmp_path / "plain.xml"
    sill.run("records", "get", path, "--plain", "-o", plain)
    assert plain.read_bytes() == text
    assert "500 of 500 records" in sill.run("records", "verify", path, ranks=2).out
    assert "shortest:" in sill.run("records", "advise", path, "--folder", tmp_path).out


def test_several_files_are_read_in_the_order_of_ids(sill, tmp_path):
    whole = written(sill, tmp_path / "one", "bgzf")
    written(sill, tmp_path / "some", "bgzf", "--files", 12, ranks=2)
    files = sorted((tmp_path / "some").glob("hits.xml.*.gz"))  # 10 and 11 before 2
    assert len(files) == 12
    sill.run("records", "get", *files, "--plain", "-o", tmp_path / "all.xml")
    assert (tmp_path / "all.xml").read_bytes() == gzip.open(whole).read()


def test_the_original_has_a_file_for_each_node(sill, tmp_path):
    for ranks in (None, 3):
        sill.run("kernel", "blast-records", *SIZES, "--original", "--verify", "--out", tmp_path, ranks=ranks)
        data = (tmp_path / "hits.node0.xml.z").read_bytes()
        count = at = 0
        while at < len(data):
            size = int.from_bytes(data[at : at + 4], "little")
            assert zlib.decompress(data[at + 4 : at + 4 + size]).startswith(b"<Iteration>")
            at += 4 + size
            count += 1
        assert count == 500


def test_damage_is_named_and_the_rest_recovered(sill, tmp_path):
    path = written(sill, tmp_path, "zstd", "--level", 1)
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    verified = sill.run("records", "verify", path, expect=1).out
    assert "damaged:" in verified and "truncated or damaged at this byte" in verified
    # A frame of 1 MiB is lost: here nearly all.
    recovered = sill.run("records", "recover", path, "-o", tmp_path / "r.zst").out
    assert "are lost: " in recovered
    sill.run("records", "verify", tmp_path / "r.zst")
    path.write_bytes(whole)
    (tmp_path / "hits.xml.zst.index").rename(tmp_path / "index")
    assert "the index of the records" in sill.run("records", "list", path, expect=3).err
    (tmp_path / "hits.xml.zst.index").write_text((tmp_path / "index").read_text().replace("\t", " "))
    assert "line 1 of the index" in sill.run("records", "list", path, expect=3).err


def test_documents_have_each_requested_record_once(sill, tmp_path):
    written(sill, tmp_path, "zstd", "--files", 2)
    files = [tmp_path / f"hits.xml.{i}.zst" for i in range(2)]
    output = tmp_path / "all.xml"
    assert "no record 500 of 249 to 500" in sill.run("records", "get", *files, "--ids", "249-500", "-o", output, expect=3).err
    document = ElementTree.fromstring(sill.run("records", "get", *files, "--ids", "248-251,250-252").out)
    assert [each.get("id") for each in document] == ["248", "249", "250", "251", "252"]
    (tmp_path / "link.zst").symlink_to(files[0])
    for twice in (files[0], tmp_path / "link.zst"):
        assert "named twice" in sill.run("records", "get", files[0], twice, "-o", output, expect=2).err
    # A writer that was stopped after its first records.
    index = tmp_path / "hits.xml.1.zst.index"
    index.write_text("".join(line + "\n" for line in index.read_text().splitlines()[:50]))
    for options in ((), ("--plain",), ("--ids", "200-400")):
        error = sill.run("records", "get", *files, *options, "-o", output, expect=3).err
        assert "its index is incomplete: the writer was stopped" in error and "records recover" in error
    assert not output.exists()
    assert sill.run("records", "get", *files, "--ids", "200-280").out.count("<record ") == 81
    sill.run("records", "recover", files[1], "-o", tmp_path / "whole.zst")
    sill.run("records", "get", files[0], tmp_path / "whole.zst", "-o", output)


def test_what_is_no_xml_is_an_error_that_names_the_record(sill, tmp_path):
    (tmp_path / "a").write_bytes(b"<a/>hits: 3 < 4<b>\x01</b>")
    places = [(0, 0, 4), (1, 4, 11), (5, 15, 8)]
    text = (tmp_path / "a").read_bytes()
    (tmp_path / "a.index").write_text(
        "# id\toffset\tbytes\tcrc32\n"
        + "".join(f"{i}\t{at}\t{n}\t{zlib.crc32(text[at:at + n]):08x}\n" for i, at, n in places)
        + "# complete\n"
    )
    assert "<a/>" in sill.run("records", "get", tmp_path / "a", "--ids", "0").out
    assert "record 1 is not XML" in sill.run("records", "get", tmp_path / "a", "--ids", "1", expect=3).err
    assert "control characters" in sill.run("records", "get", tmp_path / "a", "--ids", "5", expect=3).err
    assert "no record 2 of 2 to 4" in sill.run("records", "get", tmp_path / "a", "--ids", "0,2-4", expect=3).err
    assert "does not name records" in sill.run("records", "get", tmp_path / "a", "--ids", "7-3", expect=2).err
    assert sill.run("records", "get", tmp_path / "a", "--plain").out == text.decode()


def test_a_killed_run_leaves_what_it_wrote(sill, tmp_path):
    rng = random.Random(3)
    kept = 0
    for turn in range(6):
        folder = tmp_path / str(turn)
        process = sill.start(
            "kernel", "blast-records", "--records", 200000, "--record-bytes", 3000, "--buffer", "2M", "--out", folder
        )
        try:
            time.sleep(0.3 + rng.random())
            assert process.poll() is None
        finally:
            kill_group(process)
        path = folder / "hits.xml.zst"
        if not path.with_name(path.name + ".index").exists():
            continue
        verified = sill.run("records", "verify", path, expect=1).out
        assert "stopped" in verified or "truncated or damaged" in verified
        sill.run("records", "recover", path, "-o", folder / "whole.zst")
        index = index_of(folder / "whole.zst")
        text = unpacked(folder / "whole.zst", "zstd")
        assert [entry[0] for entry in index] == list(range(len(index)))
        assert all(zlib.crc32(text[at : at + size]) == crc for _, at, size, crc in index)
        kept += len(index)
    assert kept > 0
