// Zarr's metadata, shards and grids of chunks, without files.
#include "sill/formats/zarr/zarr_array.hpp"

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <tuple>
#include <vector>

#include "sill/base/error.hpp"

namespace sill::zarr {
namespace {

DatasetDescription waves() {
  return {.dimensions = {{"time", unlimited}, {"y", 1000}, {"x", 3000}},
          .variables = {{"u", ElementType::f4, {"time", "y", "x"}, {{"units", "m"}, {"_FillValue", -9.0F}}},
                        {"single", ElementType::i8, {}, {{"list", std::span<const std::int32_t>(std::array{1, 2})}}}},
          .attributes = {{"title", "Wellen \xc3\xbc"}, {"pi", 3.25}}};
}

TEST(ZarrMetadata, IsReadAsItWasWritten) {
  const DatasetDescription description = waves();
  const std::vector<ArrayForm> forms = new_forms(description, {.codecs = {.all = ChunkCodec::parse("zstd:3")}});
  const std::string text = group_text(description, forms, 12);
  const auto files = consolidated({"", "zarr.json", text}, "u.zarr");
  ASSERT_TRUE(files);
  const Dataset found = parse(*files, "u.zarr", "u.zarr");
  EXPECT_TRUE(found.unread.empty());
  EXPECT_EQ(found.steps, 12);
  ASSERT_EQ(found.description.variables.size(), 2U);
  EXPECT_EQ(found.description.attributes, description.attributes);
  for (const Variable& each : description.variables) {
    EXPECT_EQ(found.description.variables[found.description.variable_named(each.name)], each);
  }
  const std::size_t u = found.description.variable_named("u");
  EXPECT_EQ(found.forms[u].shape, (Index{12, 1000, 3000}));
  EXPECT_EQ(found.forms[u].chunk, forms[0].chunk);
  EXPECT_EQ(found.forms[u].shard, forms[0].shard);
  EXPECT_EQ(found.forms[u].filters, forms[0].filters);
  EXPECT_EQ(found.forms[u].fill, forms[0].fill);
}

TEST(ZarrMetadata, OfTypesThatAreBytesComesBack) {
  const std::string fields = R"({"configuration":{"fields":[["a","int16"],["b","int32"]]},"name":"structured"})";
  const DatasetDescription description{.dimensions = {{"x", 5}, {"byte", 6}},
                                       .variables = {{"mask", ElementType::i1, {"x"}, {}, "\"bool\""},
                                                     {"h", ElementType::u1, {"x", "byte"}, {}, fields}}};
  const std::vector<ArrayForm> forms = new_forms(description, {});
  EXPECT_FALSE(forms[1].is_sharded);
  EXPECT_EQ(forms[1].chunk, (Index{5, 6}));
  EXPECT_EQ(forms[1].file_of({0, 0}), "c/0");
  std::vector<MetadataFile> files{{"", "zarr.json", group_text(description, forms, 0)}};
  for (std::size_t v = 0; v < forms.size(); ++v)
    files.push_back({description.variables[v].name + "/", "zarr.json", array_text(description, v, forms[v], 0)});
  EXPECT_NE(files[2].text.find("AAAAAAAA\""), std::string::npos);  // 6 zeros in base64
  const Dataset found = parse(files, "g", "g");
  EXPECT_TRUE(found.unread.empty());
  ASSERT_EQ(found.forms.size(), 2U);
  for (std::size_t v = 0; v < forms.size(); ++v) {
    EXPECT_EQ(found.description.variables[v].zarr_type, description.variables[v].zarr_type);
    EXPECT_EQ(found.description.variables[v].type, description.variables[v].type);
    EXPECT_EQ(found.forms[v].shape, forms[v].shape);
    EXPECT_EQ(found.forms[v].chunk, forms[v].chunk);
  }
}

TEST(ZarrMetadata, OfDamagedOrUnknownArraysIsNamed) {
  const auto metadata = [](const std::string& type, const std::string& codecs) {
    return std::vector<MetadataFile>{{"a/", "zarr.json",
                                      R"({"zarr_format":3,"node_type":"array","shape":[4],"data_type":")" + type +
                                          R"(","chunk_grid":{"name":"regular","configuration":{"chunk_shape":[2]}},)" +
                                          R"("chunk_key_encoding":{"name":"default"},"fill_value":0,"codecs":[)" +
                                          codecs + "]}"}};
  };
  EXPECT_TRUE(parse(metadata("int32", R"({"name":"bytes"})"), "g", "g").unread.empty());
  EXPECT_EQ(parse(metadata("complex64", R"({"name":"bytes"})"), "g", "g").unread.size(), 1U);
  EXPECT_EQ(parse(metadata("int32", R"({"name":"bytes"},{"name":"lz4"})"), "g", "g").unread,
            std::vector<std::string>{"array a: codec lz4 is not supported"});
  EXPECT_THROW((void)parse(std::vector<MetadataFile>{{"", "zarr.json", "[1"}}, "g", "g"), Error);
  auto extended = metadata("int32", R"({"name":"bytes"})");
  extended[0].text.insert(1, R"("offset":{"must_understand":false},)");
  EXPECT_TRUE(parse(extended, "g", "g").unread.empty());
  extended[0].text.replace(extended[0].text.find("false"), 5, "true");
  EXPECT_EQ(parse(extended, "g", "g").unread,
            std::vector<std::string>{"array a: its metadata has the unknown member offset"});
  auto without_shape = metadata("int32", R"({"name":"bytes"})");
  without_shape[0].text.replace(without_shape[0].text.find(R"("shape":[4],)"), 12, "");
  EXPECT_THROW((void)parse(without_shape, "g", "g"), Error);
}

