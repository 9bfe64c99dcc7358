#include "serving/core/snapshot_publisher.h"

#include <gtest/gtest.h>

namespace inferd::core {
namespace {

std::shared_ptr<const CatalogSnapshot> With(const std::string& model) {
  std::map<std::string, CatalogSnapshot::Model> models;
  models[model] = {};
  return std::make_shared<CatalogSnapshot>(models);
}

TEST(SnapshotPublisherTest, StartsEmpty) {
  SnapshotPublisher publisher;
  SnapshotReader reader(publisher);
  EXPECT_TRUE(reader.Get().models().empty());
}

TEST(SnapshotPublisherTest, AReaderSeesWhatWasPublishedBefore) {
  SnapshotPublisher publisher;
  SnapshotReader reader(publisher);
  SnapshotReader other(publisher);
  EXPECT_EQ(reader.Get().FindModel("m"), nullptr);
  publisher.Publish(With("m"));
  EXPECT_NE(reader.Get().FindModel("m"), nullptr);
  EXPECT_NE(other.Get().FindModel("m"), nullptr);
  publisher.Publish(With("n"));
  EXPECT_EQ(reader.Get().FindModel("m"), nullptr);
  EXPECT_NE(reader.Get().FindModel("n"), nullptr);
}

TEST(SnapshotPublisherTest, AnUnchangedSnapshotIsNotTakenAgain) {
  SnapshotPublisher publisher;
  publisher.Publish(With("m"));
  SnapshotReader reader(publisher);
  const CatalogSnapshot* first = &reader.Get();
  EXPECT_EQ(&reader.Get(), first);
}

TEST(SnapshotPublisherTest, ReadersOnOtherThreadsNeverGoBack) {
  SnapshotPublisher publisher;
  std::atomic<int> published{0};
  std::vector<std::thread> readers;
  for (int t = 0; t < 3; ++t) {
    readers.emplace_back([&] {
      SnapshotReader reader(publisher);
      for (int before = 0; before < 200;) {
        before = published.load(std::memory_order_acquire);
        int seen = 0;
        reader.Get().models().ForEach([&](const std::string& name, const auto&) { seen = std::stoi(name); });
        EXPECT_GE(seen, before);
      }
    });
  }
  for (int i = 1; i <= 200; ++i) {
    publisher.Publish(With(std::to_string(i)));
    published.store(i, std::memory_order_release);
  }
  for (auto& reader : readers) reader.join();
}

}  // namespace
}  // namespace inferd::core
