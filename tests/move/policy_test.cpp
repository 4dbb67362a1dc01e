// The text form of policies.
#include "sill/move/policy/policy.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <string>
#include <vector>

#include "move/any_policy.hpp"
#include "sill/base/error.hpp"
#include "store/thrown.hpp"
#include "support/sizes.hpp"

namespace sill {
namespace {

using Writers = Policy::Writers;
using Call = Policy::Call;
using Align = Policy::Align;
using Sync = Policy::Sync;
using test::gib;
using test::kib;
using test::mib;

TEST(PolicyTest, PresetsNameValues) {
  EXPECT_EQ(Policy::parse("auto"), Policy::automatic());
  EXPECT_EQ(Policy::parse("direct"), Policy{});
  EXPECT_EQ(Policy::parse("staged"), (Policy{.writers = Writers::first, .stage_bytes = 256 * kib}));
  EXPECT_EQ(Policy::parse("gathered"), (Policy{.writers = Writers::root, .stage_bytes = 256 * kib}));
  EXPECT_EQ(Policy::parse("elected"), (Policy{.writers = Writers::elected, .stage_bytes = 4 * mib}));
  EXPECT_EQ(Policy::parse("aggregated"),
            (Policy{.writers = Writers::node, .stage_bytes = 16 * mib, .align = Align::stripe}));
  EXPECT_EQ(Policy::parse("independent"), (Policy{.call = Call::mpiio}));
  EXPECT_EQ(Policy::parse("collective"), (Policy{.call = Call::mpiio_collective}));
  EXPECT_EQ(policy_presets().size(), 8U);
}

TEST(PolicyTest, LentMemoryIsKeptOnlyByRequestsBehindThatWorkFromIt) {
  for (const char* text : {"direct,async=1", "direct,async=3,sync=phase,threads=2"}) {
    EXPECT_TRUE(Policy::parse(text).keeps_lent_memory()) << text;
  }
  for (const char* text : {"direct", "direct,stage=1M,async=2", "elected,async=2", "independent", "collective"}) {
    EXPECT_FALSE(Policy::parse(text).keeps_lent_memory()) << text;
  }
}

TEST(PolicyTest, EveryPolicyThatSyncsIsDurable) {
  EXPECT_FALSE(Policy::parse("direct").is_durable());
  EXPECT_FALSE(Policy::parse("elected,sync=never").is_durable());
  EXPECT_TRUE(Policy::parse("direct,sync=close").is_durable());
  EXPECT_TRUE(Policy::parse("elected,async=2,sync=phase").is_durable());
}

TEST(PolicyTest, EveryPresetIsAPolicyAndIsTold) {
  for (const PolicyPreset& preset : policy_presets()) {
    EXPECT_EQ(Policy::parse(preset.name), preset.policy) << preset.name;
    EXPECT_EQ(Policy::parse(preset.policy.text()), preset.policy) << preset.name;
    EXPECT_FALSE(preset.meaning.empty()) << preset.name;
  }
}

TEST(PolicyTest, AxesChangeWhatTheyName) {
  EXPECT_EQ(Policy::parse(
                "writers=elected,stage=1.5K,call=posix,align=1M,striping=4x1M,sync=close,async=2,threads=3,burst=none"),
            (Policy{.writers = Writers::elected,
                    .stage_bytes = 1536,
                    .call = Call::posix,
                    .align = Align::size,
                    .align_bytes = mib,
                    .stripe_count = 4,
                    .stripe_bytes = mib,
                    .sync = Sync::close,
                    .async = 2,
                    .threads = 3}));
  EXPECT_EQ(Policy::parse("direct,stage=512"), (Policy{.stage_bytes = 512}));
  EXPECT_EQ(Policy::parse("direct,writers=12"), (Policy{.writers = Writers::number, .domains = 12}));
  EXPECT_EQ(Policy::parse("direct,writers=node,align=stripe"),
            (Policy{.writers = Writers::node, .align = Align::stripe}));
  EXPECT_EQ(Policy::parse("direct,sync=phase"), (Policy{.sync = Sync::phase}));
  EXPECT_EQ(Policy::parse("staged,writers=all,threads=1"), (Policy{.stage_bytes = 256 * kib, .threads = 1}));
  EXPECT_EQ(Policy::parse("stage=1G").stage_bytes, gib);
}

TEST(PolicyTest, AxesChangeAPreset) {
  EXPECT_EQ(Policy::parse("aggregated,stage=0,align=none,writers=all"), Policy{});
  EXPECT_EQ(Policy::parse("aggregated,stage=auto,align=auto,writers=auto"), Policy::automatic());
  EXPECT_EQ(Policy::parse("collective,writers=root,call=posix"), (Policy{.writers = Writers::root}))
      << "values contradict each other only in the end";
}

// What is not named is left open, and a choice keeps what is.
TEST(PolicyTest, AxesRestrictTheChoice) {
  const Policy policy = Policy::parse("stage=4M");
  EXPECT_EQ(policy.text(),
            "writers=auto,stage=4M,call=posix,align=auto,striping=none,sync=never,async=0,threads=0,burst=none");
  EXPECT_TRUE(policy.is_automatic());
  EXPECT_TRUE(policy.allows(Policy::parse("elected,stage=4M,align=1M")));
  EXPECT_TRUE(policy.allows(Policy::parse("writers=7,stage=4M,align=none")));
  EXPECT_FALSE(policy.allows(Policy::parse("elected,stage=2M")));
  EXPECT_FALSE(policy.allows(Policy::parse("elected,stage=4M,sync=close")));
  EXPECT_EQ(policy.plainest(), Policy::parse("direct,stage=4M"));
  EXPECT_FALSE(Policy::parse("direct").is_automatic());
  EXPECT_TRUE(Policy::parse("direct").allows(Policy{}));
  EXPECT_EQ(Policy::parse("call=mpiio-collective").plainest(), Policy::parse("collective"));
}

TEST(PolicyTest, BlanksAroundPartsDoNotCount) {
  EXPECT_EQ(Policy::parse(" staged , threads=1,\tsync = close \n"), Policy::parse("staged,threads=1,sync=close"));
}

TEST(PolicyTest, WhatIsPrintedIsReadBack) {
  EXPECT_TRUE(rc::check([] {
    const Policy policy = test::any_policy();
    RC_ASSERT(Policy::parse(policy.text()) == policy);
    const PolicyPreset preset =
        *rc::gen::elementOf(std::vector<PolicyPreset>(policy_presets().begin(), policy_presets().end()));
    RC_ASSERT(Policy::parse(std::string(preset.name) + "," + policy.text()) == policy);
  }));
  EXPECT_EQ(Policy::parse("aggregated,striping=4x1M,writers=3").text(),
            "writers=3,stage=16M,call=posix,align=stripe,striping=4x1M,sync=never,async=0,threads=0,burst=none");
  EXPECT_EQ(Policy::parse("burst=/local/scratch").short_text(), "async=16,burst=/local/scratch");
  EXPECT_EQ(Policy::parse("async=2,burst=/dev/shm").async, 2);
  EXPECT_EQ(Policy::parse("direct,async=2,burst=none"), Policy::parse("direct,async=2"));
  EXPECT_EQ(Policy::parse("staged,align=1000,stage=1025,threads=1024").text(),
            "writers=first,stage=1025,call=posix,align=1000,striping=none,sync=never,async=0,threads=1024,burst=none");
}

TEST(PolicyTest, EveryAxisIsToldWithItsMeaning) {
  for (const char* text :
       {"auto", "direct", "collective", "aggregated,writers=3,striping=4x1M,sync=phase,async=2,threads=1,burst=none"}) {
    const Policy policy = Policy::parse(text);
    const std::vector<PolicyValue> values = values_of(policy);
    ASSERT_EQ(values.size(), policy_axes().size());
    for (std::size_t i = 0; i < values.size(); ++i) {
      EXPECT_EQ(values[i].axis, policy_axes()[i].name) << "axes are told in their order";
      EXPECT_FALSE(values[i].meaning.empty());
    }
  }
}

struct Wrong {
  std::string text;
  std::string problem;
  std::string hint = {};
};

void expect_refused(const std::vector<Wrong>& cases) {
  for (const Wrong& wrong : cases) {
    const auto error = test::thrown([&] { (void)Policy::parse(wrong.text); });
    ASSERT_TRUE(error) << wrong.text;
    EXPECT_EQ(error->code(), ErrorCode::usage) << wrong.text;
    EXPECT_EQ(error->parts().problem, "policy: " + wrong.problem) << wrong.text;
    EXPECT_EQ(error->parts().action, wrong.hint + std::string(see_policies)) << wrong.text;
  }
}

TEST(PolicyTest, RefusesWhatIsNoPolicy) {
  expect_refused({
      {"", "the text is empty"},
      {" \n", "the text is empty"},
      {"direct,", "an empty entry: remove the extra comma"},
      {",direct", "an empty entry: remove the extra comma"},
      {"direct, ,threads=1", "an empty entry: remove the extra comma"},
      {"fast", "unknown preset `fast`"},
      {"threads=1,direct", "the preset `direct` must come first"},
      {"stage", "the axis `stage` has no value"},
      {"direct,staged", "two presets, `direct` and `staged`"},
      {"direct,direct", "the preset `direct` is given twice"},
      {"direct,threads=1,staged", "two presets, `direct` and `staged`"},
      {"threads=1,threads=2", "the axis `threads` is given twice"},
      {"writers=all,writers=all", "the axis `writers` is given twice"},
      {"collective,stage=1M,call=posix,stage=0", "the axis `stage` is given twice"},
      {"stage=1M,align=64K, align = stripe", "the axis `align` is given twice"},
      {"striping=4x1M,striping=none", "the axis `striping` is given twice"},
      {"colour=red", "unknown axis `colour`"},
      {"=all", "`=all` does not name an axis"},
      {"=", "`=` does not name an axis"},
      {"direct, = ", "`=` does not name an axis"},
      {"writers=some", "`some` is not a value of writers"},
      {"writers=", "the axis `writers` has no value"},
      {"writers=0", "writers=0 is not a number from 1 to 2147483647"},
      {"writers=-1", "`-1` is not a value of writers"},
      {"writers=99999999999", "writers=99999999999 is not a number from 1 to 2147483647"},
      {"stage=", "the axis `stage` has no value"},
      {"stage=2G", "stage=2G is above 1G"},
      {"stage=1", "stage=1 is below 512, the smallest stage; `stage=0` means no stage"},
      {"staged,stage=511", "stage=511 is below 512, the smallest stage; `stage=0` means no stage"},
      {"call=fopen", "`fopen` is not a value of call"},
      {"sync=often", "`often` is not a value of sync"},
      {"align=0", "align=0 is not a boundary; use `align=none` for no alignment"},
      {"align=", "the axis `align` has no value"},
      {"writers=4,align=2G", "align=2G is above 1G"},
      {"striping=4", "`4` is not a value of striping; 4 stripes of 1 MiB are `4x1M`"},
      {"striping=4x", "`4x` is not a value of striping; 4 stripes of 1 MiB are `4x1M`"},
      {"striping=x", "`x` is not a value of striping; 4 stripes of 1 MiB are `4x1M`"},
      {"striping=x1M", "`x1M` is not a value of striping; 4 stripes of 1 MiB are `4x1M`"},
      {"striping=0x1M", "the number of stripes=0 is not a number from 1 to 2000"},
      {"striping=2001x1M", "the number of stripes=2001 is not a number from 1 to 2000"},
      {"striping=4x0", "striping: a stripe has at least 64K"},
      {"striping=4x2G", "the unit of striping=2G is above 1G"},
      {"striping=4x100K",
       "striping: a stripe of 100K is not a multiple of 64K, which Lustre, BeeGFS and CephFS require"},
      {"async=65", "async=65 is not a number from 0 to 64"},
      {"async=", "the axis `async` has no value"},
      {"threads=-1", "threads=-1 is not a number from 0 to 1024"},
      {"threads=1025", "threads=1025 is not a number from 0 to 1024"},
      {"threads=2x", "threads=2x is not a number from 0 to 1024"},
      {"threads=", "the axis `threads` has no value"},
  });
  for (const char* text :
       {"stage=0.1", "stage=600.5", "stage=-1", "stage=much", "stage=1X", "align=1X", "align=0.1", "striping=4x-1"}) {
    const auto error = test::thrown([&] { (void)Policy::parse(text); });
    ASSERT_TRUE(error) << text;
    EXPECT_EQ(error->code(), ErrorCode::usage) << text;
    const std::string axis(text, std::string(text).find('='));
    EXPECT_EQ(error->parts().problem.find("policy: " + axis), 0U) << error->what();
    EXPECT_EQ(error->parts().action,
              "write a size such as 500000, 256K, 64M or 1.5G (powers of 1024); see `sill policies`");
  }
}

TEST(PolicyTest, WhatAUserWroteIsToldBackWithoutHarm) {
  const std::string long_text(1000, 'a');
  const std::string cut = std::string(77, 'a') + "...";
  expect_refused({
      {long_text, "unknown preset `" + cut + "`"},
      {long_text + "=1", "unknown axis `" + cut + "`"},
      {"=" + long_text, "`=" + cut.substr(1) + "` does not name an axis"},
      {"writers=" + long_text, "`" + cut + "` is not a value of writers"},
      {"striping=" + long_text, "`" + cut + "` is not a value of striping; 4 stripes of 1 MiB are `4x1M`"},
      {"threads=" + long_text, "threads=" + cut + " is not a number from 0 to 1024"},
      {"red\x1B[31m", "unknown preset `red\\x1B[31m`"},
      {"a\nb=1", "unknown axis `a\\nb`"},
      {"sync=a\x1B", "`a\\x1B` is not a value of sync"},
      {"threads=1\x7F", "threads=1\\x7F is not a number from 0 to 1024"},
  });
  const auto error = test::thrown([] { (void)Policy::parse("stage=1\x1B"); });
  ASSERT_TRUE(error);
  EXPECT_EQ(error->parts().problem, "policy: stage '1\\x1B' has an unknown unit");
}

TEST(PolicyTest, NearMissesAreAnsweredWithWhatWasMeant) {
  expect_refused({
      {"aggregatd", "unknown preset `aggregatd`", "did you mean aggregated? "},
      {"Direct", "unknown preset `Direct`", "did you mean direct? "},
      {"stged", "unknown preset `stged`", "did you mean staged? "},
      {"posix", "unknown preset `posix`", "did you mean call=posix? "},
      {"root", "unknown preset `root`", "did you mean writers=root? "},
      {"writer=all", "unknown axis `writer`", "did you mean writers? "},
      {"writers=electd", "`electd` is not a value of writers", "did you mean elected? "},
      {"call=mpi-io", "`mpi-io` is not a value of call", "did you mean mpiio? "},
      {"align=strip", "`strip` is not a value of align", "did you mean stripe? "},
      {"sync=clsse", "`clsse` is not a value of sync", "did you mean close? "},
      {"striping=nome", "`nome` is not a value of striping; 4 stripes of 1 MiB are `4x1M`", "did you mean none? "},
  });
}

TEST(PolicyTest, ContradictionsAreRefusedWithTheReason) {
  expect_refused({
      {"collective,writers=root",
       "call=mpiio-collective can only be combined with writers=all: every rank passes its data to the MPI library, "
       "which chooses the writers"},
      {"aggregated,call=mpiio-collective",
       "call=mpiio-collective can only be combined with writers=all: every rank passes its data to the MPI library, "
       "which chooses the writers"},
      {"collective,stage=4M",
       "call=mpiio-collective can only be combined with stage=0: the MPI library combines the pieces in its own "
       "buffers"},
      {"collective,align=1M",
       "call=mpiio-collective can only be combined with align=none: the MPI library chooses the boundaries of the "
       "segments of a file"},
      {"collective,async=1",
       "async=1 needs call=posix: requests in flight run on other threads, and only the thread of the "
       "caller may call MPI"},
      {"independent,async=2",
       "async=2 needs call=posix: requests in flight run on other threads, and only the thread of the "
       "caller may call MPI"},
      {"collective,burst=/local",
       "burst needs call=posix: other threads move its data into the files, and only the thread of the caller may call "
       "MPI"},
      {"burst=/local,async=0",
       "burst needs async=1 or more: its data are moved into the files while the program continues"},
      {"direct,align=1M",
       "align has no effect: with stage=0 each piece is one request, and only writers=node and writers=N divide files "
       "into segments"},
      {"elected,stage=0,align=stripe",
       "align has no effect: with stage=0 each piece is one request, and only writers=node and writers=N divide files "
       "into segments"},
  });
}

TEST(PolicyTest, APolicyMadeByAProgramIsCheckedTheSameWay) {
  const auto refused = [](const Policy& policy) {
    const auto error = test::thrown([&] { policy.check(); });
    return error && error->code() == ErrorCode::usage;
  };
  EXPECT_TRUE(rc::check([&] { test::any_policy().check(); }));
  EXPECT_TRUE(refused({.writers = Writers::number}));
  EXPECT_TRUE(refused({.writers = Writers::all, .domains = 3}));
  EXPECT_TRUE(refused({.writers = Writers::number, .domains = -3}));
  EXPECT_TRUE(refused({.stage_bytes = -2}));
  EXPECT_TRUE(refused({.stage_bytes = 511}));
  EXPECT_TRUE(refused({.stage_bytes = gib + 1}));
  EXPECT_TRUE(refused({.stage_bytes = mib, .align = Align::size}));
  EXPECT_TRUE(refused({.stage_bytes = mib, .align = Align::stripe, .align_bytes = 4096}));
  EXPECT_TRUE(refused({.stripe_count = 4}));
  EXPECT_TRUE(refused({.stripe_bytes = mib}));
  EXPECT_TRUE(refused({.stripe_count = -1, .stripe_bytes = mib}));
  EXPECT_TRUE(refused({.async = -1}));
  EXPECT_TRUE(refused({.async = 65}));
  EXPECT_TRUE(refused({.threads = 1025}));
  EXPECT_TRUE(refused({.call = Call::mpiio, .async = 1}));
  EXPECT_TRUE(refused({.async = 1, .burst = "/a,b"}));
  EXPECT_TRUE(refused({.async = 1, .burst = " /a"}));
}

}  // namespace
}  // namespace sill
