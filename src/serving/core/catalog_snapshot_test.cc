#include "serving/core/catalog_snapshot.h"

#include <gtest/gtest.h>

namespace inferd::core {
namespace {

TEST(CatalogSnapshotTest, VersionTexts) {
  EXPECT_EQ(ParseVersion("0"), 0);
  EXPECT_EQ(ParseVersion("10"), 10);
  EXPECT_EQ(ParseVersion("9223372036854775807"), 9223372036854775807);
  for (const char* text : {"", "01", "00", "-1", "+1", "v10", "1 ", " 1", "1.0", "0x1", "1e3", "9223372036854775808"}) {
    EXPECT_EQ(ParseVersion(text), -1) << text;
  }
  EXPECT_EQ(ParseVersion(std::string_view("1\0", 2)), -1);
}

TEST(CatalogSnapshotTest, TheDefaultIsTheHighestReadyVersion) {
  CatalogSnapshot::Model model;
  EXPECT_EQ(model.Default(), nullptr);
  model.versions = {{.version = 1, .serving = {}, .state = ModelState::kReady, .reason = ""},
                    {.version = 5, .serving = {}, .state = ModelState::kReady, .reason = ""},
                    {.version = 9, .serving = {}, .state = ModelState::kUnavailable, .reason = ""}};
  EXPECT_EQ(model.Default()->version, 5);
  EXPECT_EQ(model.Find(9)->version, 9);
  EXPECT_EQ(model.Find(2), nullptr);
  EXPECT_EQ(model.Find(10), nullptr);
}

TEST(CatalogSnapshotTest, WhatIsLoadedOnDemandPrecedesALowerReadyVersion) {
  std::map<std::string, CatalogSnapshot::Model> models;
  CatalogSnapshot::Version ready{.version = 1, .serving = {}, .state = ModelState::kReady, .reason = ""};
  CatalogSnapshot::Version asleep{.version = 2, .serving = {}, .state = ModelState::kUnavailable, .reason = ""};
  asleep.on_demand = asleep.precedes_ready = true;
  models["m"].versions = {ready, asleep};
  EXPECT_EQ(models["m"].Default(), nullptr);
  models["failed"].versions = {ready, asleep};
  models["failed"].versions[1].precedes_ready = false;
  EXPECT_EQ(models["failed"].Default()->version, 1);
  models["eager"].versions = {ready};
  const CatalogSnapshot snapshot(models);
  EXPECT_TRUE(snapshot.LoadsOnDemand("m", ""));
  EXPECT_TRUE(snapshot.LoadsOnDemand("m", "2"));
  for (const char* version : {"1", "3", "x"}) EXPECT_FALSE(snapshot.LoadsOnDemand("m", version)) << version;
  EXPECT_FALSE(snapshot.LoadsOnDemand("eager", ""));
  EXPECT_FALSE(snapshot.LoadsOnDemand("none", ""));
}

TEST(CatalogSnapshotTest, NamesAreCaseSensitive) {
  std::map<std::string, CatalogSnapshot::Model> models;
  models["Model"] = {};
  const CatalogSnapshot snapshot(models);
  EXPECT_NE(snapshot.FindModel("Model"), nullptr);
  EXPECT_EQ(snapshot.FindModel("model"), nullptr);
}

TEST(CatalogSnapshotTest, LabelsNameVersions) {
  std::map<std::string, CatalogSnapshot::Model> models;
  models["m"].labels = {{"stable", 2}, {"canary", 3}};
  models["bare"] = {};
  const CatalogSnapshot snapshot(models);
  EXPECT_EQ(snapshot.FindLabel("m", "stable").value(), 2);
  EXPECT_EQ(snapshot.FindLabel("m", "canary").value(), 3);
  const auto unknown = base::InvalidArgument("Unrecognized servable version label: Stable");
  for (const char* model : {"m", "bare", "none"}) {
    EXPECT_EQ(snapshot.FindLabel(model, "Stable").error(), unknown) << model;
  }
}

TEST(CatalogSnapshotTest, StateNames) {
  EXPECT_EQ(ModelStateName(ModelState::kReady), "READY");
  EXPECT_EQ(ModelStateName(ModelState::kUnavailable), "UNAVAILABLE");
  EXPECT_EQ(ModelStateName(ModelState::kLoading), "LOADING");
  EXPECT_EQ(ModelStateName(ModelState::kUnloading), "UNLOADING");
  EXPECT_EQ(ModelStateName(ModelState::kUnknown), "UNKNOWN");
}

}  // namespace
}  // namespace inferd::core
