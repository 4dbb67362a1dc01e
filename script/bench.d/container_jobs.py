"""What libraries take to write or read an array, a survey or stations. Prints the seconds of the job itself.

container_jobs.py write|read|plane-z|plane-y|plane-x LIBRARY FOLDER CODEC MIB
container_jobs.py mdio SURVEY OUTPUT
container_jobs.py asdf FILE STATIONS SAMPLES

LIBRARY: sill-zarr, sill-hdf5, sill-netcdf4, tensorstore, zarr, h5py, netcdf4. CODEC: none, deflate:1, zstd:3; for h5py
and Sill also shuffle+deflate:1. The array has MIB times 512 x 512 elements of f4, in chunks of at most 2 MiB. `plane-x`
reads the planes of up to 8 equally distant values of the dimension x. `read` and `plane-x` read what `write` wrote before.
`mdio` makes MDIO of a post-stack cube by multidimio, `asdf` writes stations of nine components by h5py.
"""

import importlib
import os
import pathlib
import shutil
import sys
import time

import numpy

SHAPE = (256, 512, 512)
CHUNK = (128, 64, 64)


def array(folder):
    """Returns a smooth field with noise, which zstd:3 makes about half as long; made once."""
    path = folder / "array.npy"
    if not path.exists():
        z, y, x = (numpy.linspace(0, 12, length, dtype="f4") for length in SHAPE)
        field = numpy.sin(z)[:, None, None] * numpy.cos(y)[None, :, None] * numpy.sin(x)[None, None, :]
        noise = numpy.random.default_rng(1).normal(0, 1e-3, SHAPE).astype("f4")
        numpy.save(path, numpy.round((field + noise) * 4096) / 4096)
    return path


def sill_file(folder, library, codec, mode):
    import sill

    ending = {"sill-zarr": "zarr", "sill-hdf5": "h5", "sill-netcdf4": "nc4"}[library]
    is_chunked = mode == "w" and (library == "sill-zarr" or codec != "none")
    options = {"codec": codec, "chunks": CHUNK} if is_chunked else {}
    dims = dict(zip("zyx", SHAPE, strict=True)) if mode == "w" else None
    return sill.Dataset(folder / f"{library}.{ending}", mode, dims=dims, fill=False, **options)


def tensorstore_array(folder, codec, creates):
    import tensorstore

    codecs = [{"name": "bytes", "configuration": {"endian": "little"}}]
    name, _, level = codec.partition(":")
    if level:
        codecs.append({"name": {"deflate": "gzip"}.get(name, name), "configuration": {"level": int(level)}})
    sharding = {"name": "sharding_indexed", "configuration": {"chunk_shape": CHUNK, "codecs": codecs}}
    spec = {"driver": "zarr3", "kvstore": {"driver": "file", "path": f"{folder}/tensorstore/"},
            "metadata": {"shape": SHAPE, "data_type": "float32", "codecs": [sharding],
                         "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": SHAPE}}}}  # fmt: skip
    return tensorstore.open(spec, create=creates, open=not creates).result()


def zarr_array(folder, codec, creates):
    import zarr

    if not creates:
        return zarr.open_array(folder / "zarr", mode="r")
    name, _, level = codec.partition(":")
    codecs = {"deflate": zarr.codecs.GzipCodec, "zstd": zarr.codecs.ZstdCodec}
    compressors = [codecs[name](level=int(level))] if level else None
    return zarr.create_array(
        folder / "zarr", shape=SHAPE, chunks=CHUNK, shards=SHAPE, dtype="f4", compressors=compressors, fill_value=0
    )


def h5py_dataset(folder, codec, creates):
    import h5py

    file = h5py.File(folder / "h5py.h5", "w" if creates else "r")
    if not creates:
        return file["u"]
    options = {}
    if codec != "none":
        options = {"chunks": CHUNK, "shuffle": "shuffle" in codec, "compression": "gzip", "compression_opts": int(codec[-1])}
    return file.create_dataset("u", SHAPE, "f4", **options)


def netcdf4_variable(folder, codec, creates):
    import netCDF4

    file = netCDF4.Dataset(folder / "netcdf4.nc4", "w" if creates else "r")
    if not creates:
        return file["u"]
    for name, length in zip("zyx", SHAPE, strict=True):
        file.createDimension(name, length)
    name, _, level = codec.partition(":")
    compression = {"deflate": "zlib"}.get(name, name)
    options = {"compression": compression, "complevel": int(level), "shuffle": False, "chunksizes": CHUNK} if level else {}
    return file.createVariable("u", "f4", ("z", "y", "x"), fill_value=False, **options)


