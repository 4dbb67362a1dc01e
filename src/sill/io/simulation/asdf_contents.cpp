#include "sill/io/simulation/asdf_contents.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "sill/base/user_text.hpp"
#include "sill/comm/agree.hpp"
#include "sill/comm/exchange.hpp"
#include "sill/comm/packer.hpp"
#include "sill/io/simulation/continued_files.hpp"

namespace sill {
namespace {

// Packs or unpacks an array.
template <class Message, class Array>
void exchange(Message& message, Array& array) {
  message(array.path, array.type, array.shape);
  message.size(array.attributes);
  for (auto& each : array.attributes) message(each.name, each.type, each.values);
}

// Checks that a file to be continued has these metadata.
void require_same_pieces(const Resources& resources, const std::string& path, const hdf5::NewFile& file) {
  const std::unique_ptr<Store> store = resources.open(path, OpenMode::read);
  bool is_same = store->size_bytes() >= file.bytes();
  std::vector<std::byte> found;
  for (auto piece = file.header.begin(); is_same && piece != file.header.end(); ++piece) {
    found.resize(piece->bytes.size());
    read_at(*store, piece->offset, found);
    is_same = found == piece->bytes;
  }
  if (!is_same) refuse_other(path);
}

}  // namespace

void AsdfContents::require_early() const {
  if (!is_laid_out_) return;
  throw Error({.code = ErrorCode::usage,
               .problem = "an array is attached to an ASDF file after its first output phase",
               .action = "attach arrays and attributes before the first call that writes"});
}

void AsdfContents::attach(hdf5::NewArray array, std::span<const std::byte> values) {
  require_early();
  file_.require_attachable(array);
  pieces_.push_back({0, {values.begin(), values.end()}});
  arrays_.push_back(std::move(array));
}

void AsdfContents::attach_attribute(const std::string& path, const Attribute& attribute) {
  require_early();
  const auto array = std::ranges::find(arrays_, path, &hdf5::NewArray::path);
  if (array == arrays_.end()) {
    throw Error({.code = ErrorCode::usage,
                 .problem = fmt::format("attribute '{}' is attached to '{}', which this rank has not attached",
                                        echoed(attribute.name, 60), echoed(path, 100)),
                 .action = "attach the array first, on the same rank"});
  }
  hdf5::NewArray with = *array;
  std::erase_if(with.attributes, [&](const Attribute& each) { return each.name == attribute.name; });
  with.attributes.push_back(attribute);
  file_.require_attachable(with);
  *array = std::move(with);
}

void AsdfContents::lay_out(const Resources& resources, const std::string& path, std::int64_t steps) {
  Communicator& comm = resources.comm;
  const std::vector<std::byte> mine = run_and_agree(comm, [&] {
    Packer packer;
    packer.size(arrays_);
    for (const hdf5::NewArray& each : arrays_) exchange(packer, each);
    return packer.take();
  });
  const std::vector<std::byte> of_all = all_gather_all(comm, std::span(mine));
  std::vector<hdf5::NewArray> arrays;  // in the order of paths, so that the file does not depend on who attaches
  std::vector<std::int64_t> places;    // of channels, then arrays in this order; the size of the file
  std::vector<FilePiece> header;
  run_and_agree(comm, [&] {
    Unpacker unpacker(of_all);
    for (int rank = 0; rank < comm.size(); ++rank) {
      for (auto rest = unpacker.next<std::size_t>(); rest > 0; --rest) exchange(unpacker, arrays.emplace_back());
    }
    std::ranges::sort(arrays, {}, &hdf5::NewArray::path);
    if (comm.rank() != 0) return;
    hdf5::NewFile file = file_.lay_out(arrays);
    if (steps > 0) require_same_pieces(resources, path, file);
    places = std::move(file.layout.begins);
    places.push_back(file.bytes());
    header = std::move(file.header);
  });
  broadcast_all(comm, places, 0);
  run_and_agree(comm, [&] {
    const auto channels = static_cast<std::size_t>(file_.channels());
    file_.set_places(std::span(places).first(channels), places.back());
    for (std::size_t i = 0; i < arrays_.size(); ++i) {
      const auto found = std::ranges::lower_bound(arrays, arrays_[i].path, {}, &hdf5::NewArray::path);
      pieces_[i].offset = places[channels + static_cast<std::size_t>(found - arrays.begin())];
    }
    std::ranges::move(header, std::back_inserter(pieces_));
  });
  is_laid_out_ = true;
}

void AsdfContents::add_extents(std::vector<Extent>& extents) const {
  for (const FilePiece& each : pieces_)
    extents.push_back(contiguous(0, {each.offset, std::ssize(each.bytes)}, each.bytes.data()));
}

void AsdfContents::clear() {
  arrays_ = {};
  pieces_ = {};
}

Extent AsdfContents::beginning(std::int64_t steps) {
  beginning_ = file_.beginning(steps);
  return contiguous(0, {0, std::ssize(beginning_)}, std::as_const(beginning_).data());
}

void AsdfContents::require_steps(const Resources& resources, const std::string& path, std::int64_t steps) const {
  run_on_rank(resources.comm, 0, [&] {
    const std::unique_ptr<Store> store = resources.open(path, OpenMode::read);
    std::vector<std::byte> first(8);
    if (store->size_bytes() < std::ssize(first)) refuse_shorter(path, steps, 0);
    read_at(*store, 0, first);
    const std::int64_t found = file_.steps_of(first);
    if (found < 0) refuse_other(path);
    if (found < steps) refuse_shorter(path, steps, found);
  });
}

}  // namespace sill
