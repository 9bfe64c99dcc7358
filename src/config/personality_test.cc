#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "config/options/options_fixture.h"
#include "config/personality.h"

namespace inferd::config {
namespace {

using std::chrono::milliseconds;
using ::testing::ElementsAre;

TEST(PersonalityTest, TheProgramsNameChoosesThePersonality) {
  const auto parsed = Parse({"--model-store=/models", "--strict-readiness=false", "--exit-timeout-secs", "5",
                             "--log-verbose=1", "--enable-peer-access=false", "--http-port", "8100"},
                            {}, "/usr/bin/tritonserver");
  ASSERT_TRUE(parsed.has_value()) << parsed.error().ToString();
  EXPECT_EQ(parsed->options.personality, &TritonserverPersonality());
  EXPECT_EQ(parsed->options.server_name, "triton");
  EXPECT_EQ(parsed->options.control_mode, ControlMode::kNone);
  EXPECT_EQ(parsed->options.poll_interval, milliseconds(15'000));
  EXPECT_EQ(parsed->options.readiness, ReadinessMode::kServer);
  EXPECT_EQ(parsed->options.drain_timeout, milliseconds(5'000));
  EXPECT_THAT(parsed->warnings, ElementsAre());
  EXPECT_THAT(parsed->notes, ElementsAre("--enable-peer-access=false has no effect: there are no GPUs here"));
}

TEST(PersonalityTest, StatusCodesBecomeHttpCodes) {
  EXPECT_EQ(DefaultPersonality().HttpStatus(base::StatusCode::kResourceExhausted), 429);
  EXPECT_EQ(DefaultPersonality().HttpStatus(base::StatusCode::kDeadlineExceeded), 504);
  EXPECT_EQ(TritonserverPersonality().HttpStatus(base::StatusCode::kResourceExhausted), 503);
  EXPECT_EQ(TritonserverPersonality().HttpStatus(base::StatusCode::kAlreadyExists), 400);
}

}  // namespace
}  // namespace inferd::config
