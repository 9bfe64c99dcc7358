#include "protocols/tfs/version_status.h"

#include <gtest/gtest.h>

#include "serving/core/fake_catalog.h"

namespace inferd::tfs {
namespace {

using core::ModelState;

core::IndexEntry Entry(std::string version, ModelState state, std::string reason = "",
                       base::StatusCode failed_code = base::StatusCode::kOk) {
  return {.name = "m",
          .version = std::move(version),
          .state = state,
          .reason = std::move(reason),
          .repository = "",
          .failed_code = failed_code};
}

TEST(VersionStatusTest, AVersionThatCouldNotBeLoadedHasFailed) {
  EXPECT_EQ(StatusOf(Entry("1", ModelState::kReady)).state, VersionState::kAvailable);
  EXPECT_EQ(VersionStateName(StatusOf(Entry("1", ModelState::kUnknown)).state), "START");
  EXPECT_TRUE(StatusOf(Entry("1", ModelState::kUnavailable, "unloaded")).error.ok());
  core::IndexEntry asleep = Entry("1", ModelState::kUnavailable, "not loaded: waits for a request");
  asleep.on_demand = true;
  EXPECT_EQ(VersionStateName(StatusOf(asleep).state), "START");
  EXPECT_TRUE(StatusOf(asleep).error.ok());
  const VersionStatus failed =
      StatusOf(Entry("1", ModelState::kUnavailable, "no such operator", base::StatusCode::kNotFound));
  EXPECT_EQ(VersionStateName(failed.state), "END");
  EXPECT_EQ(failed.error, base::NotFound("no such operator"));
}

TEST(FindVersionsTest, AllOrTheOneAskedFor) {
  core::FakeCatalog catalog;
  catalog.versions = std::vector{Entry("1", ModelState::kReady), Entry("2", ModelState::kReady)};
  const auto all = FindVersions(catalog, {"m", "", ""});
  ASSERT_EQ(all->size(), 2u);
  EXPECT_EQ(all->front().version, "2") << "the newest first";
  EXPECT_EQ(FindVersions(catalog, {"m", "02", ""})->at(0).version, "2");
  EXPECT_EQ(FindVersions(catalog, {"m", "3", ""}).error(), base::NotFound("Could not find version 3 of model m"));
  catalog.versions = std::unexpected(base::NotFound("no"));
  EXPECT_EQ(FindVersions(catalog, {"m", "", ""}).error(), base::NotFound("Could not find any versions of model m"));
}

}  // namespace
}  // namespace inferd::tfs
