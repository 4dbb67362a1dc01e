// What a build without HDF5 has in place of the library.
#ifndef SILL_HDF5_LIBRARY
#include "sill/base/error.hpp"
#include "sill/formats/hdf5/hdf5_file.hpp"

namespace sill::hdf5 {
namespace {

[[noreturn]] void refuse_hdf5() {
  throw Error({.code = ErrorCode::usage,
               .problem = "this program was built without HDF5, which netCDF-4 and ASDF need, too",
               .action = "build Sill where libhdf5-dev is installed"});
}

}  // namespace

std::string build_version() { return {}; }
void require_possible(const DatasetDescription& /*description*/, const FileForm& /*form*/) { refuse_hdf5(); }
NewFile new_file(const DatasetDescription& /*description*/, const FileForm& /*form*/) { refuse_hdf5(); }
NewFile new_file(const NewArrays& /*arrays*/) { refuse_hdf5(); }
class GrowingFile::Copy {};
GrowingFile::GrowingFile(DatasetDescription description, FileForm form)
    : description_(std::move(description)), form_(std::move(form)) {
  refuse_hdf5();
}
GrowingFile::~GrowingFile() = default;
GrowingFile::Changes GrowingFile::add(std::span<const PlacedChunk> /*chunks*/, std::int64_t /*steps*/,
                                      std::int64_t& /*end*/) {
  refuse_hdf5();
}
FileContents read_file(const ReadBytes& /*read*/, std::int64_t /*file_bytes*/, const std::string& /*path*/) {
  refuse_hdf5();
}

}  // namespace sill::hdf5
#endif
