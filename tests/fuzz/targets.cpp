#include "fuzz/targets.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "fuzz/array_target.hpp"
#include "fuzz/survey_target.hpp"
#include "sill/base/error.hpp"
#include "sill/formats/cdf/cdf_file.hpp"
#include "sill/formats/image/ncml.hpp"
#include "sill/formats/image/raw_file.hpp"
#include "sill/formats/image/tecplot_file.hpp"
#include "sill/formats/image/vti_file.hpp"
#include "sill/formats/records/record_codec.hpp"
#include "sill/formats/records/record_index.hpp"
#include "sill/formats/records/record_text.hpp"
#include "sill/formats/segy/description/trace_shape.hpp"
#include "sill/formats/segy/detect/assumptions.hpp"
#include "sill/formats/segy/detect/probe.hpp"
#include "sill/formats/segy/expression/assignment.hpp"
#include "sill/formats/segy/expression/expression.hpp"
#include "sill/formats/segy/samples/time_window.hpp"
#include "sill/formats/segy/words/header_map.hpp"
#include "sill/formats/segy/words/key.hpp"
#include "sill/formats/segy/words/layout_stanza.hpp"
#include "sill/io/session/io_advice.hpp"
#include "sill/io/session/io_report.hpp"
#include "sill/move/policy/policy.hpp"
#include "sill/store/burst/burst_segment.hpp"
#include "support/memory_store.hpp"

