#include "protocols/grpc_health/state.h"

#include <gtest/gtest.h>

#include "protocols/grpc_health/fake_catalog.h"

namespace inferd::grpc_health {
namespace {

class HealthStateTest : public ::testing::Test {
 protected:
  State Of(std::string_view service) const { return StateOf(environment_, service); }

  FakeCatalog catalog_;
  std::atomic<bool> draining_{false};
  const Environment environment_{.catalog = catalog_, .draining = draining_, .services = {"a.Service", "b.Service"}};
};

TEST_F(HealthStateTest, TheServerAndItsServicesAreServingWhenItIsReady) {
  EXPECT_EQ(Of(""), State::kServing);
  EXPECT_EQ(Of("a.Service"), State::kServing);
  EXPECT_EQ(Of("b.Service"), State::kServing);
  catalog_.ready = false;
  EXPECT_EQ(Of(""), State::kNotServing);
  EXPECT_EQ(Of("b.Service"), State::kNotServing);
}

TEST_F(HealthStateTest, AModelHasAStateOfItsOwn) {
  catalog_.ready = false;
  catalog_.models = {{"up", base::OkStatus()}, {"down", base::Unavailable("it fell")}};
  EXPECT_EQ(Of("up"), State::kServing);
  EXPECT_EQ(Of("down"), State::kNotServing);
}

TEST_F(HealthStateTest, OtherNamesAreUnknown) {
  EXPECT_EQ(Of("c.Service"), State::kUnknown);
  EXPECT_EQ(Of("a.service"), State::kUnknown);
}

TEST_F(HealthStateTest, ADrainingServerServesNothing) {
  catalog_.models = {{"up", base::OkStatus()}};
  draining_ = true;
  EXPECT_EQ(Of(""), State::kNotServing);
  EXPECT_EQ(Of("a.Service"), State::kNotServing);
  EXPECT_EQ(Of("up"), State::kNotServing);
  EXPECT_EQ(Of("c.Service"), State::kUnknown);
}

}  // namespace
}  // namespace inferd::grpc_health
