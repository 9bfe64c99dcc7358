#include "serving/repository/load/warmup.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/scheduling_fixture.h"
#include "tests/support/temp_dir.h"

namespace inferd::repository {
namespace {

using base::StatusCode;
using ::testing::HasSubstr;

config::Warmup Zeros() {
  config::Warmup warmup;
  warmup.name = "zeros";
  warmup.batch_size = 2;
  warmup.inputs["INPUT0"] = {
      .datatype = tensor::DataType::kInt32, .dims = {3}, .data = config::WarmupData::kZero, .file = ""};
  return warmup;
}

TEST(WarmupTest, RowsAreRepeatedAlongTheBatch) {
  const auto request = MakeWarmupRequest(Zeros(), "m", true, "").value();
  ASSERT_EQ(request->inputs.size(), 1u);
  EXPECT_EQ(request->inputs[0].shape, (tensor::Shape{2, 3}));
  EXPECT_EQ(request->inputs[0].data.view(), std::string(24, '\0'));
}

TEST(WarmupTest, BytesAreEmptyElements) {
  config::Warmup warmup = Zeros();
  warmup.inputs["INPUT0"].datatype = tensor::DataType::kBytes;
  const auto request = MakeWarmupRequest(warmup, "m", false, "").value();
  EXPECT_EQ(request->inputs[0].data.size(), 12u);
}

TEST(WarmupTest, AFileIsTheBytes) {
  inferd::support::TempDir dir;
  dir.Write("raw", "123456789012");
  config::Warmup warmup = Zeros();
  warmup.inputs["INPUT0"].data = config::WarmupData::kFile;
  warmup.inputs["INPUT0"].file = "raw";
  EXPECT_EQ(MakeWarmupRequest(warmup, "m", false, dir.path()).value()->inputs[0].data.view(), "123456789012");
  warmup.inputs["INPUT0"].file = "../raw";
  EXPECT_EQ(MakeWarmupRequest(warmup, "m", false, dir.path()).error().code(), StatusCode::kInvalidArgument);
  warmup.inputs["INPUT0"].file = "none";
  EXPECT_THAT(MakeWarmupRequest(warmup, "m", false, dir.path()).error().message(),
              HasSubstr("warm-up 'zeros', input 'INPUT0'"));
}

TEST(WarmupTest, TooLargeAWarmupIsRefused) {
  config::Warmup warmup = Zeros();
  warmup.inputs["INPUT0"].dims = {int64_t{1} << 40};
  EXPECT_EQ(MakeWarmupRequest(warmup, "m", false, "").error().code(), StatusCode::kInvalidArgument);
  warmup = Zeros();
  warmup.batch_size = 1u << 31;
  EXPECT_EQ(MakeWarmupRequest(warmup, "m", true, "").error().code(), StatusCode::kInvalidArgument);
}

TEST(WarmupTest, EveryInstanceIsWarmedAndNothingIsCounted) {
  base::SystemClock clock;
  scheduling::SchedulingFixture fixture(clock);
  auto version = fixture.MakeVersion({}, {}, {}, 2);
  config::Warmup warmup = Zeros();
  warmup.count = 3;
  warmup.inputs["INPUT0"].dims = {1, 3};
  EXPECT_TRUE(WarmUp(version, {warmup}, "", 2).ok());
  EXPECT_EQ(fixture.engine().executions(), 6);
  EXPECT_EQ(version->statistics().Read().success.count, 0u);
}

TEST(WarmupTest, AnErrorSaysWhichWarmup) {
  base::SystemClock clock;
  scheduling::SchedulingFixture fixture(clock);
  auto version = fixture.MakeVersion({});
  config::Warmup warmup = Zeros();
  warmup.inputs["INPUT0"].dims = {1, 2, 3};
  EXPECT_THAT(WarmUp(version, {warmup}, "", 1).message(),
              HasSubstr("warm-up 'zeros': unexpected shape for input 'INPUT0'"));
}

}  // namespace
}  // namespace inferd::repository