namespace sill::fuzz {
namespace {

using Bytes = std::span<const std::byte>;

std::string_view text_of(Bytes input) { return {reinterpret_cast<const char*>(input.data()), input.size()}; }

// A fault that no sanitizer would see.
void expect(bool holds) {
  if (!holds) std::abort();
}

template <class Work>
void refused_or_done(Work&& work) {
  try {
    work();
  } catch (const Error& error) {
    expect(error.parts().problem.size() < 10'000);
  }
}

void describe(Bytes file, const std::string& path) {
  constexpr int max_requests = 100'000;  // a fault otherwise: the work does not grow with the file
  segy::Probe probe(path, static_cast<std::int64_t>(file.size()));
  int requests = 0;
  while (const std::optional<ByteRange> range = probe.next()) {
    expect(++requests < max_requests);
    expect(range->length > 0 && range->offset >= 0 && range->end() <= static_cast<std::int64_t>(file.size()));
    probe.feed(file.subspan(static_cast<std::size_t>(range->offset), static_cast<std::size_t>(range->length)));
  }
  const segy::FileDescription found = probe.result();
  expect(found.diagnostics.size() < 1000);
  expect(found.first_trace_byte >= 0);
  if (found.lengths_vary || found.traces <= 0) return;
  const ItemList traces = found.trace_list();
  expect(traces.item_bytes >= segy::trace_header_bytes && traces.item_bytes <= static_cast<std::int64_t>(file.size()));
  expect(traces.bytes_of({0, found.traces}).end() <= static_cast<std::int64_t>(file.size()));
  const std::byte* const first = file.data() + traces.first_byte;
  (void)segy::TraceShapeRule(found).shape_of(first);
  for (const segy::MapWord& word : segy::HeaderMap::standard().all())
    if (word.byte + word.type.bytes - 1 <= found.header_bytes())
      (void)segy::read_word(first, word.byte, word.type, found.byte_order).text();
}

void feed_segy(Bytes input) {
  for (const char* path : {"fuzz.sgy", "fuzz.su"}) refused_or_done([&] { describe(input, path); });
}

void feed_map(Bytes input) {
  refused_or_done([&] {
    const segy::HeaderMap map = segy::HeaderMap::parse(text_of(input), "fuzz.toml");
    for (const segy::MapWord& word : map.all()) (void)map.word(word.names.front());
    const std::array<std::string, 2> headers = {"SEG00000", "SEG00001"};
    (void)segy::words_of(segy::HeaderKind::segy, headers, nullptr, &map);
  });
}

void feed_stanza(Bytes input) {
  refused_or_done([&] {
    const std::optional<std::string> found = segy::find_layout_stanza(input);
    const segy::LayoutStanza stanza = segy::parse_layout_stanza(found ? *found : text_of(input), "fuzz.sgy");
    (void)segy::words_of(segy::HeaderKind::segy, {}, &stanza, nullptr);
  });
}

void feed_policy(Bytes input) {
  refused_or_done([&] {
    const Policy policy = Policy::parse(text_of(input));
    expect(Policy::parse(policy.text()).text() == policy.text());
  });
}

// The last 240 bytes are a header, what is before them a text.
void feed_expression(Bytes input) {
  std::array<std::byte, 480> header{};
  const std::size_t header_bytes = std::min<std::size_t>(input.size() / 2, 240);
  std::copy(input.end() - static_cast<std::ptrdiff_t>(header_bytes), input.end(), header.begin());
  const std::string_view text = text_of(input.first(input.size() - header_bytes));
  const segy::HeaderView view{header.data(), ByteOrder::little, 1, 1};
  const auto has_bytes = [&](ByteRange needed) { return needed.end() <= static_cast<std::int64_t>(header.size()); };
  refused_or_done([&] {
    const segy::Expression expression = segy::Expression::parse(text);
    if (has_bytes(expression.needed_bytes())) (void)expression.value(view).text();
  });
  refused_or_done([&] {
    for (const segy::TraceKey& key : segy::TraceKey::parse_list(text)) {
      std::array<std::byte, 8> packed{};
      if (has_bytes(key.needed_bytes())) key.pack(view, packed.data());
    }
  });
  refused_or_done([&] {
    const std::array<std::string, 1> sets = {std::string(text)};
    (void)segy::parse_assignments(sets, segy::HeaderMap::standard(), {});
  });
  refused_or_done([&] { segy::Assumptions().add(text); });
}

void feed_window(Bytes input) {
  refused_or_done([&] {
    const segy::TimeWindow window = segy::parse_time_window(text_of(input));
    const segy::SampleRange samples = segy::samples_in(window, -100.0, 333.25, 1000);
    expect(samples.first >= 0 && samples.count >= 0 && samples.first + samples.count <= 1000);
  });
}

void feed_cdf(Bytes input) {
  refused_or_done([&] {
    const auto size = static_cast<std::int64_t>(input.size());
    const std::optional<cdf::FileContents> found = cdf::parse_header(input, size, "fuzz.nc");
    expect(found.has_value());  // these are all bytes
    expect(found->layout.header_bytes <= size && found->records >= 0);
    const std::vector<std::byte> header = cdf::header_of(found->description, found->layout, found->records);
    const std::optional<cdf::FileContents> again = cdf::parse_header(header, std::int64_t{1} << 62U, "fuzz.nc");
    expect(again && again->description == found->description);
    // A name that ended with a zero byte is written without it.
    expect(again->layout.header_bytes <= found->layout.header_bytes);
    cdf::FileLayout layout = again->layout;
    layout.header_bytes = found->layout.header_bytes;
    if (!found->description.has_steps()) layout.records_begin = found->layout.records_begin;  // the end of the header
    expect(layout == found->layout);
  });
}

void feed_report(Bytes input) {
  refused_or_done([&] { (void)advice_on(parse_report(text_of(input), "fuzz.json")); });
}

// What was described by Sill's own description is written as one that reads the same.
void expect_same_again(const DatasetDescription& description) {
  const std::string text =
      "<Xdmf><Domain><Information>" + image::ncml_of(description) + "</Information><Grid/></Domain></Xdmf>";
  expect(image::parse_xdmf(text, "fuzz.xdmf").description == description);
}

void expect_places(const image::RawContents& found) {
  expect(found.steps >= 0 && found.places.size() == static_cast<std::size_t>(found.steps) + 1);
  for (const auto& of_step : found.places) {
    expect(of_step.size() == found.description.variables.size());
    for (const auto& place : of_step) expect(!place || (place->file < found.files.size() && place->begin >= 0));
  }
}

void feed_image(Bytes input) {
  const std::string text(text_of(input));
  const auto size = static_cast<std::int64_t>(input.size());
  refused_or_done([&] {
    const std::optional<image::ImageContents> found = image::parse_vti(input, size, "fuzz.vti");
    expect(found.has_value());  // these are all bytes
    expect(found->begins.size() == found->description.variables.size());
    for (std::size_t v = 0; v < found->begins.size(); ++v) {
      if (!found->begins[v]) continue;
      const std::int64_t bytes = found->description.element_bytes(found->description.variables[v]);
      expect(*found->begins[v] > 0 && bytes > 0 && bytes <= size - *found->begins[v]);
    }
    if (found->is_described) expect_same_again(found->description);
  });
  refused_or_done([&] {
    const std::optional<image::ImageContents> found = image::parse_tecplot(input, size, "fuzz.plt");
    expect(found.has_value() && found->is_described);
    expect_same_again(found->description);
  });
  refused_or_done([&] {
    for (const image::StepFile& each : image::parse_pvd(text, "fuzz.pvd")) expect(!each.path.empty());
  });
  refused_or_done([&] { expect_places(image::parse_xdmf(text, "fuzz.xdmf")); });
  refused_or_done([&] {
    const image::RawContents found = image::parse_mhd(text, "fuzz.mhd");
    expect_places(found);
    expect(found.files.size() == 1 && found.description.variables.size() == 1);
  });
}

void feed_records(Bytes input) {
  const std::string text(text_of(input));
  std::int64_t end = 0;
  for (const records::RecordPlace& each : records::parse_index(text).records) {
    expect(each.offset == end && each.bytes >= 0);
    end += each.bytes;
  }
  refused_or_done([&] { expect(records::xml_element(1, text).ends_with("</record>\n")); });
  const records::Codec codec = records::codec_of(input);
  if (codec == records::Codec::none) return;
  constexpr std::size_t last_bytes = 9;
  if (input.size() >= last_bytes &&
      records::frame_table_bytes(input.last(last_bytes)) == std::optional(static_cast<std::int64_t>(input.size()))) {
    (void)records::frames_in_table(input);
  }
  constexpr std::int64_t max_unpacked = 1 << 20;
  while (!input.empty()) {
    const auto enough = records::bytes_to_find_end(
        codec, input.first(std::min(input.size(), static_cast<std::size_t>(records::frame_header_bytes))));
    if (!enough) return;
    const Bytes frame = input.first(std::min(input.size(), static_cast<std::size_t>(*enough)));
    const auto size = records::frame_at(codec, frame);
    if (!size) return;
    expect(size->packed > 0 && size->packed <= std::ssize(frame) && size->raw <= records::max_frame_bytes);
    std::vector<std::byte> raw(static_cast<std::size_t>(size->raw > max_unpacked ? 0 : size->raw));
    (void)records::unpack_frame(codec, frame.first(static_cast<std::size_t>(size->packed)), raw);
    input = input.subspan(static_cast<std::size_t>(size->packed));
  }
}

void feed_burst(Bytes input) {
  MemoryFiles files;
  files.put("log", {input.begin(), input.end()});
  refused_or_done([&] {
    const LeftSegment left = read_segment(*files.open("log", OpenMode::read));
    for (const LoggedRun& run : left.runs) {
      expect(run.file >= 0 && run.file < std::ssize(left.files) && run.length >= 0 && run.log_byte >= 0);
      expect(run.length <= std::ssize(input) - run.log_byte);
    }
  });
}

constexpr std::array<Target, 14> all_targets = {{{"segy", feed_segy},
                                                 {"map", feed_map},
                                                 {"stanza", feed_stanza},
                                                 {"policy", feed_policy},
                                                 {"expression", feed_expression},
                                                 {"window", feed_window},
                                                 {"survey", feed_survey},
                                                 {"cdf", feed_cdf},
                                                 {"image", feed_image},
                                                 {"records", feed_records},
                                                 {"report", feed_report},
                                                 {"hdf5", feed_hdf5},
                                                 {"zarr", feed_zarr},
                                                 {"burst", feed_burst}}};

}  // namespace

std::span<const Target> targets() { return all_targets; }

}  // namespace sill::fuzz
