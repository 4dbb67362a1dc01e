// The probe against real files and against generated ones, one for each peculiarity.
#include "sill/formats/segy/detect/probe.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <sstream>
#include <string>
#include <tuple>
#include <vector>

#include "sill/base/error.hpp"

namespace sill::segy {
namespace {

using Bytes = std::vector<std::byte>;

struct Outcome {
  FileDescription description;
  std::int64_t requests = 0;
  std::int64_t bytes = 0;
};

Outcome probe_bytes(const Bytes& file, const std::string& assumed = "", const std::string& name = "made.sgy") {
  Outcome outcome;
  const auto size = static_cast<std::int64_t>(file.size());
  Assumptions assume;
  if (!assumed.empty()) assume.add(assumed);
  Probe probe(name, size, assume);
  while (const auto range = probe.next()) {
    EXPECT_GT(range->length, 0);
    EXPECT_GE(range->offset, 0);
    EXPECT_LE(range->end(), size);
    ++outcome.requests;
    outcome.bytes += range->length;
    probe.feed(
        std::span(file).subspan(static_cast<std::size_t>(range->offset), static_cast<std::size_t>(range->length)));
  }
  outcome.description = probe.result();
  return outcome;
}

FileDescription describe(const Bytes& file) { return probe_bytes(file).description; }

/// The problem that a file is refused for; fails the test if it is not.
std::string refusal(const Bytes& file, const std::string& name = "made.sgy") {
  try {
    probe_bytes(file, "", name);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::input);
    EXPECT_EQ(error.parts().where.file, name);
    return error.parts().problem;
  }
  ADD_FAILURE() << "not refused";
  return {};
}

/// The findings at a place, as "grade: problem | action" lines.
std::string findings(const FileDescription& description, const std::string& where) {
  std::string text;
  for (const Diagnostic& d : description.diagnostics) {
    EXPECT_FALSE(d.problem.empty() || d.where.empty() || d.clause.empty() || d.action.empty()) << d.problem;
    if (d.where == where) text += fmt::format("{}: {} | {}\n", name_of(d.grade), d.problem, d.action);
  }
  return text;
}

bool starts_with(const std::string& text, const std::string& start) { return text.rfind(start, 0) == 0; }

/// A file with an EBCDIC text header of blanks, whose words can be set by hand.
class MadeFile {
 public:
  explicit MadeFile(int traces, int samples = 10, int format = 1, ByteOrder order = ByteOrder::big, int text_blocks = 0)
      : order_(order), trace_bytes_(240 + static_cast<std::size_t>(samples) * sample_bytes(format)) {
    bytes.assign(3600 + 3200 * static_cast<std::size_t>(text_blocks), std::byte{0});
    std::fill_n(bytes.begin(), 3200, std::byte{0x40});
    binary(3217, 2000).binary(3221, samples).binary(3225, format).binary(3255, 1);
    for (int block = 0; block < text_blocks; ++block)
      text(block, "((SEG: Something)) and some words that make a header of text");
    first_trace_ = bytes.size();
    bytes.resize(bytes.size() + trace_bytes_ * static_cast<std::size_t>(traces));
    for (int i = 1; i <= traces; ++i) trace4(i, 1, i).trace4(i, 73, 500000).trace(i, 115, samples).trace(i, 117, 2000);
  }

  /// Sets a 16-bit word of the binary header, `byte` as the standard counts (3201 and up).
  MadeFile& binary(int byte, int value) {
    store(bytes.data() + byte - 1, static_cast<std::uint16_t>(value), order_);
    return *this;
  }
  MadeFile& revision(int major, int minor) {
    bytes[3500] = static_cast<std::byte>(major);
    bytes[3501] = static_cast<std::byte>(minor);
    return *this;
  }
  /// Sets a 16-bit word of the header of trace `number` (from 1).
  MadeFile& trace(int number, int byte, int value) {
    store(at(number, byte), static_cast<std::uint16_t>(value), order_);
    return *this;
  }
  MadeFile& trace4(int number, int byte, std::int32_t value) {
    store(at(number, byte), value, order_);
    return *this;
  }
  /// Fills an extended text header (from 0) with an ASCII line and blanks.
  MadeFile& text(int block, const std::string& line) {
    const auto start = bytes.begin() + 3600 + 3200 * block;
    std::fill_n(start, 3200, std::byte{' '});
    std::transform(line.begin(), line.end(), start, [](char c) { return static_cast<std::byte>(c); });
    return *this;
  }
  MadeFile& resize(std::size_t size) {
    bytes.resize(size);
    return *this;
  }

  Bytes bytes;

 private:
  static std::size_t sample_bytes(int format) {
    const std::map<int, std::size_t> sizes = {{3, 2},  {6, 8},  {7, 3},  {8, 1}, {9, 8},
                                              {11, 2}, {12, 8}, {15, 3}, {16, 1}};
    const auto found = sizes.find(format);
    return found == sizes.end() ? 4 : found->second;
  }
  std::byte* at(int number, int byte) {
    return bytes.data() + first_trace_ + static_cast<std::size_t>(number - 1) * trace_bytes_ + byte - 1;
  }

