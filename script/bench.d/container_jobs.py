"""What libraries take to write or read an array of 256 MB in chunks of 2 MiB. Prints the seconds of the job itself.

container_jobs.py write|read|plane-z|plane-y|plane-x LIBRARY FOLDER CODEC

LIBRARY: sill-zarr, sill-hdf5, sill-netcdf4, tensorstore, zarr, h5py, netcdf4. CODEC: none, deflate:6, zstd:3; for h5py
and Sill also shuffle+deflate:6. `plane-x` reads the planes of 8 equally distant values of the dimension x. `read` and
`plane-x` read what `write` wrote before.
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


def array():
    """Returns a smooth field with noise, which zstd:3 makes about half as long."""
    z, y, x = (numpy.linspace(0, 12, length, dtype="f4") for length in SHAPE)
    field = numpy.sin(z)[:, None, None] * numpy.cos(y)[None, :, None] * numpy.sin(x)[None, None, :]
    noise = numpy.random.default_rng(1).normal(0, 1e-3, SHAPE).astype("f4")
    return numpy.round((field + noise) * 4096) / 4096


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
    places = range(0, SHAPE[dimension], SHAPE[dimension] // 8)
    return [read((slice(None),) * dimension + (slice(at, at + 1),)) for at in places]


def run(job, library, folder, codec):
    """Returns the seconds of a job."""
    importlib.import_module("sill" if library.startswith("sill") else {"netcdf4": "netCDF4"}.get(library, library))
    if job == "write":
        for old in folder.glob(f"{library}*"):
            shutil.rmtree(old) if old.is_dir() else old.unlink()
        values = array()
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
    whole = array()
    for found, wanted in zip(values, parts(lambda part: whole[part], job), strict=True):
        if not numpy.array_equal(found, wanted):
            sys.exit(f"{library}: other values")
    return seconds


def main():
    job, library, folder, codec = sys.argv[1:]
    os.environ.setdefault("HDF5_USE_FILE_LOCKING", "FALSE")
    print(run(job, library, pathlib.Path(folder), codec))


main()
