#include "protocols/trtis/model_version.h"

#include <gtest/gtest.h>

#include "serving/core/fake_catalog.h"
#include "serving/core/fake_dispatcher.h"

namespace inferd::trtis {
namespace {

TEST(ModelVersionTest, TheLatestIsNoneOrNegative) {
  for (const char* text : {"", "-1", "-7", "-01", "-99999999999999999999"}) EXPECT_EQ(*ReadVersion(text), "") << text;
  EXPECT_EQ(*ReadVersion(int64_t{-1}), "");
}

TEST(ModelVersionTest, ANumberIsOneOf32Bits) {
  EXPECT_EQ(*ReadVersion("0"), "0");
  EXPECT_EQ(*ReadVersion("-0"), "0");
  EXPECT_EQ(*ReadVersion("007"), "7");
  EXPECT_EQ(*ReadVersion("4294967295"), "4294967295");
  EXPECT_EQ(*ReadVersion(int64_t{4294967295}), "4294967295");
  for (const char* text : {"4294967296", "99999999999999999999", "abc", "-", "1a", " 1", "+1", "1.0"}) {
    EXPECT_EQ(ReadVersion(text).error().code(), base::StatusCode::kInvalidArgument) << text;
  }
  EXPECT_FALSE(ReadVersion(int64_t{4294967296}).has_value());
  EXPECT_EQ(*VersionNumber("4294967295"), 4294967295u);
  EXPECT_FALSE(VersionNumber("4294967296").has_value());
  EXPECT_FALSE(VersionNumber("").has_value());
}

TEST(ModelVersionTest, WhatIsNotThereIsNotFound) {
  core::FakeDispatcher dispatcher;
  core::FakeCatalog catalog;
  catalog.versions = std::unexpected(base::NotFound("none"));
  EXPECT_EQ(FindModel(dispatcher, catalog, "m", "").error(),
            base::NotFound("no status available for unknown model 'm'"));
  catalog.versions = std::vector<core::IndexEntry>(1);
  EXPECT_EQ(FindModel(dispatcher, catalog, "m", "9").error(),
            base::NotFound("Servable not found for request: Specific(m, 9)"));
  dispatcher.unavailable = "it is loading";
  EXPECT_EQ(FindModel(dispatcher, catalog, "m", "").error(),
            base::NotFound("Servable not found for request: Latest(m): it is loading"));
}

}  // namespace
}  // namespace inferd::trtis
