#include "sill/io/simulation/asdf_contents.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <numeric>
#include <sstream>
#include <utility>

#include "sill/comm/agree.hpp"
#include "sill/comm/exchange.hpp"
#include "sill/io/simulation/continued_files.hpp"

namespace sill {
namespace {

// An array of any rank, as a line of text. Paths contain neither blanks nor newlines.
std::string array_line(const hdf5::NewArray& array) {
  return fmt::format("{} {} {} {}\n", array.path, static_cast<int>(array.type), array.shape.size(),
                     fmt::join(array.shape, " "));
}

std::vector<hdf5::NewArray> arrays_in(std::string text) {
  std::vector<hdf5::NewArray> arrays;
  std::istringstream lines(std::move(text));
  int type = 0;
  std::size_t dimensions = 0;
  for (hdf5::NewArray each; lines >> each.path >> type >> dimensions;) {
    each.type = static_cast<ElementType>(type);
    each.shape.resize(dimensions);
    for (std::int64_t& length : each.shape) lines >> length;
    arrays.push_back(each);
  }
  return arrays;
}

// Checks that a file to be continued has these metadata.
void require_same_pieces(const Resources& resources, const std::string& path, const hdf5::ArraysLayout& layout) {
  const std::unique_ptr<Store> store = resources.open(path, OpenMode::read);
  bool is_same = store->size_bytes() >= layout.file_bytes;
  std::vector<std::byte> found;
  for (auto piece = layout.header.begin(); is_same && piece != layout.header.end(); ++piece) {
    found.resize(piece->bytes.size());
    read_at(*store, piece->offset, found);
    is_same = found == piece->bytes;
  }
  if (!is_same) refuse_other(path);
}

}  // namespace

void AsdfContents::attach(hdf5::NewArray array, std::span<const std::byte> values) {
  if (is_laid_out_) {
    throw Error({.code = ErrorCode::usage,
                 .problem = "an array is attached to an ASDF file after its first output phase",
                 .action = "attach arrays before the first call that writes"});
  }
  file_.require_attachable(array);
  pieces_.push_back({0, {values.begin(), values.end()}});
  arrays_.push_back(std::move(array));
}

void AsdfContents::lay_out(const Resources& resources, const std::string& path, std::int64_t steps) {
  Communicator& comm = resources.comm;
  std::string mine = run_and_agree(comm, [&] {
    std::string text;
    for (const hdf5::NewArray& each : arrays_) text += array_line(each);
    return text;
  });
  const std::int64_t before = exclusive_sum(comm, std::ssize(arrays_)).before;
  const std::vector<char> all_text = all_gather_all(comm, std::span<const char>(mine));
  // The order of paths, so that the file does not depend on the ranks that attach.
  std::vector<hdf5::NewArray> arrays;
  std::vector<std::size_t> order;
  std::vector<std::int64_t> places;  // of channels, then arrays in this order; the size of the file
  std::vector<FilePiece> header;
  run_and_agree(comm, [&] {
    arrays = arrays_in({all_text.begin(), all_text.end()});
    order.resize(arrays.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, {}, [&](std::size_t i) -> const std::string& { return arrays[i].path; });
    if (comm.rank() != 0) return;
    std::vector<hdf5::NewArray> sorted;
    for (const std::size_t i : order) sorted.push_back(arrays[i]);
    hdf5::ArraysLayout layout = file_.lay_out(sorted);
    if (steps > 0) require_same_pieces(resources, path, layout);
    places = std::move(layout.begins);
    places.push_back(layout.file_bytes);
    header = std::move(layout.header);
  });
  broadcast_all(comm, places, 0);
  run_and_agree(comm, [&] {
    const auto channels = static_cast<std::size_t>(file_.channels());
    file_.set_places(std::span(places).first(channels), places.back());
    for (std::size_t i = 0; i < order.size(); ++i) {
      const std::int64_t own = static_cast<std::int64_t>(order[i]) - before;
      if (own >= 0 && own < std::ssize(arrays_)) pieces_[static_cast<std::size_t>(own)].offset = places[channels + i];
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