// Metadata of array a; version 2 has byte order <.
std::vector<MetadataFile> array_of(int version, const std::string& type, const std::string& fill,
                                   const std::string& shape = "[4]", const std::string& names = R"(["x"])") {
  const std::string common = R"("shape":)" + shape + R"(,"fill_value":)" + fill;
  if (version == 2) {
    return {{"a/", ".zarray",
             R"({"zarr_format":2,"order":"C","filters":null,"compressor":null,"chunks":)" + shape + R"(,"dtype":"<)" +
                 type + "\"," + common + "}"},
            {"a/", ".zattrs", R"({"_ARRAY_DIMENSIONS":)" + names + "}"}};
  }
  return {
      {"a/", "zarr.json",
       R"({"zarr_format":3,"node_type":"array","chunk_key_encoding":{"name":"default"},"codecs":[{"name":"bytes"}],)"
       R"("chunk_grid":{"name":"regular","configuration":{"chunk_shape":)" +
           shape + R"(}},"data_type":")" + (type[0] == 'u' ? "uint" : "int") + std::to_string(8 * (type[1] - '0')) +
           R"(","dimension_names":)" + names + "," + common + "}"}};
}

TEST(ZarrMetadata, OfAFillValueThatTheTypeLacksIsNotRead) {
  for (const int version : {2, 3}) {
    for (const auto& [type, fill, is_element] : {std::tuple{"u1", "255", true},
                                                 {"u1", "256", false},
                                                 {"u1", "-1", false},
                                                 {"i1", "-128", true},
                                                 {"i1", "-129", false},
                                                 {"i4", "2147483647", true},
                                                 {"i4", "2147483648", false},
                                                 {"u8", "-1", false},
                                                 {"u8", "18446744073709551615", true},
                                                 {"i8", "9223372036854775808", false}}) {
      const Dataset found = parse(array_of(version, type, fill), "g", "g");
      EXPECT_EQ(found.unread.size(), is_element ? 0U : 1U) << version << " " << type << " " << fill;
    }
  }
  const std::string group = R"({"zarr_format":3,"node_type":"group","attributes":{"_FillValue":300}})";
  const Dataset found = parse(std::vector<MetadataFile>{{"", "zarr.json", group}}, "g", "g");
  EXPECT_EQ(found.description.attributes, (std::vector<Attribute>{{"_FillValue", std::int32_t{300}}}));
}

TEST(ZarrMetadata, OfARepeatedNameOfADimensionKeepsTheShape) {
  for (const int version : {2, 3}) {
    const auto dimensions = [&](const std::string& shape, const std::string& names) {
      const Dataset found = parse(array_of(version, "i4", "0", shape, names), "g", "g");
      EXPECT_TRUE(found.unread.empty());
      EXPECT_EQ(found.description.shape_of(found.description.variables.at(0)), found.forms.at(0).shape);
      return found.description.variables.at(0).dimensions;
    };
    using Names = std::vector<std::string>;
    EXPECT_EQ(dimensions("[5,4]", R"(["x","x"])"), (Names{"x", "x_4"}));
    EXPECT_EQ(dimensions("[4,4]", R"(["x","x"])"), (Names{"x", "x"}));
    EXPECT_EQ(dimensions("[4,5,4,5]", R"(["x","x","x","x"])"), (Names{"x", "x_5", "x", "x_5"}));
    EXPECT_EQ(dimensions("[5,7,4]", R"(["x","x_4","x"])"), (Names{"x", "x_4", "x_4_4"}));
  }
}

