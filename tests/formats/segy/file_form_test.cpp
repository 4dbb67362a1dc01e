// What forms of files can hold, and the headers that say so; headers turned from one form into another.
#include "sill/formats/segy/convert/file_form.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "sill/base/error.hpp"
#include "sill/formats/segy/convert/file_header_conversion.hpp"
#include "sill/formats/segy/detect/probe.hpp"
#include "sill/formats/segy/words/word_swap.hpp"

namespace sill::segy {
namespace {

using Bytes = std::vector<std::byte>;

FileForm sound_form(Revision revision) {
  FileForm form{.revision = revision, .samples = 10, .interval_us = 2000.0, .traces = 3};
  form.text = {"C 1 MADE BY A TEST"};
  return form;
}

/// The file that `form` says, its traces of zeros.
Bytes file_of(const FileForm& form) {
  Bytes file = make_file_header(form);
  file.resize(static_cast<std::size_t>(
      form.header_bytes() +
      form.traces * (240 * form.trace_shape().headers + form.samples * bytes_of(form.sample_format)) +
      form.trailers * 3200));
  return file;
}

FileDescription described(const Bytes& file) {
  Probe probe("made.sgy", std::ssize(file));
  while (const auto range = probe.next())
    probe.feed(
        std::span(file).subspan(static_cast<std::size_t>(range->offset), static_cast<std::size_t>(range->length)));
  return probe.result();
}

TEST(FileForm, TheProbeReadsBackWhatTheHeaderSays) {
  for (const Revision revision : {Revision::rev0, Revision::rev1, Revision::rev2_0, Revision::rev2_1})
    for (const ByteOrder order : {ByteOrder::big, ByteOrder::little, ByteOrder::pairwise}) {
      FileForm form = sound_form(revision);
      form.byte_order = order;
      form.sorting_code = 4;
      form.measurement_system = 2;
      if (revision >= Revision::rev2_0) {
        form.samples = 70000;
        form.interval_us = 62.5;
        form.additional_trace_headers = 2;
        form.trailers = 1;
        form.sample_format = SampleFormat::int24;
      }
      const FileDescription d = described(file_of(form));
      EXPECT_EQ(revision_of(d), revision);
      // Words of 16 bits alone do not distinguish little from pairwise order; the constant of revision 2 does.
      if (order != ByteOrder::pairwise || revision >= Revision::rev2_0) {
        EXPECT_EQ(d.byte_order, order);
      }
      EXPECT_EQ(d.samples, form.samples);
      EXPECT_EQ(d.interval_us, form.interval_us);
      EXPECT_EQ(d.traces, 3);
      EXPECT_EQ(d.sample_format, form.sample_format);
      EXPECT_EQ(d.additional_trace_headers, form.additional_trace_headers);
      EXPECT_EQ(d.trailers, form.trailers);
      EXPECT_EQ(d.first_trace_byte, form.header_bytes());
      EXPECT_EQ(d.remainder_bytes, 0);
      EXPECT_EQ(d.sorting_code, 4);
      EXPECT_EQ(d.measurement_system, 2);
      for (const Diagnostic& found : d.diagnostics) EXPECT_LE(found.grade, Grade::info) << found.problem;
    }
}

TEST(FileForm, TextOfAnUnknownEncodingIsWrittenInEbcdic) {
  FileForm form = sound_form(Revision::rev1);
  const Bytes ebcdic = make_file_header(form);
  form.text_encoding = TextEncoding::unknown;
  EXPECT_EQ(make_file_header(form), ebcdic);
}

TEST(FileForm, WhatAFormCannotHoldIsNamed) {
  using Change = std::function<void(FileForm&)>;
  const std::vector<std::pair<std::string, Change>> from_2 = {
      {"65536 samples", [](FileForm& f) { f.samples = 65536; }},
      {"0.5 us", [](FileForm& f) { f.interval_us = 0.5; }},
      {"65536 us", [](FileForm& f) { f.interval_us = 65536; }},
      {"additional trace headers", [](FileForm& f) { f.additional_trace_headers = 1; }},
      {"data trailers", [](FileForm& f) { f.trailers = 1; }},
      {"format 7", [](FileForm& f) { f.sample_format = SampleFormat::int24; }},
      {"format 6", [](FileForm& f) { f.sample_format = SampleFormat::ieee_double; }},
      {"3601 bytes", [](FileForm& f) { f.extended_text_bytes = 1; }},
  };
  const std::vector<std::pair<std::string, Change>> from_1 = {
      {"format 8", [](FileForm& f) { f.sample_format = SampleFormat::int8; }},
      {"extended text", [](FileForm& f) { f.extended_text_bytes = 3200; }},
      {"different lengths", [](FileForm& f) { f.lengths_vary = true; }},
  };
  const auto refusal = [](FileForm form, const Change& change) -> std::string {
    change(form);
    try {
      require_possible(form);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::usage);
      EXPECT_FALSE(error.parts().action.empty());
      return error.parts().problem;
    }
    return {};
  };
  for (const auto& [what, change] : from_2) {
    EXPECT_NE(refusal(sound_form(Revision::rev0), change), "") << what;
    EXPECT_NE(refusal(sound_form(Revision::rev1), change).find(what), std::string::npos) << what;
    for (const Revision revision : {Revision::rev2_0, Revision::rev2_1})
      EXPECT_EQ(refusal(sound_form(revision), change), "") << what;
  }
  for (const auto& [what, change] : from_1) {
    EXPECT_NE(refusal(sound_form(Revision::rev0), change).find(what), std::string::npos) << what;
    EXPECT_EQ(refusal(sound_form(Revision::rev1), change), "") << what;
  }
  const Change old_gain = [](FileForm& f) { f.sample_format = SampleFormat::fixed_point_gain; };
  EXPECT_EQ(refusal(sound_form(Revision::rev1), old_gain), "");
  EXPECT_NE(refusal(sound_form(Revision::rev2_1), old_gain), "");
  FileForm su = sound_form(Revision::rev1);
  su.kind = FileKind::seismic_unix;
  EXPECT_EQ(refusal(su, [](FileForm&) {}), "");
  for (const auto& [what, change] : from_2) {
    if (what != "3601 bytes" && what != "data trailers") {
      EXPECT_NE(refusal(su, change), "") << what;
    }
  }
}

TEST(FileForm, RevisionsByName) {
  EXPECT_EQ(parse_revision("0"), Revision::rev0);
  EXPECT_EQ(parse_revision(" 1.0 "), Revision::rev1);
  EXPECT_EQ(parse_revision("2"), Revision::rev2_1);
  EXPECT_EQ(parse_revision("2.0"), Revision::rev2_0);
  for (const char* wrong : {"", "3", "1.1", "two", "2.10"}) EXPECT_THROW((void)parse_revision(wrong), Error) << wrong;
}

RC_GTEST_PROP(FileHeaderConversion, ThereAndBackIsTheSameHeader, ()) {
  const auto revision = *rc::gen::element(Revision::rev0, Revision::rev1, Revision::rev2_0, Revision::rev2_1);
  FileForm form = sound_form(revision);
  form.byte_order = *rc::gen::element(ByteOrder::big, ByteOrder::little);
  Bytes file = file_of(form);
  // Whatever the words say that nothing depends on.
  for (const int byte : {3201, 3202, 3208, 3213, 3230, 3236, 3245, 3259})
    file[static_cast<std::size_t>(byte - 1)] = static_cast<std::byte>(*rc::gen::inRange(0, 256));
  const FileDescription from = described(file);
  RC_PRE(from.byte_order == form.byte_order);  // few words distinguish little from pairwise order
  FileForm to = form;
  to.byte_order = *rc::gen::element(ByteOrder::big, ByteOrder::little);
  to.revision = *rc::gen::element(Revision::rev1, Revision::rev2_0, Revision::rev2_1);
  const auto head = std::span(file).first(3600);
  Bytes other = convert_file_header(head, from, to).bytes;
  Bytes whole = other;
  whole.resize(file.size());
  const FileDescription between = described(whole);
  RC_PRE(between.byte_order == to.byte_order);
  RC_ASSERT(revision_of(between) == to.revision);
  RC_ASSERT(between.samples == 10);
  const ConvertedFileHeader back = convert_file_header(other, between, form);
  for (std::size_t i = 0; i < head.size(); ++i)
    if (back.bytes[i] != head[i])
      RC_FAIL(fmt::format("byte {} is {} after {} and {}", i + 1, std::to_integer<int>(back.bytes[i]),
                          name_of(form.revision), name_of(to.revision)));
  RC_ASSERT(back.bytes.size() == head.size());
}

RC_GTEST_PROP(WordSwap, MovesEveryByteAndComesBack, ()) {
  const auto orders = {ByteOrder::big, ByteOrder::little, ByteOrder::pairwise};
  const auto from = *rc::gen::elementOf(std::vector<ByteOrder>(orders));
  const auto to = *rc::gen::elementOf(std::vector<ByteOrder>(orders));
  // Words anywhere, that overlap as they like.
  std::vector<WordRef> words;
  const int count = *rc::gen::inRange(0, 40);
  for (int i = 0; i < count; ++i)
    words.push_back({.name = "w",
                     .byte = *rc::gen::inRange(1, 241),
                     .type = {*rc::gen::element(WordKind::signed_integer, WordKind::text), *rc::gen::inRange(1, 9)}});
  Bytes block(240);
  for (std::size_t i = 0; i < block.size(); ++i) block[i] = static_cast<std::byte>(i);
  Bytes transformed(240);
  Bytes back(240);
  const WordSwap swap(words, 240, from, to);
  swap.apply(block.data(), transformed.data(), 240);
  Bytes sorted = transformed;
  std::ranges::sort(sorted);
  RC_ASSERT(sorted == block);
  WordSwap(words, 240, to, from).apply(transformed.data(), back.data(), 240);
  RC_ASSERT(back == block);
  for (const ByteRange& range : swap.uncovered())
    for (std::int64_t i = range.offset; i < range.end(); ++i)
      RC_ASSERT(transformed[static_cast<std::size_t>(i)] == block[static_cast<std::size_t>(i)]);
  // The first word counts, and says the same in both orders.
  if (!words.empty() && words[0].byte + words[0].type.bytes <= 241 && words[0].type.kind != WordKind::text)
    RC_ASSERT(read_word(block.data(), words[0].byte, words[0].type, from) ==
              read_word(transformed.data(), words[0].byte, words[0].type, to));
}

}  // namespace
}  // namespace sill::segy
