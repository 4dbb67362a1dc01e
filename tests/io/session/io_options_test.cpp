// Options from code, files and the environment: which of them counts, and what is refused with which words.
#include "sill/io/session/io_options.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <map>
#include <optional>
#include <string>

#include "store/temporary_folder.hpp"
#include "store/thrown.hpp"

namespace sill {
namespace {

using test::thrown;

// The variables as they are given, and as they were afterwards.
class Variables {
 public:
  explicit Variables(std::map<std::string, std::string> values) {
    for (const char* name : {"SILL_OPTIONS", "SILL_POLICY", "SILL_LAYOUT"}) {
      if (const char* before = std::getenv(name)) before_[name] = before;
      ::unsetenv(name);
    }
    for (const auto& [name, value] : values) ::setenv(name.c_str(), value.c_str(), 1);
  }
  Variables(const Variables&) = delete;
  Variables& operator=(const Variables&) = delete;
  ~Variables() {
    for (const char* name : {"SILL_OPTIONS", "SILL_POLICY", "SILL_LAYOUT"}) ::unsetenv(name);
    for (const auto& [name, value] : before_) ::setenv(name.c_str(), value.c_str(), 1);
  }

 private:
  std::map<std::string, std::string> before_;
};

class IoOptionsTest : public testing::Test {
 protected:
  const std::unique_ptr<Communicator> comm = make_alone();
  test::TemporaryFolder folder;

