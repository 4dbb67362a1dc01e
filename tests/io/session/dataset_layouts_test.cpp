// What a user says about the files of datasets: the text form, which part counts, and refusals.
#include "sill/io/session/dataset_layouts.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

#include "sill/base/error.hpp"
#include "store/thrown.hpp"

namespace sill::layouts_test {
namespace {

using test::thrown;

void expect_refused(const std::string& text, std::initializer_list<const char*> words) {
  const std::optional<Error> error = thrown([&] { (void)DatasetLayouts::parse(text); });
  ASSERT_TRUE(error) << text;
  EXPECT_EQ(error->code(), ErrorCode::usage);
  EXPECT_NE(error->parts().action.find("[NAME:]SETTING"), std::string::npos) << error->what();
  for (const char* word : words) {
    EXPECT_NE(error->parts().problem.find(word), std::string::npos) << word << " in " << error->what();
  }
}

TEST(DatasetLayouts, SayNothingUnlessTheyAreTold) {
  EXPECT_EQ(DatasetLayouts().of("fields.nc"), DatasetLayout());
  const cdf::FileForm form{.version = 1, .align = 4096, .variable_align = 8, .record_align = 16};
  EXPECT_EQ(DatasetLayout().over(form), form);
}

TEST(DatasetLayouts, AreReadWithBlanksAround) {
  const DatasetLayouts layouts = DatasetLayouts::parse(
      " fields : container = vti ;\tvolume:version=5, align=64K,variable_align=1M ,record_align=512; align=4096 ");
  EXPECT_EQ(layouts.of("fields"), (DatasetLayout{.container = Container::vti, .align = 4096}));
  EXPECT_EQ(layouts.of("volume"),
            (DatasetLayout{.version = 5, .align = 64 << 10, .variable_align = 1 << 20, .record_align = 512}));
  EXPECT_EQ(layouts.of("other"), (DatasetLayout{.align = 4096}));
}

TEST(DatasetLayouts, OfADatasetAreFoundByTheNameOfItsFile) {
  const DatasetLayouts layouts = DatasetLayouts::parse("fields:version=5;.hidden:version=2;container=raw");
  for (const char* path : {"fields", "fields.nc", "fields.2026.nc", "/a/b.c/fields.vti", "../fields.pvd"}) {
    EXPECT_EQ(layouts.of(path), (DatasetLayout{.container = Container::raw, .version = 5})) << path;
  }
  EXPECT_EQ(layouts.of("a/.hidden.nc").version, 2);
  for (const char* path : {"field.nc", "fields2.nc", "Fields.nc", "fields/u.nc", "u.fields", "fields/", "", "."}) {
    EXPECT_EQ(layouts.of(path), (DatasetLayout{.container = Container::raw})) << path;
  }
}

TEST(DatasetLayouts, ANamedPartCountsWhereverItStands) {
  const DatasetLayout expected{.container = Container::vti, .version = 1, .align = 8};
  EXPECT_EQ(DatasetLayouts::parse("u:container=vti,version=1;container=raw,align=8").of("u"), expected);
  EXPECT_EQ(DatasetLayouts::parse("container=raw,align=8;u:container=vti,version=1").of("u"), expected);
}

TEST(DatasetLayouts, AreTakenOverWhatWasSaidBeforeSettingBySetting) {
  const DatasetLayouts before = DatasetLayouts::parse("u:container=vti,version=1;align=8");
  const DatasetLayouts after = DatasetLayouts::parse_over("u:version=5;v:container=raw;record_align=4", before);
  EXPECT_EQ(after, DatasetLayouts::parse("align=8,record_align=4;u:container=vti,version=5;v:container=raw"));
  EXPECT_EQ(DatasetLayouts::parse("version=1,version=2"), DatasetLayouts::parse("version=2"));
}

TEST(DatasetLayouts, OfNetcdfFilesArePutOverAForm) {
  const cdf::FileForm form{.version = 1, .align = 4096, .variable_align = 8, .record_align = 16};
  const DatasetLayout layout = DatasetLayouts::parse("version=5,variable_align=64").of("u.nc");
  EXPECT_EQ(layout.over(form), (cdf::FileForm{.version = 5, .align = 4096, .variable_align = 64, .record_align = 16}));
  const DatasetLayout rest = DatasetLayouts::parse("align=4,record_align=8").of("u.nc");
  EXPECT_EQ(rest.over(form), (cdf::FileForm{.version = 1, .align = 4, .variable_align = 8, .record_align = 8}));
}

TEST(DatasetLayouts, ComeBackFromTheirText) {
  EXPECT_EQ(DatasetLayouts::parse("v:record_align=4,align=1K;container=vti,version=2").text(),
            "container=vti,version=2; v:align=1024,record_align=4");
  EXPECT_TRUE(DatasetLayouts().text().empty());
  EXPECT_TRUE(rc::check([] {
    std::string text;
    const auto parts = *rc::gen::inRange(1, 5);
    for (int p = 0; p < parts; ++p) {
      text += (p > 0 ? ";" : "") + *rc::gen::element<std::string>("", "u:", "v w:", "a=b,c:", ".x:");
      const auto settings = *rc::gen::inRange(1, 4);
      for (int s = 0; s < settings; ++s) {
        text += s > 0 ? "," : "";
        const auto size = std::to_string(4 * *rc::gen::inRange<std::int64_t>(1, std::int64_t{1} << 60U));
        switch (*rc::gen::inRange(0, 8)) {
          case 0:
            text += "container=" +
                    std::string(name_of(*rc::gen::elementOf(std::vector(containers.begin(), containers.end()))));
            break;
          case 1: text += "version=" + *rc::gen::element<std::string>("1", "2", "5"); break;
          case 2: text += "align=" + size; break;
          case 3: text += "variable_align=" + size; break;
          case 4: text += "steps=" + size; break;
          case 5:
            text += "codec=" + *rc::gen::element<std::string>("none", "zstd:19", "deflate:1", "u=zstd:2",
                                                              "v=bitround:7+shuffle+deflate:3");
            break;
          case 6: text += "chunks=" + *rc::gen::element<std::string>("7", "1x2x3"); break;
          default: text += "record_align=" + size;
        }
      }
    }
    const DatasetLayouts layouts = DatasetLayouts::parse(text);
    RC_ASSERT(DatasetLayouts::parse(layouts.text()) == layouts);
  }));
}

TEST(DatasetLayouts, WhatSaysNothingIsRefused) {
  expect_refused("contaner=vti", {"`contaner=vti`", "did you mean container"});
  expect_refused("fields:containers=vti", {"`containers=vti`"});
  expect_refused("container", {"`container`"});
  expect_refused("container=", {"`container=`"});
  expect_refused("=vti", {"`=vti`"});
  expect_refused("vti", {"`vti`"});
  expect_refused("container=vtk", {"container `vtk`"});
  expect_refused("container=vti=raw", {"container `vti=raw`"});
  for (const char* version : {"0", "3", "4", "12", "+1", "5.0"}) {
    expect_refused("version=" + std::string(version), {"version", version});
  }
  for (const char* nothing : {";", "container=vti;", "container=vti,", "u:", "u:container=vti,,align=4"}) {
    expect_refused(nothing, {"``"});
  }
  expect_refused(":container=vti", {"name before its `:`"});
  expect_refused("u : v : container=vti", {"`v : container=vti`"});
  expect_refused("container=vti;\x1B[2J", {"`\\x1B[2J`"});
}

TEST(DatasetLayouts, SizesThatAreNoneAreRefusedWithTheirSetting) {
  for (const char* setting : {"align", "variable_align", "record_align"}) {
    for (const char* size : {"-4", "4x", "1.5", "99999999999999999999", "many"}) {
      const std::string text = std::string("u:") + setting + "=" + size;
      const std::optional<Error> error = thrown([&] { (void)DatasetLayouts::parse(text); });
      ASSERT_TRUE(error) << text;
      EXPECT_EQ(error->code(), ErrorCode::usage);
      EXPECT_NE(error->parts().problem.find(setting), std::string::npos) << error->what();
      EXPECT_NE(error->parts().problem.find(size), std::string::npos) << error->what();
    }
  }
}

}  // namespace
}  // namespace sill::layouts_test
