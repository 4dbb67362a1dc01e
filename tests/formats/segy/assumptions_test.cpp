// What can be assumed of a file, and what not.
#include "sill/formats/segy/detect/assumptions.hpp"

#include <gtest/gtest.h>

#include <string>

#include "sill/base/error.hpp"

namespace sill::segy {
namespace {

std::string refusal_of(const std::string& text) {
  try {
    Assumptions assume;
    assume.add(text);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::usage);
    return error.parts().problem + " | " + error.parts().action;
  }
  return "";
}

TEST(Assumptions, AllNamesAreRead) {
  Assumptions assume;
  EXPECT_TRUE(assume.empty());
  assume.add("kind=segy,byte_order=pairwise,revision=2,samples=70000,interval=0.5");
  assume.add(" sample_format = 5 , first_trace_byte=3600,extended_text_headers=0,text=ascii,lengths=vary");
  EXPECT_EQ(assume.kind, FileKind::segy);
  EXPECT_EQ(assume.byte_order, ByteOrder::pairwise);
  EXPECT_EQ(assume.revision, 2);
  EXPECT_EQ(assume.samples, 70000);
  EXPECT_EQ(assume.interval_us, 0.5);
  EXPECT_EQ(assume.format_code, 5);
  EXPECT_EQ(assume.first_trace_byte, 3600);
  EXPECT_EQ(assume.extended_text_headers, 0);
  EXPECT_EQ(assume.text_encoding, TextEncoding::ascii);
  EXPECT_EQ(assume.lengths_vary, true);
  ASSERT_EQ(assume.stated.size(), 10U);
  EXPECT_EQ(assume.stated[5], "sample_format=5");
  for (const std::string& stated : assume.stated)
    EXPECT_NE(assumption_grammar().find(stated.substr(0, stated.find('='))), std::string::npos) << stated;
}

TEST(Assumptions, WhatIsNoneIsRefused) {
  EXPECT_NE(refusal_of("revison=1").find("did you mean revision"), std::string::npos);
  EXPECT_NE(refusal_of("samples=1,,").find("not a property that can be assumed"), std::string::npos);
  EXPECT_NE(refusal_of("samples=1e3").find("1e3 is not a value of samples"), std::string::npos);
  EXPECT_NE(refusal_of("samples=4294967296").find("is not a value"), std::string::npos);
  EXPECT_NE(refusal_of("kind=segy,kind=su").find("kind is assumed twice"), std::string::npos);
  EXPECT_EQ(refusal_of("samples=\x1b[31m").find('\x1b'), std::string::npos);  // shown, not obeyed
  for (const int code : {0, 13, 14, 17, -1}) EXPECT_NE(refusal_of("sample_format=" + std::to_string(code)), "") << code;
}

TEST(Assumptions, PlacesMustBeInTheFile) {
  const auto possible = [](const std::string& text, std::int64_t file_bytes) {
    Assumptions assume;
    assume.add(text);
    try {
      require_possible(assume, "made.sgy", file_bytes);
    } catch (const Error& error) {
      EXPECT_EQ(error.parts().where.file, "made.sgy");
      return false;
    }
    return true;
  };
  EXPECT_TRUE(possible("first_trace_byte=3600", 3600));
  EXPECT_FALSE(possible("first_trace_byte=3601", 3600));
  EXPECT_FALSE(possible("first_trace_byte=3599", 9000));
  EXPECT_FALSE(possible("first_trace_byte=9223372036854775807", 9000));
  EXPECT_TRUE(possible("extended_text_headers=1", 6800));
  EXPECT_FALSE(possible("extended_text_headers=1", 6799));
  EXPECT_FALSE(possible("first_trace_byte=6799,extended_text_headers=1", 9000));
  EXPECT_TRUE(possible("kind=su,sample_format=5,first_trace_byte=0,samples=3", 252));
  EXPECT_FALSE(possible("kind=su,sample_format=1", 252));
}

}  // namespace
}  // namespace sill::segy
