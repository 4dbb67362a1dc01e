#include "sill/formats/array/chunk_codec.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <utility>

#include "sill/base/error.hpp"
#include "sill/base/user_text.hpp"

namespace sill {
namespace {

// Source: NetCDF User's Guide, "Lossy compression with quantize".
constexpr const char* rounding_attribute = "_QuantizeBitRoundNumberOfSignificantBits";

[[noreturn]] void refuse_codec(std::string problem, std::string action) {
  throw Error({.code = ErrorCode::usage, .problem = std::move(problem), .action = std::move(action)});
}

// Zarr and HDF5 know the levels of zlib.
int max_level_of(Compression compression) { return compression == Compression::deflate ? 9 : max_level(compression); }

int mantissa_bits(ElementType type) { return type == ElementType::f4 ? 23 : type == ElementType::f8 ? 52 : 0; }

// Sets what the text of one step states; returns false if it states nothing.
bool take_step(std::string_view text, ChunkCodec& codec) {
  const std::size_t colon = text.find(':');
  const std::string_view name = text.substr(0, colon);
  std::optional<int> number;
  if (colon != std::string_view::npos) {
    const std::string_view digits = text.substr(colon + 1);
    int parsed = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), parsed);
    if (error != std::errc() || end != digits.data() + digits.size() || parsed < 1) return false;
    number = parsed;
  }
  const bool is_first = codec == ChunkCodec{};
  if (name == "bitround") {
    codec.keep_bits = number.value_or(0);
    return is_first && number && *number <= mantissa_bits(ElementType::f8);
  }
  if (name == "shuffle")
    return !number && codec.compression == Compression::none && !std::exchange(codec.shuffles, true);
  if (codec.compression != Compression::none || (name != "deflate" && name != "zstd")) return false;
  codec.compression = name == "zstd" ? Compression::zstd : Compression::deflate;
  codec.level = number.value_or(name == "zstd" ? 3 : 6);
  return codec.level <= max_level_of(codec.compression);
}

}  // namespace

std::string_view codec_grammar() { return "none|[bitround:1-52+][shuffle+]deflate[:1-9]|zstd[:1-19]"; }

ChunkCodec ChunkCodec::parse(std::string_view text) {
  ChunkCodec codec;
  if (text == "none") return codec;
  for (std::size_t from = 0; from <= text.size();) {
    const std::size_t end = std::min(text.find('+', from), text.size());
    if (!take_step(text.substr(from, end - from), codec)) {
      refuse_codec(
          fmt::format("unknown codec `{}`", echoed(text)),
          "give none, deflate[:1 to 9] or zstd[:1 to 19], and before it shuffle+ and bitround:BITS+ in the order "
          "bitround:7+shuffle+zstd:3");
    }
    from = end + 1;
  }
  return codec;
}

std::string ChunkCodec::text() const {
  std::vector<std::string> steps;
  if (keep_bits > 0) steps.push_back(fmt::format("bitround:{}", keep_bits));
  if (shuffles) steps.emplace_back("shuffle");
  if (compression != Compression::none)
    steps.push_back(fmt::format("{}:{}", compression == Compression::zstd ? "zstd" : "deflate", level));
  return steps.empty() ? "none" : fmt::format("{}", fmt::join(steps, "+"));
}

std::vector<Filter> ChunkCodec::filters(ElementType type, Filter::Kind deflate) const {
  std::vector<Filter> filters;
  if (shuffles && bytes_of(type) > 1)
    filters.push_back({.kind = Filter::Kind::shuffle, .element_bytes = bytes_of(type)});
  if (compression == Compression::deflate) filters.push_back({.kind = deflate});
  if (compression == Compression::zstd) filters.push_back({.kind = Filter::Kind::zstd});
  return filters;
}

void ChunkCodecs::add(std::string_view entry) {
  const std::size_t equals = entry.rfind('=');
  if (equals == std::string_view::npos) {
    all = ChunkCodec::parse(entry);
  } else {
    variables[std::string(entry.substr(0, equals))] = ChunkCodec::parse(entry.substr(equals + 1));
  }
}

void ChunkCodecs::add(const ChunkCodecs& others) {
  if (others.all) all = others.all;
  for (const auto& [name, codec] : others.variables) variables[name] = codec;
}

std::vector<std::string> ChunkCodecs::entries() const {
  std::vector<std::string> entries;
  if (all) entries.push_back(all->text());
  for (const auto& [name, codec] : variables) entries.push_back(fmt::format("{}={}", name, codec.text()));
  return entries;
}

ChunkCodec ChunkCodecs::of(const std::string& variable) const {
  const auto found = variables.find(variable);
  return found != variables.end() ? found->second : all.value_or(ChunkCodec{});
}

DatasetDescription with_rounding(DatasetDescription description, const ChunkCodecs& codecs) {
  if (codecs.all && codecs.all->keep_bits > 0) {
    refuse_codec("the codec of all variables has bitround, which would change coordinates, too",
                 fmt::format("name the variables to round: VARIABLE={}", codecs.all->text()));
  }
  for (const auto& [name, codec] : codecs.variables) {
    const Variable& variable = description.variables[description.variable_named(name)];
    if (codec.keep_bits == 0) continue;
    const int bits = mantissa_bits(variable.type);
    if (bits == 0)
      refuse_codec(fmt::format("variable {} has bitround, but no floating-point type", name), "omit bitround");
    if (codec.keep_bits > bits) {
      refuse_codec(fmt::format("bitround:{} for variable {}, whose mantissa has {} bits", codec.keep_bits, name, bits),
                   fmt::format("give 1 to {}", bits));
    }
    description = with_attribute(std::move(description),
                                 Attribute(rounding_attribute, static_cast<std::int32_t>(codec.keep_bits)), name);
  }
  return description;
}

int rounded_bits(const Variable& variable) {
  for (const Attribute& each : variable.attributes) {
    if (each.name != rounding_attribute || each.type != ElementType::i4 || each.count() != 1) continue;
    std::int32_t bits = 0;
    std::memcpy(&bits, each.values.data(), sizeof bits);
    return bits >= 1 && bits <= mantissa_bits(variable.type) ? bits : 0;
  }
  return 0;
}

}  // namespace sill