TEST(ZarrMetadata, OfNamesThatNoDatasetHasLeavesTheOthersReadable) {
  std::vector<MetadataFile> files = array_of(3, "i4", "0");
  files.push_back({" c/", "zarr.json", files[0].text});
  files.push_back({"d/", "zarr.json", array_of(3, "i4", "0", "[4]", R"(["a/b"])")[0].text});
  files.push_back({"e/", "zarr.json", files[0].text});
  const Dataset found = parse(files, "g", "g");
  ASSERT_EQ(found.description.variables.size(), 2U);
  EXPECT_EQ(found.unread,
            (std::vector<std::string>{"array  c: the name \" c\" of a variable is not a valid netCDF name",
                                      "array d: the name \"a/b\" of a dimension is not a valid netCDF name"}));
}

TEST(ZarrMetadata, OfNamesThatNoFolderHasIsNotWritten) {
  for (const std::string& name : {std::string("zarr.json"), std::string(256, 'u')}) {
    EXPECT_THROW((void)new_forms({.variables = {{name, ElementType::f4, {}}}}, {}), Error) << name;
  }
  EXPECT_EQ(new_forms({.variables = {{std::string(255, 'u'), ElementType::f4, {}}}}, {}).size(), 1U);
}

TEST(ZarrShards, HoldCompleteChunksOfOneStep) {
  const std::vector<ArrayForm> forms = new_forms(waves(), {});
  EXPECT_EQ(forms[0].chunk, (Index{1, 500, 750}));
  EXPECT_EQ(forms[0].shard, (Index{1, 1000, 3000}));
  EXPECT_EQ(forms[1].chunk, Index{});
  DatasetDescription large = waves();
  large.dimensions[1].length = 1000000;
  const ArrayForm form = new_forms(large, {})[0];
  EXPECT_LE(form.shards().chunk_bytes(), max_shard_bytes);
  for (std::size_t d = 0; d < 3; ++d) EXPECT_EQ(form.shard[d] % form.chunk[d], 0);
}

TEST(ZarrShards, HaveAnIndexWithAChecksum) {
  const std::vector<ChunkPlace> places{{0, 10}, not_stored, {10, 7}};
  std::vector<std::byte> index = shard_index(places);
  ASSERT_EQ(std::ssize(index), index_bytes(3, true));
  const auto found = parse_shard_index(index, true, 17 + index_bytes(3, true));
  ASSERT_TRUE(found);
  EXPECT_EQ(*found, (std::vector<std::optional<ChunkPlace>>{places[0], std::nullopt, places[2]}));
  EXPECT_FALSE(parse_shard_index(index, true, 16));
  index[3] ^= std::byte{1};
  EXPECT_FALSE(parse_shard_index(index, true, 100));
}

TEST(ChunkGrid, DividesABoxIntoPieces) {
  const ChunkGrid grid({5, 7}, {2, 3}, 4);
  EXPECT_EQ(grid.counts(), (Index{3, 3}));
  std::vector<float> values(35);
  const ArrayBox memory{reinterpret_cast<std::byte*>(values.data()), ElementType::f4, {4, 5}, {28, 4}};
  std::vector<std::int64_t> chunks;
  std::int64_t elements = 0;
  grid.for_each_piece({{1, 1}, {4, 5}}, memory, [&](const ChunkGrid::Piece& piece) {
    chunks.push_back(piece.chunk);
    elements += piece.in_chunk.items();
    const Index at = grid.index_of(piece.chunk);
    const std::int64_t y = at[0] * 2 + piece.in_chunk.first[0] - 1;
    const std::int64_t x = at[1] * 3 + piece.in_chunk.first[1] - 1;
    EXPECT_EQ(piece.in_memory.first, memory.first + y * 28 + x * 4);
    EXPECT_EQ(piece.in_memory.count, piece.in_chunk.count);
  });
  EXPECT_EQ(chunks, (std::vector<std::int64_t>{0, 1, 3, 4, 6, 7}));
  EXPECT_EQ(elements, 20);
  const ChunkGrid::Place place = grid.place_of({4, 5});
  EXPECT_EQ(place.chunk, 7);
  EXPECT_EQ(place.element, 2);
}

TEST(ChunkCodec, IsReadFromItsText) {
  EXPECT_EQ(ChunkCodec::parse("zstd").text(), "zstd:3");
  EXPECT_EQ(ChunkCodec::parse("deflate:9").text(), "deflate:9");
  EXPECT_EQ(ChunkCodec::parse("none").text(), "none");
  EXPECT_EQ(ChunkCodec::parse("bitround:7+shuffle+deflate").text(), "bitround:7+shuffle+deflate:6");
  EXPECT_EQ(ChunkCodec::parse("shuffle").text(), "shuffle");
  for (const char* other : {"", "gzip", "none:1", "zstd:", "zstd:0", "zstd:20", "deflate:10", "zstd:3x", "none+zstd",
                            "zstd+shuffle", "shuffle:2", "bitround", "bitround:53", "shuffle+bitround:3", "zstd+"})
    EXPECT_THROW((void)ChunkCodec::parse(other), Error) << other;
}

}  // namespace
}  // namespace sill::zarr
