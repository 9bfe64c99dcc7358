#include "trtis/own_requests.h"

#include <gtest/gtest.h>

#include "core/fake_catalog.h"

namespace inferd::trtis {
namespace {

using Kind = ServerState::Kind;

const base::Status kExiting = base::Unavailable("Server exiting");
const base::Status kNotReady = base::Unavailable("Server not ready");

TEST(OwnRequestsTest, NoneIsServedAtTheEnd) {
  const core::FakeCatalog catalog;
  std::atomic<bool> draining = false;
  const ServerState lasts("id", "1");
  const ServerState ends("id", "1", /*refuses_while_draining=*/true);
  for (const Kind kind : {Kind::kStatus, Kind::kProfile, Kind::kHealth}) {
    EXPECT_TRUE(CheckServing(kind, catalog, draining).ok());
  }
  EXPECT_TRUE(CheckInferring(ends, catalog, draining).ok());
  draining = true;
  for (const Kind kind : {Kind::kStatus, Kind::kProfile, Kind::kHealth}) {
    EXPECT_EQ(CheckServing(kind, catalog, draining), kExiting);
  }
  EXPECT_EQ(CheckInferring(ends, catalog, draining), kExiting);
  EXPECT_TRUE(CheckInferring(lasts, catalog, draining).ok()) << "it is not at its end yet";
}

TEST(OwnRequestsTest, AFailedStartTellsOfItself) {
  core::FakeCatalog catalog;
  catalog.live = false;
  const std::atomic<bool> draining = false;
  EXPECT_TRUE(CheckServing(Kind::kStatus, catalog, draining).ok());
  EXPECT_TRUE(CheckServing(Kind::kHealth, catalog, draining).ok());
  EXPECT_EQ(CheckServing(Kind::kProfile, catalog, draining), kNotReady);
  EXPECT_EQ(CheckInferring(ServerState("id", "1"), catalog, draining), kNotReady);
  EXPECT_FALSE(CheckHealth({}, "live", catalog).value());
}

TEST(OwnRequestsTest, HealthHasTwoModes) {
  core::FakeCatalog catalog;
  catalog.ready = false;
  EXPECT_TRUE(CheckHealth({}, "live", catalog).value());
  EXPECT_FALSE(CheckHealth({}, "ready", catalog).value());
  EXPECT_EQ(CheckHealth({}, "", catalog).error(), base::Status(base::StatusCode::kUnknown, "unknown health mode ''"));
  EXPECT_EQ(CheckHealth(kExiting, "live", catalog).error(), kExiting);
}

TEST(OwnRequestsTest, ProfilesAreNotTaken) {
  EXPECT_EQ(CheckProfile({}, "start"), base::Unimplemented("Profile API not enabled"));
  EXPECT_EQ(CheckProfile({}, "x"), base::InvalidArgument("Unknown profile command 'x'"));
  EXPECT_EQ(CheckProfile(kNotReady, "x"), kNotReady);
}

}  // namespace
}  // namespace inferd::trtis
