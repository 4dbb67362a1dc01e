"""What a folder of Zarr has beside the arrays that its metadata describe is reported."""

import json
import shutil
import warnings

import numpy
import pytest
import zarr


@pytest.fixture
def folder(tmp_path):
    """Arrays u and v of zarr-python."""

    def make(version=3, consolidated=False):
        group = zarr.open_group(tmp_path / "a.zarr", mode="w", zarr_format=version)
        for name in ("u", "v"):
            options = {} if version == 2 else {"dimension_names": ("y", "x")}
            made = group.create_array(name, shape=(5, 6), chunks=(2, 6), dtype="i4", **options)
            made.attrs["_ARRAY_DIMENSIONS"] = ["y", "x"]
            made[...] = numpy.arange(1, 31).reshape(5, 6)
        if consolidated:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # consolidated metadata are not in the specification
                zarr.consolidate_metadata(tmp_path / "a.zarr")
        return tmp_path / "a.zarr"

    return make


def findings(sill, path):
    found = json.loads(sill.run("arrays", "info", path, "--json").out)
    return [each["name"] for each in found["variables"]], found["findings"]


@pytest.mark.parametrize("version", [2, 3])
@pytest.mark.parametrize("consolidated", [False, True])
def test_a_whole_folder_has_no_findings(sill, folder, version, consolidated):
    assert findings(sill, folder(version, consolidated)) == (["u", "v"], [])


@pytest.mark.parametrize("type_", ["arrax", "", None, "group"])
def test_a_damaged_node_type_hides_no_array(sill, folder, type_):
    path = folder()
    metadata = json.loads((path / "v/zarr.json").read_text())
    metadata.pop("node_type") if type_ is None else metadata.update(node_type=type_)
    (path / "v/zarr.json").write_text(json.dumps(metadata))
    names, found = findings(sill, path)
    assert names == ["u"] and any(each.startswith("not read: ") and " v: " in each for each in found), found
    if type_ == "group":
        assert "group v: " in found[0]
    else:
        assert "node_type" in found[0]


def test_a_damaged_node_type_of_the_dataset_is_an_error(sill, folder):
    path = folder()
    for place, text in [(path, "grou"), (path / "u", "arrax")]:
        metadata = json.loads((place / "zarr.json").read_text())
        (place / "zarr.json").write_text(json.dumps(metadata | {"node_type": text}))
        assert f'node_type is "{text}"' in sill.run("arrays", "info", place, expect=3).reason


CHUNKS = {
    "beyond the grid": (3, "c/0/0", "c/3/0", "array u: 1 file of chunks is not part of it: c/3/0"),
    "beyond two": (3, "c/0/0", "c/1/7", "array u: 1 file of chunks is not part of it: c/1/7"),
    "other dimensions": (3, "c/0/0", "c/0/0.0", "array u: 1 file of chunks is not part of it: c/0/0.0"),
    "another form": (3, "c/0/0", "0.0", "array u: 1 file of chunks is not part of it: 0.0"),
    "another number": (3, "c/0/0", "c/00/0", "array u: 1 file of chunks is not part of it: c/00/0"),
    "version 2": (2, "0.0", "3.0", "array u: 1 file of chunks is not part of it: 3.0"),
}


@pytest.mark.parametrize("case", CHUNKS)
def test_chunks_that_no_array_has(sill, folder, case):
    version, source, name, finding = CHUNKS[case]
    path = folder(version)
    (path / "u" / name).parent.mkdir(exist_ok=True, parents=True)
    shutil.copy(path / "u" / source, path / "u" / name)
    assert findings(sill, path) == (["u", "v"], ["not read: " + finding])


def test_arrays_without_metadata(sill, folder):
    path = folder()
    (path / "v/zarr.json").unlink()
    assert findings(sill, path) == (["u"], ["not read: folder v: it has chunks, but no metadata"])
    shutil.rmtree(path / "v")
    (path / "notes").mkdir()
    (path / "notes/thesis.txt").write_text("years of work")
    assert findings(sill, path) == (["u"], [])


@pytest.mark.parametrize("version", [2, 3])
def test_a_lost_array_with_the_name_of_a_chunk(sill, folder, version):
    path = folder(version)
    for name in ("c", "c11", "1"):
        shutil.copytree(path / "v", path / name)
    assert findings(sill, path) == (sorted(["1", "c", "c11", "u", "v"]), [])
    for name in ("c", "c11", "1"):
        (path / name / (".zarray" if version == 2 else "zarr.json")).unlink()
    assert findings(sill, path) == (
        ["u", "v"], [f"not read: folder {name}: it has chunks, but no metadata" for name in ("1", "c", "c11")]
    )
    assert findings(sill, path / "u")[1] == []  # an array has folders of chunks


def test_links_without_target_and_lost_folders_end_no_search(sill, folder):
    path = folder(consolidated=True)
    shutil.copytree(path / "v", path / "x")
    for place in (path, path / "u", path / "u/c", path / "v/c"):
        (place / "0.9").symlink_to("nowhere")
    (path / "w").symlink_to("nowhere")
    lost = "not read: folder x: the consolidated metadata do not list it"
    found = [f"not read: array {name}: 1 file of chunks is not part of it: c/0.9" for name in ("u", "v")]
    found[0] = "not read: array u: 2 files of chunks are not part of it: 0.9"
    assert findings(sill, path) == (["u", "v"], [*found, lost])
    shutil.rmtree(path / "v")
    assert findings(sill, path) == (["u", "v"], [found[0], lost])


@pytest.mark.parametrize("version", [2, 3])
@pytest.mark.parametrize("consolidated", [False, True])
def test_an_empty_group_has_no_arrays(sill, folder, version, consolidated):
    group = zarr.open_group(folder(version), zarr_format=version)
    group.create_group("empty")
    group.create_group("full").create_array("w", shape=(2,), dtype="i4")
    if consolidated:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            zarr.consolidate_metadata(group.store)
    names, found = findings(sill, group.store.root)
    assert names == ["u", "v"] and len(found) == 1 and " full" in found[0], found


def test_unlisted_folders(sill, folder):
    path = folder(consolidated=True)
    group = zarr.open_group(path, use_consolidated=False)
    group.create_group("empty")
    group.create_array("zeros", shape=(2,), dtype="i4").attrs["group"] = "group"
    (path / "damaged").mkdir()
    (path / "damaged/zarr.json").write_text('{"group"')
    lost = [f"not read: folder {name}: the consolidated metadata do not list it" for name in ("damaged", "zeros")]
    assert findings(sill, path) == (["u", "v"], lost)


def test_arrays_that_consolidated_metadata_omit(sill, folder):
    path = folder(consolidated=True)
    shutil.copytree(path / "v", path / "w")
    assert findings(sill, path) == (["u", "v"], ["not read: folder w: the consolidated metadata do not list it"])
