from spack.package import *


class Sill(CMakePackage):
    """Parallel I/O for wave simulations and seismic surveys: a library for C++, C and Fortran, and tools for SEG-Y."""

    maintainers = []
    license("Apache-2.0")

    version("main")

    variant("shared", default=True, description="Build libsill.so; otherwise libsill.a")
    variant("fortran", default=True, description="Build the Fortran module")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("fortran", type="build", when="+fortran")
    depends_on("cmake@3.25:", type="build")
    depends_on("ninja", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("mpi")
    depends_on("fmt@9:")
    depends_on("cli11@2.1:")
    depends_on("nlohmann-json")
    depends_on("pugixml")
    depends_on("tomlplusplus")
    depends_on("libpng@1.6:")
    depends_on("libdeflate")
    depends_on("zstd")
    depends_on("c-blosc")
    depends_on("zlib-api")
    # Its headers are used; the library is loaded when an HDF5 file is read or written.
    depends_on("hdf5@1.10.5:")
    # Loaded when a picture is drawn.
    depends_on("cairo@1.16:+png+pdf+svg+fc", type="run")

    generator("ninja")
    conflicts("%gcc@:11", msg="C++20 needs GCC 12 or later")

    def cmake_args(self):
        return [
            self.define("BUILD_TESTING", False),
            self.define_from_variant("BUILD_SHARED_LIBS", "shared"),
            self.define_from_variant("SILL_FORTRAN", "fortran"),
        ]
