#include "sill/draw/colours.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

#include "sill/base/error.hpp"
#include "sill/base/user_text.hpp"

namespace sill::draw {
namespace {

// Colours from the lowest number to the highest.
constexpr std::array<std::uint32_t, 2> grey{0xffffff, 0x000000};
constexpr std::array<std::uint32_t, 3> redblue{0x0000ff, 0xffffff, 0xff0000};
// Perceptually uniform maps, sampled at 33 colours each.
// van der Walt & Smith 2015, viridis of matplotlib; CC0.
constexpr std::array<std::uint32_t, 33> viridis{
    0x440154, 0x470d60, 0x48186a, 0x482374, 0x472d7b, 0x453781, 0x424086, 0x3e4989, 0x3b528b, 0x375b8d, 0x33638d,
    0x2f6b8e, 0x2c728e, 0x297a8e, 0x26828e, 0x23898e, 0x21918c, 0x1f988b, 0x1fa088, 0x22a785, 0x28ae80, 0x32b67a,
    0x3fbc73, 0x4ec36b, 0x5ec962, 0x70cf57, 0x84d44b, 0x98d83e, 0xaddc30, 0xc2df23, 0xd8e219, 0xece51b, 0xfde725};
// Nunez, Anderton & Renslow 2018, https://doi.org/10.1371/journal.pone.0199239; CC0.
constexpr std::array<std::uint32_t, 33> cividis{
    0x00224e, 0x00285b, 0x002e6a, 0x053371, 0x1a386f, 0x273e6e, 0x32436d, 0x3b496c, 0x434e6c, 0x4b546c, 0x535a6d,
    0x5a5f6e, 0x61656f, 0x686a71, 0x6f7073, 0x767676, 0x7d7c78, 0x848279, 0x8c8878, 0x938e78, 0x9b9476, 0xa39a74,
    0xaba072, 0xb4a76f, 0xbcae6c, 0xc4b468, 0xcdbb63, 0xd5c25e, 0xdec958, 0xe7d150, 0xf0d846, 0xf9e03a, 0xfee838};
// Moreland 2009, Diverging Color Maps for Scientific Visualization; public domain.
constexpr std::array<std::uint32_t, 33> coolwarm{
    0x3b4cc0, 0x445acc, 0x4e68d8, 0x5875e1, 0x6282ea, 0x6c8ff1, 0x779af7, 0x82a6fb, 0x8db0fe, 0x98b9ff, 0xa3c2fe,
    0xaec9fc, 0xb9d0f9, 0xc3d5f4, 0xccd9ed, 0xd5dbe5, 0xdddcdc, 0xe5d8d1, 0xecd3c5, 0xf1ccb8, 0xf5c4ac, 0xf7ba9f,
    0xf7b093, 0xf6a586, 0xf4987a, 0xf08b6e, 0xeb7d62, 0xe46e56, 0xdd5f4b, 0xd44e41, 0xca3b37, 0xbe242e, 0xb40426};

struct NamedTable {
  std::string_view name;
  std::span<const std::uint32_t> colours;
};
constexpr std::array<NamedTable, 5> tables{NamedTable{"grey", grey}, NamedTable{"redblue", redblue},
                                           NamedTable{"coolwarm", coolwarm}, NamedTable{"viridis", viridis},
                                           NamedTable{"cividis", cividis}};

Colour between(std::uint32_t a, std::uint32_t b, double share) {
  const auto mixed = [&](unsigned shift) {
    const auto one = static_cast<double>(a >> shift & 0xffU);
    const auto other = static_cast<double>(b >> shift & 0xffU);
    return static_cast<std::uint8_t>(std::lround(one + share * (other - one)));
  };
  return {mixed(16), mixed(8), mixed(0)};
}

}  // namespace

std::string ColourMap::names() {
  std::vector<std::string_view> all;
  for (const NamedTable& table : tables) all.push_back(table.name);
  return fmt::format("{}", fmt::join(all, ", "));
}

ColourMap ColourMap::parse(std::string_view text) {
  ColourMap map;
  std::string_view name = text;
  constexpr std::string_view reversed = "reversed";
  if (name == reversed) {
    map.is_reversed_ = true;
    name = tables.front().name;
  } else if (name.ends_with(reversed) && name.size() > reversed.size() &&
             name[name.size() - reversed.size() - 1] == ',') {
    map.is_reversed_ = true;
    name.remove_suffix(reversed.size() + 1);
  }
  const auto table = std::ranges::find(tables, name, &NamedTable::name);
  if (table == tables.end())
    throw usage_error(fmt::format("unknown color map `{}`", echoed(text)),
                      fmt::format("give one of {}, and append `,reversed` to reverse it", names()));
  map.name_ = name;
  constexpr std::size_t colours = 511;
  const std::size_t stretches = table->colours.size() - 1;
  for (std::size_t i = 0; i < colours; ++i) {
    const double place = static_cast<double>(i * stretches) / static_cast<double>(colours - 1);
    const std::size_t first = std::min(static_cast<std::size_t>(place), stretches - 1);
    map.table_.push_back(between(table->colours[first], table->colours[first + 1], place - static_cast<double>(first)));
  }
  if (map.is_reversed_) std::ranges::reverse(map.table_);
  return map;
}

}  // namespace sill::draw