OTHERS = {"zarr": zarr_array, "h5py": h5py_dataset, "netcdf4": netcdf4_variable}


def parts(read, job):
    """Returns the array, or 8 planes of it."""
    if job == "read":
        return read(...)
    dimension = "zyx".index(job[-1])
    places = range(0, SHAPE[dimension], max(1, SHAPE[dimension] // 8))
    return [read((slice(None),) * dimension + (slice(at, at + 1),)) for at in places]


def run(job, library, folder, codec):
    """Returns the seconds of a job."""
    importlib.import_module("sill" if library.startswith("sill") else {"netcdf4": "netCDF4"}.get(library, library))
    if job == "write":
        for old in folder.glob(f"{library}*"):
            shutil.rmtree(old) if old.is_dir() else old.unlink()
        values = numpy.load(array(folder))
        began = time.perf_counter()
        if library.startswith("sill"):
            with sill_file(folder, library, codec, "w") as d:
                d.createVariable("u", "f4", tuple("zyx"))[...] = values
        elif library == "tensorstore":
            tensorstore_array(folder, codec, True).write(values).result()
        else:
            dataset = OTHERS[library](folder, codec, True)
            dataset[...] = values
            if library != "zarr":
                (dataset.file if library == "h5py" else dataset.group()).close()
        return time.perf_counter() - began
    began = time.perf_counter()
    if library.startswith("sill"):
        with sill_file(folder, library, codec, "r") as d:
            values = parts(lambda part: d["u"][part], job)
    elif library == "tensorstore":
        opened = tensorstore_array(folder, codec, False)
        values = parts(lambda part: opened[part].read().result(), job)
    else:
        dataset = OTHERS[library](folder, codec, False)
        values = parts(lambda part: dataset[part], job)
    seconds = time.perf_counter() - began
    whole = numpy.load(array(folder), mmap_mode="r")
    for found, wanted in zip(values, parts(lambda part: whole[part], job), strict=True):
        if not numpy.array_equal(found, wanted):
            sys.exit(f"{library}: other values")
    return seconds


def mdio(survey, output):
    """Returns the seconds of multidimio, with its defaults."""
    from mdio import segy_to_mdio
    from mdio.builder.template_registry import TemplateRegistry
    from segy.schema import HeaderField
    from segy.standards import get_segy_standard

    words = {"cdp_x": 181, "cdp_y": 185, "inline": 189, "crossline": 193}
    fields = [HeaderField(name=name, byte=byte, format="int32") for name, byte in words.items()]
    began = time.perf_counter()
    segy_to_mdio(segy_spec=get_segy_standard(1.0).customize(trace_header_fields=fields),
                 mdio_template=TemplateRegistry().get("PostStack3DTime"), input_path=survey, output_path=output,
                 overwrite=True)  # fmt: skip
    return time.perf_counter() - began


def asdf(path, stations, samples):
    """Returns the seconds of a serial writer of ASDF. A document of 400 bytes stands for the metadata of each station."""
    import h5py

    waveform = numpy.zeros(samples, dtype="f4")
    document = numpy.zeros(400, dtype="u1")
    event = numpy.bytes_(b"smi:local/sill/event")
    began = time.perf_counter()
    with h5py.File(path, "w") as file:
        file.attrs["file_format"], file.attrs["file_format_version"] = numpy.bytes_(b"ASDF"), numpy.bytes_(b"1.0.3")
        for station in range(1, stations + 1):
            group = file.create_group(f"Waveforms/X0.{station}")
            group["StationXML"] = document
            for channel in ("VX0", "VY0", "VZ0", "TXX", "TYY", "TZZ", "TXY", "TXZ", "TYZ"):
                name = f"X0.{station}..{channel}__1970-01-01T00:00:00__1970-01-01T00:00:01__synthetic"
                attributes = group.create_dataset(name, data=waveform).attrs
                attributes["starttime"], attributes["sampling_rate"] = numpy.int64(0), numpy.float64(125)
                attributes["event_id"] = event
    return time.perf_counter() - began


def main():
    global SHAPE, CHUNK
    job, *words = sys.argv[1:]
    os.environ.setdefault("HDF5_USE_FILE_LOCKING", "FALSE")
    if job == "mdio":
        print(mdio(*words))
    elif job == "asdf":
        print(asdf(words[0], int(words[1]), int(words[2])))
    else:
        library, folder, codec, mebibytes = words
        SHAPE = (int(mebibytes), *SHAPE[1:])
        CHUNK = (min(CHUNK[0], SHAPE[0]), *CHUNK[1:])
        print(run(job, library, pathlib.Path(folder), codec))


if __name__ == "__main__":  # multidimio starts processes
    main()
