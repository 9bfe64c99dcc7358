#include "protocols/v2/statistics.h"

#include <gtest/gtest.h>

#include "serving/core/fake_catalog.h"

namespace inferd::v2 {
namespace {

TEST(StatisticsTest, WhatIsNotThereIsSaidInTritonsWords) {
  core::FakeCatalog catalog;
  catalog.statistics = std::unexpected(base::NotFound("none"));
  EXPECT_EQ(StatisticsOf(catalog, "m", "", false).error(), base::NotFound("none"));
  EXPECT_EQ(StatisticsOf(catalog, "m", "", true).error(),
            base::InvalidArgument("requested model 'm' is not available"));
  EXPECT_EQ(StatisticsOf(catalog, "m", "2", true).error(),
            base::InvalidArgument("requested model version is not available for model 'm'"));
  EXPECT_EQ(StatisticsOf(catalog, "m", "x", true).error().code(), base::StatusCode::kNotFound);
  EXPECT_TRUE(StatisticsOf(catalog, "m", "x", true)
                  .error()
                  .message()
                  .starts_with("failed to get model version from specified version string 'x'"));
  catalog.statistics = std::vector<core::ModelStatistics>();
  EXPECT_TRUE(StatisticsOf(catalog, "m", "", false).has_value());
  EXPECT_FALSE(StatisticsOf(catalog, "m", "", true).has_value());
  EXPECT_TRUE(StatisticsOf(catalog, "", "", true).has_value());
}

}  // namespace
}  // namespace inferd::v2