  ByteOrder order_;
  std::size_t trace_bytes_;
  std::size_t first_trace_ = 0;
};

/// Bare Seismic Unix data.
Bytes made_su(int traces, int samples, ByteOrder order) {
  const std::size_t trace_bytes = 240 + 4 * static_cast<std::size_t>(samples);
  Bytes bytes(trace_bytes * static_cast<std::size_t>(traces), std::byte{0});
  for (std::size_t i = 0; i < static_cast<std::size_t>(traces); ++i) {
    std::byte* trace = bytes.data() + i * trace_bytes;
    store(trace, static_cast<std::int32_t>(i + 1), order);
    store(trace + 114, static_cast<std::uint16_t>(samples), order);
    store(trace + 116, std::uint16_t{250}, order);
    for (std::size_t s = 0; s < static_cast<std::size_t>(samples); ++s)
      store(trace + 240 + 4 * s, 0.3F + static_cast<float>(s), order);
  }
  return bytes;
}

TEST(Probe, ASoundFileOfEveryFormatAndOrder) {
  for (const ByteOrder order : {ByteOrder::big, ByteOrder::little, ByteOrder::pairwise})
    for (const int format : {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 15, 16}) {
      const auto outcome = probe_bytes(MadeFile(7, 10, format, order).binary(3229, 4).bytes);
      const FileDescription& d = outcome.description;
      EXPECT_EQ(d.byte_order, order) << format;
      EXPECT_EQ(code_of(d.sample_format), format);
      EXPECT_EQ(d.samples, 10);
      EXPECT_EQ(d.interval_us, 2000.0);
      EXPECT_EQ(d.traces, 7);
      EXPECT_EQ(d.trace_bytes, 240 + 10 * bytes_of(d.sample_format));
      EXPECT_EQ(d.first_trace_byte, 3600);
      EXPECT_EQ(d.remainder_bytes, 0);
      EXPECT_EQ(d.sorting_code, 4);
      EXPECT_EQ(d.measurement_system, 1);
      EXPECT_EQ(d.text_encoding, TextEncoding::ebcdic);
      EXPECT_EQ(d.revision_major, 0);
      if (first_revision_of(d.sample_format) < 2) {
        EXPECT_TRUE(d.diagnostics.empty()) << d.diagnostics.front().problem;
      } else {
        EXPECT_TRUE(starts_with(findings(d, "bytes 3225-3226"), "info: ")) << format;
        EXPECT_EQ(d.diagnostics.size(), 1U);
      }
      EXPECT_EQ(d.trace_list().bytes_of({6, 1}).end(), d.file_bytes);
    }
}

TEST(Probe, TheWorkDoesNotGrowWithTheFile) {
  const auto outcome = probe_bytes(MadeFile(5000, 3).bytes);
  EXPECT_EQ(outcome.description.traces, 5000);
  EXPECT_EQ(outcome.requests, 4);                  // the file header and three trace headers
  EXPECT_EQ(outcome.bytes, 3600 + 128 + 3 * 240);  // a tape label might be there
}

TEST(Probe, AsciiTextIsSeen) {
  MadeFile file(1);
  std::fill_n(file.bytes.begin(), 3200, std::byte{' '});
  EXPECT_EQ(describe(file.bytes).text_encoding, TextEncoding::ascii);
  std::fill_n(file.bytes.begin(), 3200, std::byte{0});
  const FileDescription d = describe(file.bytes);
  EXPECT_EQ(d.text_encoding, TextEncoding::unknown);
  EXPECT_TRUE(starts_with(findings(d, "bytes 1-3200"), "minor: "));
}

TEST(Probe, TooShort) {
  EXPECT_EQ(refusal({}), "the file is empty");
  EXPECT_EQ(refusal(MadeFile(0).resize(3599).bytes),
            "3599 bytes, too few for a SEG-Y file, whose file header has 3600");
  EXPECT_EQ(refusal(Bytes(1)), "1 bytes, too few for a SEG-Y file, whose file header has 3600");
}

TEST(Probe, TextOnlyHasNoTraces) {
  const FileDescription d = describe(MadeFile(0).bytes);
  EXPECT_EQ(d.traces, 0);
  EXPECT_EQ(d.remainder_bytes, 0);
  EXPECT_TRUE(d.diagnostics.empty());
  EXPECT_EQ(describe(MadeFile(0, 0).bytes).traces, 0);
}

TEST(Probe, OtherFormatsAreNamed) {
  for (const auto& [first, second] : {std::pair{0x55, 0x3A}, std::pair{0x3A, 0x55}}) {
    Bytes seg2(5000);
    seg2[0] = static_cast<std::byte>(first);
    seg2[1] = static_cast<std::byte>(second);
    seg2[first == 0x55 ? 2U : 3U] = std::byte{1};
    EXPECT_EQ(refusal(seg2), "this is a SEG-2 file; not supported");
  }
  using namespace std::string_view_literals;
  constexpr std::pair<std::string_view, std::string_view> signs[] = {
      {"\x1F\x8B\x08"sv, "gzip"},
      {"\xFD\x37\x7A\x58\x5A\x00"sv, "xz"},
      {"\x28\xB5\x2F\xFD"sv, "zstd"},
      {"\x42\x5A\x68\x39\x31\x41\x59\x26\x53\x59"sv, "bzip2"},
      {"\x50\x4B\x03\x04"sv, "zip"}};
  for (const auto& [sign, packer] : signs) {
    for (const std::size_t bytes : {100U, 5000U}) {
      Bytes packed(bytes);
      std::memcpy(packed.data(), sign.data(), sign.size());
      EXPECT_EQ(refusal(packed), fmt::format("this file is compressed with {}", packer));
    }
    // What makes sense as SEG-Y is SEG-Y, however its text begins.
    MadeFile begun(3);
    std::memcpy(begun.bytes.data(), sign.data(), sign.size());
    EXPECT_EQ(describe(begun.bytes).traces, 3);
  }
  // Headers that disagree are no evidence.
  Bytes other = made_su(10, 512, ByteOrder::big);
  other[(240 + 4 * 512) * 5 + 115] ^= std::byte{1};
  EXPECT_EQ(refusal(other).find("Seismic Unix"), std::string::npos);
  EXPECT_EQ(refusal(Bytes(9000, std::byte{'a'})),
            "this is not a SEG-Y file: there is text at the position of the binary header");
  EXPECT_TRUE(starts_with(refusal(Bytes(9000, std::byte{0xEE})), "this is not a SEG-Y file"));
}

TEST(Probe, SeismicUnixData) {
  for (const auto& [traces, samples, order] : {std::tuple{10, 512, ByteOrder::big},
                                               {3, 50, ByteOrder::little},  // shorter than a SEG-Y file header
                                               {1, 8000, ByteOrder::little}}) {
    const FileDescription d = describe(made_su(traces, samples, order));
    EXPECT_EQ(d.kind, FileKind::seismic_unix);
    EXPECT_EQ(d.byte_order, order);
    EXPECT_EQ(d.sample_format, SampleFormat::ieee_float);
    EXPECT_EQ(d.traces, traces);
    EXPECT_EQ(d.samples, samples);
    EXPECT_EQ(d.interval_us, 250.0);
    EXPECT_EQ(d.first_trace_byte, 0);
    EXPECT_EQ(d.trace_bytes, 240 + 4 * samples);
    EXPECT_TRUE(starts_with(findings(d, "the complete file"), "info: "));  // it is named .sgy
  }
}

TEST(Probe, SampleFormatsThatAreUnknown) {
  for (const int format : {0, 13, 14, 17, -1})
    EXPECT_EQ(refusal(MadeFile(3, 10, format).bytes),
              fmt::format("sample format {} is unknown: the standard defines 1 to 12, 15 and 16", format));
}

TEST(Probe, Revisions) {
  for (const int minor : {0, 1}) {
    const FileDescription later = describe(MadeFile(3).revision(2, minor).binary(3503, 1).bytes);
    EXPECT_EQ(later.revision, 2);
    EXPECT_TRUE(later.diagnostics.empty());
  }
  EXPECT_TRUE(starts_with(findings(describe(MadeFile(3).revision(3, 0).bytes), "bytes 3501-3502"), "info: "));
  EXPECT_TRUE(describe(MadeFile(3).revision(1, 0).binary(3503, 1).bytes).diagnostics.empty());

  const FileDescription swapped = describe(MadeFile(3).revision(0, 1).binary(3503, 1).bytes);
  EXPECT_EQ(swapped.revision_major, 0);
  EXPECT_EQ(swapped.revision_minor, 1);
  EXPECT_EQ(findings(swapped, "bytes 3501-3502"),
            "minor: the revision is stored as 0.1: its bytes are swapped | read as revision 1.0\n");
  const auto little = describe(MadeFile(3, 10, 1, ByteOrder::little).revision(0, 1).binary(3503, 1).bytes);
  EXPECT_TRUE(starts_with(findings(little, "bytes 3501-3502"), "info: "));

  for (const auto& [major, minor] :
       {std::pair{0x30, 0x30}, std::pair{0x10, 0}, std::pair{0, 0x40}, std::pair{255, 255}}) {
    const FileDescription bogus = describe(MadeFile(3).revision(major, minor).bytes);
    EXPECT_EQ(bogus.traces, 3);
    EXPECT_EQ(bogus.revision_major, major);
    EXPECT_TRUE(starts_with(findings(bogus, "bytes 3501-3502"), "minor: ")) << major;
  }
}

TEST(Probe, ARevisionOfOneHundred) {
  const FileDescription big = describe(MadeFile(3).revision(0, 100).binary(3503, 1).bytes);
  EXPECT_EQ(big.revision, 1);
  EXPECT_EQ(findings(big, "bytes 3501-3502"),
            "minor: the revision is stored as 100: 1.00 in hundredths | read as revision 1.0\n");
  const FileDescription little = describe(MadeFile(3, 10, 1, ByteOrder::little).revision(100, 0).binary(3503, 1).bytes);
  EXPECT_EQ(little.revision, 1);
  EXPECT_EQ(describe(MadeFile(3).revision(100, 0).bytes).revision, 0);
}

/// A file whose headers hold multiples of 65536: smaller numbers in pairwise order than in little, though it is little.
MadeFile made_of_large_numbers() {
  MadeFile file(3, 10, 5, ByteOrder::little);
  for (int i = 1; i <= 3; ++i)
    for (const int byte : {1, 5, 9, 73}) file.trace4(i, byte, i * 65536);
  return file;
}

TEST(Probe, TheByteOrderConstantCountsInEveryRevision) {
  EXPECT_EQ(describe(made_of_large_numbers().bytes).byte_order, ByteOrder::pairwise);
  for (const auto& [major, minor] : {std::pair{0, 0}, {1, 0}, {2, 0}, {2, 1}, {36, 37}, {0, 100}}) {
    MadeFile file = made_of_large_numbers();
    file.revision(major, minor).binary(3297, 0x0304).binary(3299, 0x0102);  // little: 04 03 02 01
    const FileDescription d = describe(file.bytes);
    EXPECT_EQ(d.byte_order, ByteOrder::little) << major;
    EXPECT_EQ(d.traces, 3);
    EXPECT_TRUE(starts_with(findings(d, "bytes 3297-3300"), "major: the byte-order constant states little")) << major;
    file.binary(3297, 0x0102).binary(3299, 0x0304);  // pairwise: 02 01 04 03
    const FileDescription pairwise = describe(file.bytes);
    EXPECT_EQ(pairwise.byte_order, ByteOrder::pairwise) << major;
    EXPECT_EQ(findings(pairwise, "bytes 3297-3300"), "") << major;
    // What is assumed counts, and a revision that is assumed has no constant before 2.
    EXPECT_EQ(probe_bytes(file.bytes, "byte_order=little").description.byte_order, ByteOrder::little);
  }
  MadeFile old(3, 10, 5, ByteOrder::little);
  old.binary(3297, 0x0102).binary(3299, 0x0304);
  EXPECT_EQ(describe(old.bytes).byte_order, ByteOrder::pairwise);
  EXPECT_EQ(probe_bytes(old.bytes, "revision=1").description.byte_order, ByteOrder::little);
}

TEST(Probe, AnExtendedNumberOfSamplesThatAloneFitsTheFile) {
  for (const auto& [major, minor] : {std::pair{0, 0}, {1, 0}, {0, 100}, {36, 37}}) {
    for (const int stated : {0, 30, 34464}) {
      MadeFile file(4, 40);
      file.revision(major, minor).binary(3221, stated).binary(3271, 40);
      for (int i = 1; i <= 4; ++i) file.trace(i, 115, stated);
      const FileDescription d = describe(file.bytes);
      EXPECT_EQ(d.samples, 40) << stated;
      EXPECT_EQ(d.traces, 4) << stated;
      EXPECT_FALSE(d.lengths_vary);
      EXPECT_TRUE(starts_with(findings(d, "bytes 3269-3272"), "major: the extended number of samples is 40")) << stated;
    }
    // Beyond what a trace header can state, nothing that it states speaks against it.
    MadeFile large(2, 70000, 8);
    large.revision(major, minor).binary(3221, 70000 - 65536).binary(3269, 1).binary(3271, 70000 - 65536);
    EXPECT_EQ(describe(large.bytes).samples, 70000);
  }
  // Where bytes 3221-3222 fit, it is rubbish; likewise where it is no more than chance and the headers agree.
  const FileDescription fits = describe(MadeFile(20, 10).binary(3271, 1320).bytes);
  EXPECT_EQ(fits.samples, 10);
  EXPECT_TRUE(fits.diagnostics.empty());
  MadeFile cut(8, 100);
  cut.binary(3271, 1).resize(cut.bytes.size() - 640 + 156);  // 19 traces of one sample
  const FileDescription of_cut = describe(cut.bytes);
  EXPECT_EQ(of_cut.samples, 100);
  EXPECT_NE(of_cut.remainder_bytes, 0);
}

TEST(Probe, AFormatCodeInASingleByte) {
  for (const ByteOrder order : {ByteOrder::big, ByteOrder::little}) {
    for (const int code : {1, 3, 5, 8}) {
      MadeFile file(7, 30, code, order);
      file.binary(3225, code << 8);
      const FileDescription d = describe(file.bytes);
      EXPECT_EQ(d.byte_order, order) << code;
      EXPECT_EQ(code_of(d.sample_format), code);
      EXPECT_EQ(d.traces, 7);
      EXPECT_EQ(d.samples, 30);
      EXPECT_TRUE(starts_with(findings(d, "bytes 3225-3226"),
                              fmt::format("major: the sample format is stored as {}", code << 8)));
      file.resize(file.bytes.size() - 1);  // no size speaks for it any more
      EXPECT_NE(describe(file.bytes).byte_order, order) << code;
    }
  }
}

TEST(Probe, ARegularFileWithAnotherNumberInTheBinaryHeader) {
  for (const auto& [major, flag] : {std::pair{0, 0}, {1, 0}, {1, 1}, {2, 0}}) {
    // 280 traces of 226 samples of 4 bytes are as long as 143 of 500: both divide the file.
    for (const int traces : {5, 63, 64, 65, 200, 280}) {
      MadeFile file(traces, 226);
      file.revision(major, 0).binary(3221, 500).binary(3503, flag);
      std::ranges::fill(std::span(file.bytes).subspan(3600 + 240, 226 * 4), std::byte{0x42});
      const FileDescription d = describe(file.bytes);
      EXPECT_EQ(d.samples, 226) << traces << " of revision " << major;
      EXPECT_EQ(d.traces, traces) << traces << " of revision " << major;
      EXPECT_FALSE(d.lengths_vary) << traces << " of revision " << major;
      EXPECT_TRUE(starts_with(findings(d, "bytes 3221-3222"), "major: the binary header states 500 samples per trace"));
    }
  }
  // Cut, it is still of that length.
  MadeFile cut(200, 226);
  cut.revision(1, 0).binary(3221, 500).resize(cut.bytes.size() - 100);
  const FileDescription d = describe(cut.bytes);
  EXPECT_EQ(d.samples, 226);
  EXPECT_EQ(d.traces, 199);
  EXPECT_EQ(d.remainder_bytes, 240 + 226 * 4 - 100);
  // Twice as long by their headers: what is there at every second trace is no evidence against the binary header.
  MadeFile twice(8, 10);
  for (int i = 1; i <= 8; ++i) twice.trace(i, 115, 80);
  EXPECT_EQ(describe(twice.bytes).samples, 10);
}

TEST(Probe, SegDIsNamed) {
  for (const std::string_view code : {"\x80\x58", "\x80\x48", "\x80\x15", "\x80\x36", "\x90\x58"}) {
    for (const std::size_t size : {500U, 9000U}) {
      Bytes segd(size, std::byte{0x11});
      const std::string begin = std::string("\x00\x17", 2) + std::string(code) + "\x12\x34\x56\x78\x90\x12" +
                                std::string("\x24\x02\x31\x23\x59\x07", 6);
      std::memcpy(segd.data(), begin.data(), begin.size());
      EXPECT_TRUE(starts_with(refusal(segd), "this is a SEG-D file (format ")) << size;
    }
  }
  Bytes labelled(9000);
  std::memcpy(labelled.data() + 4, "SD1.0RECORD", 11);
  EXPECT_TRUE(starts_with(refusal(labelled), "this is a SEG-D file"));
  // Trace 32856 is 80 58 in hexadecimal digits, field record 1 and trace 1 are day 100 of year 0.
  Bytes su = made_su(10, 50, ByteOrder::big);
  for (std::size_t i = 0; i < 10; ++i)
    for (const auto& [at, value] : {std::pair{std::size_t{0}, 0x8058}, {8, 1}, {12, 1}})
      store(su.data() + i * 440 + at, static_cast<std::int32_t>(value), ByteOrder::big);
  EXPECT_EQ(describe(su).kind, FileKind::seismic_unix);
  su.resize(su.size() - 10);
  EXPECT_EQ(describe(su).kind, FileKind::seismic_unix);
}

TEST(Probe, WhatIsNamedSuIsRefusedWithTheReason) {
  Bytes other = made_su(10, 512, ByteOrder::big);
  other[(240 + 4 * 512) * 5 + 115] ^= std::byte{1};
  other[(240 + 4 * 512) + 115] ^= std::byte{1};
  const std::string disagrees = refusal(other, "made.su");
  EXPECT_NE(disagrees.find("in big order the first header states 512 samples, but trace 2 states 513"),
            std::string::npos)
      << disagrees;
  EXPECT_NE(disagrees.find("in little order the first header states 2 samples, but "), std::string::npos) << disagrees;
  EXPECT_NE(refusal(Bytes(100), "made.su").find("100 bytes are too few"), std::string::npos);
  EXPECT_NE(refusal(Bytes(5000), "made.su").find("states 0 samples; in little"), std::string::npos);
}

TEST(Probe, RevisionTwoWordsAreRubbishInOlderFiles) {
  MadeFile file(3);
  // Extended samples, additional trace headers, trace count and first trace byte of revision 2.
  for (const int byte : {3261, 3269, 3271, 3297, 3507, 3509, 3513, 3521, 3527, 3529}) file.binary(byte, 0x0101);
  const FileDescription d = describe(file.bytes);
  EXPECT_EQ(d.traces, 3);
  EXPECT_EQ(d.samples, 10);
  EXPECT_EQ(d.first_trace_byte, 3600);
  EXPECT_EQ(d.additional_trace_headers, 0);
  EXPECT_TRUE(d.diagnostics.empty());
}

TEST(Probe, NoSamples) {
  const FileDescription d = describe(MadeFile(3).binary(3221, 0).binary(3217, 0).bytes);
  EXPECT_EQ(d.samples, 10);
  EXPECT_EQ(d.traces, 3);
  EXPECT_EQ(d.interval_us, 2000.0);
  EXPECT_EQ(findings(d, "bytes 3221-3222"),
            "minor: the binary header states 0 samples per trace | read from the first trace header: 10\n");
  EXPECT_TRUE(starts_with(findings(d, "bytes 3217-3218"), "minor: "));
  EXPECT_EQ(refusal(MadeFile(3).binary(3221, 0).trace(1, 115, 0).bytes),
            "the binary header (bytes 3221-3222) and the first trace header state 0 samples per trace");
}

TEST(Probe, NumbersAreUnsigned) {
  const FileDescription d = describe(MadeFile(2, 40000, 8).bytes);
  EXPECT_EQ(d.samples, 40000);
  EXPECT_EQ(d.traces, 2);
  EXPECT_TRUE(starts_with(findings(d, "bytes 3221-3222"), "info: "));
  const FileDescription negative = describe(MadeFile(1).binary(3217, -2000).bytes);
  EXPECT_EQ(negative.interval_us, 63536.0);
  EXPECT_TRUE(starts_with(findings(negative, "bytes 3217-3218"), "major: the sample interval is 63536 us"));
  const FileDescription none = describe(MadeFile(1).binary(3217, 0).trace(1, 117, 0).bytes);
  EXPECT_EQ(none.interval_us, 0.0);
  EXPECT_TRUE(starts_with(findings(none, "bytes 3217-3218"), "minor: "));
}

TEST(Probe, ARemainderIsCritical) {
  MadeFile file(3);
  const FileDescription d = describe(file.resize(file.bytes.size() + 68).bytes);
  EXPECT_EQ(d.traces, 3);
  EXPECT_EQ(d.remainder_bytes, 68);
  EXPECT_EQ(findings(d, fmt::format("byte {}", 3600 + 3 * 280 + 1)),
            "critical: 68 bytes follow the last complete trace: too few for a trace of 280 bytes | read as 3 "
            "complete traces; the file is truncated, or its header is wrong\n");
  const FileDescription none = describe(MadeFile(1).resize(3600 + 100).bytes);
  EXPECT_EQ(none.traces, 0);
  EXPECT_EQ(none.remainder_bytes, 100);
}

TEST(Probe, TheFixedLengthFlag) {
  MadeFile file(6);
  file.revision(1, 0);
  EXPECT_TRUE(starts_with(findings(describe(file.bytes), "bytes 3503-3504"), "info: "));
  EXPECT_TRUE(
      starts_with(findings(describe(MadeFile(6).revision(1, 0).binary(3503, 7).bytes), "bytes 3503-3504"), "minor: "));
  EXPECT_TRUE(describe(MadeFile(6).binary(3503, 7).bytes).diagnostics.empty());  // not defined in revision 0
  // Cut, but all headers agree: of one length still.
  EXPECT_EQ(describe(file.resize(file.bytes.size() - 20).bytes).traces, 5);
  // The file divides by one length, but a header states another one.
  MadeFile odd(6);
  odd.revision(1, 0).trace(1, 115, 777);
  const FileDescription d = describe(odd.bytes);
  EXPECT_EQ(d.traces, 6);
  EXPECT_FALSE(d.lengths_vary);
  EXPECT_TRUE(starts_with(findings(d, "bytes 3503-3504"), "major: trace headers state several numbers of samples"));
}

TEST(Probe, TraceHeadersThatSayOtherwise) {
  const FileDescription same = describe(MadeFile(9).trace(2, 115, 77).bytes);
  EXPECT_TRUE(same.diagnostics.empty());  // trace 2 is not looked at

  MadeFile file(9);
  file.trace(1, 115, 462).trace(5, 115, 462).trace(9, 115, 0).trace(5, 117, 4000).trace(9, 71, 82).trace(1, 69, -100);
  const FileDescription d = describe(file.bytes);
  EXPECT_EQ(d.samples, 10);
  EXPECT_EQ(findings(d, "traces 1, 5, bytes 115-116"),
            "minor: trace headers state 462 samples, the value of the binary header is 10 | the value of the binary "
            "header is used\n");
  EXPECT_EQ(findings(d, "trace 9, bytes 115-116"),
            "info: the trace header states 0 samples, the value of the binary header is 10 | the value of the binary "
            "header is used\n");
  EXPECT_TRUE(starts_with(findings(d, "trace 5, bytes 117-118"), "minor: the trace header states 4000 us"));
  EXPECT_TRUE(starts_with(findings(d, "trace 9, bytes 71-72"), "minor: the scalar of coordinates is 82"));
  EXPECT_EQ(d.diagnostics.size(), 4U);

  const FileDescription promised = describe(MadeFile(1).revision(1, 0).binary(3503, 1).trace(1, 115, 9).bytes);
  ASSERT_EQ(promised.diagnostics.size(), 1U);
  EXPECT_EQ(promised.diagnostics[0].grade, Grade::minor);
  EXPECT_NE(promised.diagnostics[0].clause.find("3503-3504"), std::string::npos);
}

TEST(Probe, OddCodesOfTheBinaryHeader) {
  const FileDescription d = describe(MadeFile(1).binary(3229, 99).binary(3255, 7).bytes);
  EXPECT_EQ(d.sorting_code, 99);
  EXPECT_TRUE(starts_with(findings(d, "bytes 3229-3230"), "minor: "));
  EXPECT_TRUE(starts_with(findings(d, "bytes 3255-3256"), "minor: "));
  EXPECT_EQ(describe(MadeFile(1).binary(3229, -1).bytes).sorting_code, -1);
}

TEST(Probe, CountedExtendedTextHeaders) {
  const FileDescription d =
      describe(MadeFile(4, 10, 1, ByteOrder::big, 2).revision(1, 0).binary(3503, 1).binary(3505, 2).bytes);
  EXPECT_EQ(d.extended_text_headers, 2);
  EXPECT_EQ(d.first_trace_byte, 10000);
  EXPECT_EQ(d.traces, 4);
  EXPECT_TRUE(d.diagnostics.empty());

  // Revision 0: believed by text and size, by text alone (a cut file), by size alone.
  MadeFile text(4, 10, 1, ByteOrder::big, 2);
  text.binary(3505, 2);
  EXPECT_NE(findings(describe(text.bytes), "bytes 3505-3506").find("used: text follows, and the file size agrees"),
            std::string::npos);
  EXPECT_EQ(describe(text.resize(text.bytes.size() - 5).bytes).first_trace_byte, 10000);
  MadeFile blank(4, 10, 1, ByteOrder::big, 2);
  std::fill_n(blank.bytes.begin() + 3600, 6400, std::byte{0});
  blank.binary(3505, 2);
  EXPECT_EQ(describe(blank.bytes).first_trace_byte, 10000);
}

// Traces of 640 bytes, so that the size fits with a header of 3200 bytes and without.
TEST(Probe, ABlankExtendedTextHeaderThatTracesDivide) {
  MadeFile blank(15, 100, 1, ByteOrder::big, 1);
  std::fill_n(blank.bytes.begin() + 3600, 3200, std::byte{0});
  const FileDescription d = describe(blank.binary(3505, 1).bytes);
  EXPECT_EQ(d.first_trace_byte, 6800);
  EXPECT_EQ(d.traces, 15);
  EXPECT_NE(findings(d, "bytes 3505-3506").find("used: a blank text header follows"), std::string::npos);

  const FileDescription none = describe(MadeFile(15, 100).binary(3505, 1).bytes);
  EXPECT_EQ(none.first_trace_byte, 3600);
  EXPECT_EQ(none.traces, 15);
  EXPECT_NE(findings(none, "bytes 3505-3506").find("no text follows it, and the file size agrees without it, too"),
            std::string::npos);
}

TEST(Probe, CountsOfExtendedTextHeadersThatAreNotTrue) {
  MadeFile rubbish(100);
  rubbish.binary(3505, 2);
  const FileDescription d = describe(rubbish.bytes);
  EXPECT_EQ(d.extended_text_headers, 0);
  EXPECT_EQ(d.first_trace_byte, 3600);
  EXPECT_EQ(d.traces, 100);
  EXPECT_TRUE(starts_with(findings(d, "bytes 3505-3506"), "minor: "));
  EXPECT_EQ(describe(rubbish.revision(1, 0).bytes).first_trace_byte, 3600);
  EXPECT_EQ(describe(MadeFile(5).binary(3505, 3000).bytes).traces, 5);  // beyond the end of the file
  EXPECT_EQ(describe(MadeFile(5).binary(3505, -7).bytes).traces, 5);
  EXPECT_TRUE(
      starts_with(findings(describe(MadeFile(5).revision(1, 0).binary(3505, 9).bytes), "bytes 3505-3506"), "major: "));
}

TEST(Probe, AnOpenCountOfExtendedTextHeaders) {
  for (const char* end : {"((SEG: EndText))", "((seg:ENDTEXT))", "  (( SEG : End Text ))"})
    for (const int blocks : {1, 2, 17, 40}) {
      MadeFile file(4, 10, 1, ByteOrder::big, blocks);
      file.revision(1, 0).binary(3503, 1).binary(3505, -1).text(blocks - 1, end);
      const FileDescription d = describe(file.bytes);
      EXPECT_EQ(d.extended_text_headers, blocks) << end;
      EXPECT_EQ(d.first_trace_byte, 3600 + 3200 * blocks);
      EXPECT_EQ(d.traces, 4);
    }
  // In EBCDIC.
  MadeFile file(4, 10, 1, ByteOrder::big, 1);
  const std::vector<int> letters = {0x4D, 0x4D, 0xE2, 0xC5, 0xC7, 0x7A, 0x40, 0xC5,
                                    0x95, 0x84, 0xE3, 0x85, 0xA7, 0xA3, 0x5D, 0x5D};
  std::fill_n(file.bytes.begin() + 3600, 3200, std::byte{0x40});
  std::transform(letters.begin(), letters.end(), file.bytes.begin() + 3600,
                 [](int c) { return static_cast<std::byte>(c); });
  EXPECT_EQ(describe(file.revision(1, 0).binary(3505, -1).bytes).first_trace_byte, 6800);

  // No end: the size decides between none and a refusal.
  const FileDescription none = describe(MadeFile(100).revision(1, 0).binary(3505, -1).bytes);
  EXPECT_EQ(none.traces, 100);
  EXPECT_TRUE(starts_with(findings(none, "bytes 3505-3506"), "major: "));
  EXPECT_EQ(describe(MadeFile(100).binary(3505, -1).bytes).traces, 100);  // revision 0: rubbish
  EXPECT_NE(refusal(MadeFile(100, 10, 1, ByteOrder::big, 3).revision(1, 0).binary(3505, -1).bytes).find("EndText"),
            std::string::npos);
}

TEST(Probe, WhatIsFedMustBeWhatWasNamed) {
  Probe probe("made.sgy", 5000);
  EXPECT_THROW(probe.feed(Bytes(10)), Error);
}

// What the list of real files expects of each: "fmt=1 rev=0.0 ntr=25 ...".
std::string fact(const std::string& expected, const std::string& key) {
  const std::string padded = fmt::format(" {}", expected);
  const auto at = padded.find(" " + key + "=");
  if (at == std::string::npos) return {};
  const auto start = at + key.size() + 2;
  return padded.substr(start, padded.find_first_of(" ;", start) - start);
}

TEST(ProbeSamples, RealFilesAreAsTheListSays) {
  const char* folder = std::getenv("SILL_SAMPLES");
  if (folder == nullptr || !std::filesystem::exists(std::filesystem::path(folder) / "MANIFEST.tsv"))
    GTEST_SKIP() << "SILL_SAMPLES names no folder with a MANIFEST.tsv";
  std::ifstream list(std::filesystem::path(folder) / "MANIFEST.tsv");
  std::string line;
  std::getline(list, line);
  int described = 0;
  int refused = 0;
  while (std::getline(list, line)) {
    std::vector<std::string> columns;
    std::istringstream stream(line);
    for (std::string column; std::getline(stream, column, '\t');) columns.push_back(column);
    ASSERT_EQ(columns.size(), 7U) << line;
    SCOPED_TRACE(columns[0]);
    const std::string& expected = columns[6];
    std::ifstream in(std::filesystem::path(folder) / columns[0], std::ios::binary);
    const std::string content{std::istreambuf_iterator<char>(in), {}};
    Bytes bytes(content.size());
    std::transform(content.begin(), content.end(), bytes.begin(), [](char c) { return static_cast<std::byte>(c); });

    const std::string format = fact(expected, "fmt");
    if (fact(expected, "kind") == "SEG-2") {
      ++refused;
      EXPECT_NE(refusal(bytes).find("SEG-2"), std::string::npos);
      continue;
    }
    ++described;
    const FileDescription d = describe(bytes);
    const bool is_su = fact(expected, "kind") == "SU" || starts_with(expected, "SU ");
    EXPECT_EQ(d.kind, is_su ? FileKind::seismic_unix : FileKind::segy);
    EXPECT_EQ(d.byte_order == ByteOrder::big, fact(expected, "endian") == "BE" || starts_with(expected, "SU BE"));
    EXPECT_EQ(d.traces, std::stoll(fact(expected, "ntr")));
    EXPECT_EQ(d.samples, std::stoll(fact(expected, "ns")));
    const int interval = std::stoi(fact(expected, "dt"));
    EXPECT_EQ(d.interval_us, interval < 0 ? interval + 65536 : interval);
    if (is_su) continue;
    const std::string text = fact(expected, "text");
    // The manifest goes by the first byte; both files that begin with NUL are ASCII padded with it.
    EXPECT_EQ(name_of(d.text_encoding), text == "other:00" ? "ASCII" : text);
    EXPECT_EQ(code_of(d.sample_format), std::stoi(fact(expected, "fmt")));
    EXPECT_EQ(fmt::format("{}.{}", d.revision_major, d.revision_minor), fact(expected, "rev"));
    EXPECT_EQ(d.additional_trace_headers, std::stoi(fact(expected, "addhdr")));
    EXPECT_EQ(d.extended_text_headers, std::stoi(fact(expected, "ext")));
    const bool has_critical = std::any_of(d.diagnostics.begin(), d.diagnostics.end(),
                                          [](const Diagnostic& x) { return x.grade == Grade::critical; });
    EXPECT_EQ(has_critical, expected.find("residue") != std::string::npos);
    EXPECT_EQ(d.remainder_bytes, has_critical ? 68 : 0);
  }
  EXPECT_GE(described, 29);
  EXPECT_EQ(refused, 1);
}

}  // namespace
}  // namespace sill::segy
