"""A file that PnetCDF writes: `python pnetcdf.py FILE DEFINITIONS`, on one rank, with the library's C interface.

DEFINITIONS is JSON: version (1, 2, 5), hints, dimensions [[name, length or 0]], attributes [[name, type, values]],
variables [[name, type, dimensions, attributes]], steps. Variable number v has the values (v + 1) * i % 100, i counting
its elements through all steps.
"""

import ctypes
import json
import sys

import numpy

TYPES = {"i1": 1, "text": 2, "i2": 3, "i4": 4, "f4": 5, "f8": 6, "u1": 7, "u2": 8, "u4": 9, "i8": 10, "u8": 11}
# Of a variable's own type, in ncmpi_put_vara_..._all.
CALLS = {"i1": "schar", "text": "text", "i2": "short", "i4": "int", "f4": "float", "f8": "double", "u1": "uchar",
         "u2": "ushort", "u4": "uint", "i8": "longlong", "u8": "ulonglong"}  # fmt: skip
MODES = {1: 0, 2: 0x0200, 5: 0x0020}


def numpy_type(name):
    return "S1" if name == "text" else name


def main(path, definitions):
    mpi = ctypes.CDLL("libmpi.so.40", mode=ctypes.RTLD_GLOBAL)
    pnetcdf = ctypes.CDLL("libpnetcdf.so.0d")

    def handle(name):
        return ctypes.c_void_p(ctypes.addressof(ctypes.c_char.in_dll(mpi, name)))

    def call(name, *arguments):
        status = getattr(pnetcdf, name)(*arguments)
        if status:
            pnetcdf.ncmpi_strerror.restype = ctypes.c_char_p
            sys.exit(f"{name}: {pnetcdf.ncmpi_strerror(status).decode()}")

    mpi.MPI_Init(None, None)
    hints = ctypes.c_void_p()
    mpi.MPI_Info_create(ctypes.byref(hints))
    for key, value in definitions.get("hints", {}).items():
        mpi.MPI_Info_set(hints, key.encode(), str(value).encode())
    file = ctypes.c_int()
    mode = MODES[definitions["version"]]
    call("ncmpi_create", handle("ompi_mpi_comm_world"), path.encode(), mode, hints, ctypes.byref(file))
    number = ctypes.c_int()
    dimensions = {}
    for name, length in definitions["dimensions"]:
        call("ncmpi_def_dim", file, name.encode(), ctypes.c_longlong(length), ctypes.byref(number))
        dimensions[name] = (number.value, length)

    def put_attributes(variable, attributes):
        for name, kind, values in attributes:
            if kind == "text":
                text = values.encode()
                call("ncmpi_put_att_text", file, variable, name.encode(), ctypes.c_longlong(len(text)), text)
            else:
                array = numpy.array(values, dtype=numpy_type(kind))
                call(f"ncmpi_put_att_{CALLS[kind]}", file, variable, name.encode(), TYPES[kind],
                     ctypes.c_longlong(array.size), array.ctypes.data_as(ctypes.c_void_p))  # fmt: skip

    put_attributes(-1, definitions["attributes"])
    for name, kind, of, attributes in definitions["variables"]:
        numbers = (ctypes.c_int * len(of))(*(dimensions[each][0] for each in of))
        call("ncmpi_def_var", file, name.encode(), TYPES[kind], len(of), numbers, ctypes.byref(number))
        put_attributes(number, attributes)
    call("ncmpi_enddef", file)
    for variable, (name, kind, of, _) in enumerate(definitions["variables"]):
        shape = [dimensions[each][1] or definitions["steps"] for each in of]
        count = int(numpy.prod(shape))
        values = ((variable + 1) * numpy.arange(count) % 100).astype("u1" if kind == "text" else numpy_type(kind))
        begin = (ctypes.c_longlong * len(of))(*([0] * len(of)))
        counts = (ctypes.c_longlong * len(of))(*shape)
        call(f"ncmpi_put_vara_{CALLS[kind]}_all", file, variable, begin, counts, values.ctypes.data_as(ctypes.c_void_p))
    call("ncmpi_close", file)
    mpi.MPI_Finalize()


if __name__ == "__main__":
    main(sys.argv[1], json.loads(sys.argv[2]))
