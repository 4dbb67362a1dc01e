"""ASDF files of `sill kernel seismograms`: read by pyasdf, obspy and h5py, the same of all runs, complete or absent."""

import os
import time

import h5py
import numpy as np
import obspy
import pytest
from program import TIMEOUT_S, kill_group
from test_kernel_stations import value

pyasdf = pytest.importorskip("pyasdf")

NAMES = ["VX0", "VY0", "VZ0", "TXX", "TYY", "TZZ", "TXY", "TXZ", "TYZ"]
RUNS = [(None, "auto"), (1, "staged"), (3, "elected,async=2"), (4, "direct"), (2, "aggregated")]


@pytest.fixture(autouse=True)
def with_hdf5(sill):
    if "built without HDF5" in sill.run("--version").out:
        pytest.skip("built without HDF5")


def command(out, *options, stations=6, samples=110):
    sizes = ["--stations", stations, "--samples", samples, "--every", 30]
    return ["kernel", "seismograms", "--form", "asdf", "--out", out, *sizes, *options]


def samples_of(station, component, samples=110):
    return np.array([value(station, component, step) for step in range(1, samples + 1)]).astype(np.float32)


@pytest.mark.filterwarnings("ignore:Failed to flush")
def test_pyasdf_reads_what_is_recorded(sill, tmp_path):
    sill.run(*command(tmp_path, "--verify"))
    with pyasdf.ASDFDataSet(tmp_path / "stations.h5", mode="r", mpi=False) as file:
        assert file.asdf_format_version == "1.0.3"
        assert file.waveforms.list() == [f"X0.{n}" for n in range(1, 7)]
        assert file.waveform_tags == {"synthetic"}
        assert [event.resource_id.id for event in file.events] == ["smi:local/sill/event"]
        positions = file.auxiliary_data.Stations.Positions
        assert positions.data.shape == (6, 3) and positions.parameters == {"units": b"m"}
        coordinates = file.get_all_coordinates()
        for station in range(6):
            group = file.waveforms[f"X0.{station + 1}"]
            inventory = group.StationXML
            assert inventory[0].code == "X0" and inventory[0][0].code == str(station + 1)
            x, y, z = positions.data[station]
            found = coordinates[f"X0.{station + 1}"]
            assert abs(found["longitude"] * 111_195 - x) < 0.01 and abs(found["latitude"] * 111_195 - y) < 0.01
            stream = group.synthetic
            assert sorted(trace.stats.channel for trace in stream) == sorted(NAMES)
            for trace in stream:
                assert trace.stats.starttime == obspy.UTCDateTime(0) and trace.stats.sampling_rate == 125.0
                assert [each.id for each in trace.stats.asdf.event_ids] == ["smi:local/sill/event"]
                assert (trace.data == samples_of(station, NAMES.index(trace.stats.channel))).all()


def test_names_and_attributes_are_those_of_the_definition(sill, tmp_path):
    sill.run(*command(tmp_path, samples=126))
    with h5py.File(tmp_path / "stations.h5") as file:
        assert (file.attrs["file_format"], file.attrs["file_format_version"]) == (b"ASDF", b"1.0.3")
        assert sorted(file) == ["AuxiliaryData", "Provenance", "QuakeML", "Waveforms"]
        assert file["QuakeML"].dtype == "u1" and bytes(file["QuakeML"][:]).startswith(b"<?xml")
        group = file["Waveforms/X0.3"]
        name = "X0.3..TXX__1970-01-01T00:00:00__1970-01-01T00:00:01__synthetic"
        assert set(group) == {"StationXML", *(name.replace("TXX", each) for each in NAMES)}
        attributes = group[name].attrs
        assert set(attributes) == {"starttime", "sampling_rate", "event_id"}
        for each, dtype in (("starttime", "<i8"), ("sampling_rate", "<f8")):
            assert attributes.get_id(each).dtype == dtype and attributes.get_id(each).shape == ()
        assert attributes["event_id"] == b"smi:local/sill/event"
        assert group[name].dtype == "<f4" and group[name].chunks is None


def test_all_runs_write_the_same_bytes(sill, tmp_path):
    files = []
    for ranks, policy in RUNS:
        sill.run(*command(tmp_path / "out", "--policy", policy, "--verify"), ranks=ranks)
        files.append((tmp_path / "out" / "stations.h5").read_bytes())
    assert all(each == files[0] for each in files)


def test_a_killed_run_leaves_no_file_that_is_taken_for_a_complete_one(sill, tmp_path):
    process = sill.start(*command(tmp_path, "--compute-ms", 5, stations=3, samples=2000))
    path = tmp_path / "stations.h5"
    until = time.monotonic() + TIMEOUT_S
    while not path.exists() or path.stat().st_size < 8 or path.read_bytes()[:8] == bytes(8):
        assert time.monotonic() < until
        time.sleep(0.005)
    kill_group(process)
    process.wait()
    assert int.from_bytes(path.read_bytes()[:8], "little") % 30 == 0  # complete steps
    with pytest.raises(OSError, match="signature not found"):
        h5py.File(path)
    sill.run(*command(tmp_path, "--verify", stations=3, samples=40))  # a new run replaces it
    assert h5py.is_hdf5(path)


def test_a_file_that_cannot_be_is_an_error(sill, tmp_path):
    refused = sill.run("kernel", "seismograms", "--form", "asdf", "--original", "--out", tmp_path, expect=2)
    assert "a file for each station" in refused.err
    missing = {**os.environ, "SILL_HDF5": str(tmp_path / "none.so")}
    (tmp_path / "stations.h5").write_bytes(b"earlier")
    assert "HDF5 cannot be loaded" in sill.run(*command(tmp_path), env=missing, expect=2).err
    assert (tmp_path / "stations.h5").read_bytes() == b"earlier"