  std::string toml(const std::string& text) {
    const std::string path = folder / "options.toml";
    std::ofstream(path) << text;
    return path;
  }
  IoOptions with(std::map<std::string, std::string> variables, const IoOptions& given = {}) {
    const Variables set(std::move(variables));
    return settled(*comm, given);
  }
  void expect_refused(const std::map<std::string, std::string>& variables, const IoOptions& given,
                      std::initializer_list<const char*> words) {
    const std::optional<Error> error = thrown([&] { (void)with(variables, given); });
    ASSERT_TRUE(error) << *words.begin();
    EXPECT_EQ(error->code(), ErrorCode::usage) << error->what();
    for (const char* word : words) {
      EXPECT_NE(std::string(error->what()).find(word), std::string::npos) << word << " in " << error->what();
    }
  }
};

TEST_F(IoOptionsTest, WithoutAnyThingsStayAsGiven) {
  const IoOptions options = with(
      {}, {.policies = PolicySet::parse("stations:elected"), .memory_bytes = 1 << 20, .threads = 3, .report = "r"});
  EXPECT_EQ(options.policies, PolicySet::parse("stations:elected"));
  EXPECT_EQ(options.memory_bytes, 1 << 20);
  EXPECT_EQ(options.threads, 3);
  EXPECT_EQ(options.report, "r");
  EXPECT_EQ(with({{"SILL_POLICY", " "}, {"SILL_OPTIONS", ""}}).policies, PolicySet());
}

TEST_F(IoOptionsTest, AFileSaysWhatItSaysAndNoMore) {
  const std::string file = toml(
      "# a comment\nmemory = \"64M\"\nreport = \"cost.json\"\n[policies]\nstations = \"stage=64K\"\nsegy = "
      "\"staged\"\n");
  const IoOptions options = with(
      {}, {.policies = PolicySet::parse("elected; stations:gathered; volumes:aggregated"), .threads = 2, .file = file});
  EXPECT_EQ(options.policies, PolicySet::parse("elected; stations:stage=64K; volumes:aggregated; segy:staged"));
  EXPECT_EQ(options.memory_bytes, 64 << 20);
  EXPECT_EQ(options.threads, 2);
  EXPECT_EQ(options.report, "cost.json");
  EXPECT_TRUE(options.file.empty());
  EXPECT_FALSE(options.environment);
  EXPECT_EQ(with({}, {.file = toml("memory = 8192\nthreads = 7\n")}).memory_bytes, 8192);
}

TEST_F(IoOptionsTest, APolicyWithoutANameReplacesAllThatWasSaidBefore) {
  const IoOptions given{.policies = PolicySet::parse("elected; stations:gathered")};
  EXPECT_EQ(with({{"SILL_POLICY", "staged"}}, given).policies, PolicySet::parse("staged"));
  EXPECT_EQ(with({{"SILL_POLICY", "surfaces:staged"}}, given).policies,
            PolicySet::parse("elected; stations:gathered; surfaces:staged"));
  EXPECT_EQ(with({{"SILL_POLICY", "surfaces:staged; aggregated"}}, given).policies,
            PolicySet::parse("aggregated; surfaces:staged"));
}

TEST_F(IoOptionsTest, TheEnvironmentCountsBeforeFilesAndFilesBeforeCode) {
  const std::string file = toml("policy = \"staged\"\nthreads = 2\nmemory = \"1M\"\n");
  const IoOptions given{.policies = PolicySet::parse("elected"), .memory_bytes = 4096, .threads = 1, .file = file};
  EXPECT_EQ(with({}, given).policies, PolicySet::parse("staged"));
  EXPECT_EQ(with({}, given).threads, 2);
  const IoOptions by_pairs =
      with({{"SILL_OPTIONS", " threads=5  policy=gathered,stage=512\tpolicies.segy=direct "}}, given);
  EXPECT_EQ(by_pairs.threads, 5);
  EXPECT_EQ(by_pairs.memory_bytes, 1 << 20);
  EXPECT_EQ(by_pairs.policies, PolicySet::parse("gathered,stage=512; segy:direct"));
  const IoOptions by_both = with({{"SILL_OPTIONS", "threads=5 policy=gathered"}, {"SILL_POLICY", "aggregated"}}, given);
  EXPECT_EQ(by_both.policies, PolicySet::parse("aggregated"));
  EXPECT_EQ(by_both.threads, 5);
  IoOptions deaf = given;
  deaf.environment = false;
  EXPECT_EQ(with({{"SILL_OPTIONS", "threads=5"}, {"SILL_POLICY", "aggregated"}}, deaf).threads, 2);
}

TEST_F(IoOptionsTest, TheEnvironmentMayNameAFile) {
  const std::string file = toml("threads = 9\n");
  EXPECT_EQ(with({{"SILL_OPTIONS", file}}, {.threads = 1}).threads, 9);
  expect_refused({{"SILL_OPTIONS", toml("threads = 9\ntreads = 8\n")}}, {},
                 {"options.toml", "line 2", "`treads`", "did you mean threads"});
  const std::optional<Error> missing = thrown([&] { (void)with({{"SILL_OPTIONS", folder / "none.toml"}}); });
  ASSERT_TRUE(missing);
  EXPECT_EQ(missing->code(), ErrorCode::io);
  EXPECT_NE(std::string(missing->what()).find("SILL_OPTIONS"), std::string::npos) << missing->what();
  EXPECT_NE(std::string(missing->what()).find("none.toml"), std::string::npos) << missing->what();
}

TEST_F(IoOptionsTest, WhatMeansNothingIsRefusedWithItsPlace) {
  expect_refused({{"SILL_POLICY", "elektet"}}, {}, {"SILL_POLICY", "`elektet`", "did you mean elected"});
  expect_refused({{"SILL_POLICY", "station:elected"}}, {}, {"SILL_POLICY", "`station`", "did you mean stations"});
  expect_refused({{"SILL_OPTIONS", "threads=4 memry=4M"}}, {}, {"SILL_OPTIONS", "`memry`", "did you mean memory"});
  expect_refused({{"SILL_OPTIONS", "threads=4 threads=5"}}, {}, {"SILL_OPTIONS", "`threads`", "twice"});
  expect_refused({{"SILL_OPTIONS", "threads=0"}}, {}, {"SILL_OPTIONS", "`threads`", "1 to 1024"});
  expect_refused({{"SILL_OPTIONS", "threads=4x"}}, {}, {"`4x`"});
  expect_refused({{"SILL_OPTIONS", "memory=17"}}, {}, {"`memory`", "17"});
  expect_refused({{"SILL_OPTIONS", "memory=banana"}}, {}, {"SILL_OPTIONS", "`memory`", "banana"});
  expect_refused({{"SILL_OPTIONS", "report="}}, {}, {"`report`"});
  expect_refused({{"SILL_OPTIONS", "threads=4 nonsense"}}, {}, {"`nonsense`", "KEY=VALUE"});
  expect_refused({{"SILL_OPTIONS", "policies.volume=staged"}}, {}, {"`volume`", "did you mean volumes"});
  expect_refused({{"SILL_OPTIONS", "policies.volumes=stage=3"}}, {}, {"`policies.volumes`", "stage"});
}

TEST_F(IoOptionsTest, LinesOfFilesAreTold) {
  const auto in_file = [&](const std::string& text, std::initializer_list<const char*> words) {
    expect_refused({}, {.file = toml(text)}, words);
  };
  in_file("threads = 4\n\npolicy = \"elektet\"\n", {"options.toml", "line 3", "policy: ", "did you mean elected"});
  in_file("[policies]\nstations = \"staged\"\nsurface = \"staged\"\n",
          {"line 3", "`surface`", "did you mean surfaces"});
  in_file("threads = \"many\"\n", {"line 1", "`threads`", "`many`"});
  in_file("threads = 1.5\n", {"line 1", "`threads`"});
  in_file("memory = true\n", {"line 1", "`memory`"});
  in_file("\npolicies = \"staged\"\n", {"line 2", "`policies`", "table"});
  in_file("threads = 4\nthreads = 5\n", {"line 2", "not TOML"});
  in_file("threads = \n", {"line 1", "not TOML"});
  in_file("policy = \"stations:staged\"\n[policies]\nstations = \"elected\"\n", {"line 3", "`stations`", "twice"});
  in_file("a" + std::string(100'000, '.') + "\n", {"line 1", "more than 64"});
  in_file(std::string((1 << 20) + 1, '#'), {"options.toml", "too long for a file of options"});
}

TEST_F(IoOptionsTest, LayoutsAddUpFromCodeFilesAndTheEnvironment) {
  const std::string file = toml(
      "layout = \"align=4K\"\n[layout.fields]\ncontainer = \"vti\"\nversion = 5\nrecord_align = \"1M\"\n"
      "[layout.\"other name\"]\nalign = 64\n");
  expect_refused({}, {.file = file}, {"options.toml", "not TOML"});  // a key is a text or a table
  const IoOptions given{
      .layouts = DatasetLayouts::parse("fields:container=raw,align=8;version=1"),
      .file = toml("threads = 2\n[layout.fields]\ncontainer = \"vti\"\nversion = 5\nrecord_align = \"1M\"\n"
                   "[layout.\"other name\"]\nalign = 64\n")};
  const std::string of_file = "fields:container=vti,version=5,align=8,record_align=1M;other name:align=64;version=1";
  EXPECT_EQ(with({}, given).layouts, DatasetLayouts::parse(of_file));
  EXPECT_EQ(with({}, given).threads, 2);
  EXPECT_EQ(with({{"SILL_LAYOUT", "container=raw"}}, given).layouts, DatasetLayouts::parse(of_file + ";container=raw"));
  const IoOptions by_pairs = with(
      {{"SILL_OPTIONS", "layout=fields:version=2;align=16 threads=3 layout.volume=container=vti,align=1K"}}, given);
  EXPECT_EQ(by_pairs.layouts,
            DatasetLayouts::parse(of_file + ";fields:version=2;align=16;volume:container=vti,align=1K"));
  EXPECT_EQ(by_pairs.threads, 3);
  const IoOptions by_both =
      with({{"SILL_OPTIONS", "layout.fields=version=2,align=16"}, {"SILL_LAYOUT", " fields:align=32 "}}, given);
  EXPECT_EQ(by_both.layouts, DatasetLayouts::parse(of_file + ";fields:version=2,align=32"));
  IoOptions deaf = given;
  deaf.environment = false;
  EXPECT_EQ(with({{"SILL_LAYOUT", "container=raw"}, {"SILL_OPTIONS", "layout=version=2"}}, deaf).layouts,
            DatasetLayouts::parse(of_file));
}

TEST_F(IoOptionsTest, LayoutsOfAFileMayBeATextOrTables) {
  const auto of = [&](const std::string& text) { return with({}, {.file = toml(text)}).layouts; };
  const DatasetLayouts expected = DatasetLayouts::parse("fields:container=vti,align=64K");
  EXPECT_EQ(of("layout = \"fields:container=vti,align=64K\"\n"), expected);
  EXPECT_EQ(of("[layout]\nfields = { container = \"vti\", align = \"64K\" }\n"), expected);
  EXPECT_EQ(of("[layout.fields]\nalign = 65536\ncontainer = \"vti\"\n"), expected);
  EXPECT_EQ(of("layout.fields.align = \"64K\"\nlayout.fields.container = \"vti\"\n"), expected);
  EXPECT_EQ(of("[layout.fields]\ncodec = [\"zstd\", \"u=shuffle+deflate:4\"]\n"),
            DatasetLayouts::parse("fields:codec=zstd:3,codec=u=shuffle+deflate:4"));
  EXPECT_EQ(of("[layout]\n"), DatasetLayouts());
  EXPECT_EQ(of("[layout.fields]\n"), DatasetLayouts());
}

TEST_F(IoOptionsTest, LayoutsThatMeanNothingAreRefusedWithTheirPlace) {
  expect_refused({{"SILL_LAYOUT", "contaner=vti"}}, {}, {"SILL_LAYOUT: ", "`contaner=vti`", "did you mean container"});
  expect_refused({{"SILL_LAYOUT", "fields:container=vtk"}}, {}, {"SILL_LAYOUT: ", "`vtk`", "docs/arrays.md"});
  expect_refused({{"SILL_LAYOUT", "container=vti;"}}, {}, {"SILL_LAYOUT: "});
  expect_refused({{"SILL_LAYOUT", "align=banana"}}, {}, {"SILL_LAYOUT: ", "align", "banana"});
  expect_refused({{"SILL_OPTIONS", "layout=version=3"}}, {}, {"SILL_OPTIONS: ", "`layout`", "`3`"});
  expect_refused({{"SILL_OPTIONS", "layout="}}, {}, {"SILL_OPTIONS: ", "`layout`"});
  expect_refused({{"SILL_OPTIONS", "layout.fields=vti"}}, {}, {"SILL_OPTIONS: ", "`layout.fields`", "`vti`"});
  expect_refused({{"SILL_OPTIONS", "layout.=version=5"}}, {}, {"SILL_OPTIONS: ", "name"});
  expect_refused({{"SILL_OPTIONS", "layouts=version=5"}}, {}, {"SILL_OPTIONS: ", "`layouts`", "did you mean layout"});
  expect_refused({{"SILL_OPTIONS", "layout=version=5 layout=align=4"}}, {}, {"SILL_OPTIONS: ", "`layout`", "twice"});
  const auto in_file = [&](const std::string& text, std::initializer_list<const char*> words) {
    expect_refused({}, {.file = toml(text)}, words);
  };
  in_file("[layout.fields]\ncontainer = \"vti\"\nalin = 4\n",
          {"options.toml", "line 3", "`layout.fields`", "did you mean align"});
  in_file("[layout.fields]\n\ncontainer = \"vtk\"\n", {"line 3", "`layout.fields`", "`vtk`"});
  in_file("[layout.fields]\nversion = 5.0\n", {"line 2", "`layout.fields`", "neither"});
  in_file("[layout.fields]\nversion = [5]\n", {"line 2", "`layout.fields`", "neither"});
  in_file("\nlayout = 5\n", {"line 2", "`layout`", "`5`"});
  in_file("\n[layout]\nfields = \"container=vti\"\n", {"line 3", "`layout.fields`", "not a table", "[layout.DATASET]"});
  in_file("[layout]\ncontainer = \"vti\"\n", {"line 2", "`layout.container`", "not a table"});
}

TEST_F(IoOptionsTest, WrongOptionsInCodeAreRefused) {
  expect_refused({}, {.policies = PolicySet::parse("sections:staged")}, {"`sections`", "segy"});
  expect_refused({}, {.memory_bytes = 1}, {"1 bytes"});
  expect_refused({}, {.threads = -1}, {"-1 threads"});
  Policy wrong;
  wrong.stage_bytes = 3;
  expect_refused({}, {.policies = PolicySet(wrong)}, {"stage"});
}

}  // namespace
}  // namespace sill
