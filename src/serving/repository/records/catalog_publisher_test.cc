#include "serving/repository/records/catalog_publisher.h"

#include <gtest/gtest.h>

namespace inferd::repository {
namespace {

TEST(CatalogPublisherTest, ShowsWhatChangedAndNothingWhenNothingDid) {
  core::SnapshotPublisher snapshots;
  metrics::Registry registry;
  CatalogPublisher publisher(snapshots, registry);
  ModelRecords records({});
  records.Add("a").problem = "unloaded";
  records.Add("b");
  publisher.Publish(records);
  const auto first = snapshots.Current();
  EXPECT_EQ(first->models().size(), 2u);
  EXPECT_EQ(first->FindModel("a")->reason, "unloaded");
  records.Change("a");
  publisher.Publish(records);
  EXPECT_EQ(snapshots.Current(), first);
  records.Erase("a");
  publisher.Publish(records);
  EXPECT_EQ(snapshots.Current()->FindModel("a"), nullptr);
  EXPECT_EQ(snapshots.Current()->FindModel("b"), first->FindModel("b")) << "it is shared";
}

TEST(CatalogPublisherTest, AModelIsShownOnceItsFolderWasRead) {
  core::SnapshotPublisher snapshots;
  metrics::Registry registry;
  CatalogPublisher publisher(snapshots, registry);
  ModelRecords records({});
  records.Add("a").changing = true;
  publisher.Publish(records);
  EXPECT_EQ(snapshots.Current()->FindModel("a"), nullptr);
  records.Change("a")->changing = false;
  publisher.Publish(records);
  EXPECT_NE(snapshots.Current()->FindModel("a"), nullptr);
  records.Change("a")->changing = true;
  publisher.Publish(records);
  EXPECT_NE(snapshots.Current()->FindModel("a"), nullptr) << "it is known, and changes";
}

}  // namespace
}  // namespace inferd::repository
