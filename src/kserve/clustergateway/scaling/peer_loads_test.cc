#include "kserve/clustergateway/scaling/peer_loads.h"

#include <gtest/gtest.h>

#include <atomic>

namespace inferd::clustergateway {
namespace {

const kubernetes::ObjectName kRevision = {"a", "iris-predictor-default-00001"};

LoadReport ReportOf(const std::string& gateway, double concurrency) {
  LoadReport report{.gateway = gateway, .revisions = {}};
  report.revisions[kRevision] = {.concurrency = concurrency, .rate = 1, .waiting = 1};
  return report;
}

PeerLoads::Sum AwaitComplete(const PeerLoads& loads) {
  PeerLoads::Sum sum = loads.Latest();
  while (!sum.complete) {
    std::this_thread::yield();
    sum = loads.Latest();
  }
  return sum;
}

TEST(PeerLoadsTest, TheOthersAreAddedUp) {
  const base::FakeClock clock;
  PeerLoads loads("own", clock, [](const std::string& address) -> base::Result<LoadReport> {
    return ReportOf(address == "10.0.0.1:1" ? "own" : "peer", 2);
  });
  EXPECT_TRUE(loads.Latest().complete) << "there is no other";
  loads.SetAddresses({"10.0.0.1:1", "10.0.0.2:1", "10.0.0.3:1"});
  EXPECT_FALSE(loads.Latest().complete);
  loads.SetWanted(true);
  const PeerLoads::Sum sum = AwaitComplete(loads);
  EXPECT_EQ(sum.revisions.at(kRevision), (RevisionLoad{.concurrency = 4, .rate = 2, .waiting = 2}));
  loads.SetAddresses({"10.0.0.1:1"});
  EXPECT_TRUE(loads.Latest().complete);
  EXPECT_TRUE(loads.Latest().revisions.empty());
}

TEST(PeerLoadsTest, WhatAGatewaySaidCountsForAWhile) {
  base::FakeClock clock;
  std::atomic<bool> answers{true};
  PeerLoads loads("own", clock, [&](const std::string&) -> base::Result<LoadReport> {
    if (!answers) return std::unexpected(base::Unavailable("away"));
    return ReportOf("peer", 3);
  });
  loads.SetAddresses({"10.0.0.2:1"});
  loads.SetWanted(true);
  AwaitComplete(loads);
  answers = false;
  // A request may have been in flight.
  while (loads.Latest().complete) {
    clock.AdvanceMs(1'000);
    std::this_thread::yield();
  }
  EXPECT_TRUE(loads.Latest().revisions.empty());
}

TEST(PeerLoadsTest, NoneIsAskedWhereThatIsNotWanted) {
  const base::FakeClock clock;
  std::atomic<int> asked{0};
  {
    PeerLoads loads("own", clock, [&](const std::string&) -> base::Result<LoadReport> {
      ++asked;
      return ReportOf("peer", 3);
    });
    loads.SetAddresses({"10.0.0.2:1"});
  }
  EXPECT_EQ(asked, 0);
}

}  // namespace
}  // namespace inferd::clustergateway
