#include "serving/scheduling/queue/entry_fifo.h"

#include <gtest/gtest.h>

namespace inferd::scheduling {
namespace entry_fifo_test {

std::unique_ptr<QueueEntry> Entry(uint64_t arrival, uint64_t key, int64_t rows = 1, bool alone = false) {
  auto entry = std::make_unique<QueueEntry>();
  entry->queued.layout.rows = rows;
  entry->key.hash = key;
  entry->arrival = arrival;
  entry->alone = alone;
  return entry;
}

std::vector<uint64_t> Arrivals(const auto& entries) {
  std::vector<uint64_t> arrivals;
  for (const QueueEntry& entry : entries) arrivals.push_back(entry.arrival);
  return arrivals;
}

// Adds an entry that expires, and returns its group.
EntryFifo::Group& Expiring(EntryFifo& fifo, int64_t expires_ns) {
  auto entry = Entry(0, 7);
  entry->expires_ns = expires_ns;
  fifo.PushBack(std::move(entry));
  return *fifo.Find({7});
}

using Numbers = std::vector<uint64_t>;

TEST(EntryFifoTest, KeepsTheOrderOfAllAndOfEachKey) {
  EntryFifo fifo;
  for (uint64_t i = 0; i < 6; ++i) fifo.PushBack(Entry(i, i % 2, 3));
  EXPECT_EQ(Arrivals(fifo.entries()), (Numbers{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(Arrivals(fifo.Find({1})->entries), (Numbers{1, 3, 5}));
  EXPECT_EQ(fifo.Find({1})->rows, 9);
  EXPECT_EQ(fifo.rows(), 18);
}

TEST(EntryFifoTest, AnEntryLeavesFromAnywhere) {
  EntryFifo fifo;
  for (uint64_t i = 0; i < 4; ++i) fifo.PushBack(Entry(i, 7));
  const auto removed = fifo.Remove(*std::next(fifo.entries().begin()));
  EXPECT_EQ(removed->arrival, 1u);
  EXPECT_EQ(Arrivals(fifo.Find({7})->entries), (Numbers{0, 2, 3}));
  fifo.PushFront(fifo.Remove(*std::next(fifo.entries().begin(), 2)));
  EXPECT_EQ(Arrivals(fifo.entries()), (Numbers{3, 0, 2}));
  EXPECT_EQ(Arrivals(fifo.Find({7})->entries), (Numbers{3, 0, 2}));
}

TEST(EntryFifoTest, AKeyIsForgottenWithItsLastEntry) {
  EntryFifo fifo;
  fifo.PushBack(Entry(0, 7));
  fifo.Remove(fifo.front());
  EXPECT_EQ(fifo.Find({7}), nullptr);
  EXPECT_TRUE(fifo.empty());
  EXPECT_EQ(fifo.rows(), 0);
}

TEST(EntryFifoTest, KnowsABoundOnWhenAGroupExpires) {
  EntryFifo fifo;
  EXPECT_EQ(Expiring(fifo, 0).expires_ns, 0);
  EXPECT_EQ(Expiring(fifo, 50).expires_ns, 50);
  EXPECT_EQ(Expiring(fifo, 70).expires_ns, 50);
  fifo.Remove(*std::next(fifo.entries().begin()));
  EXPECT_EQ(fifo.Find({7})->expires_ns, 50) << "a bound, still";
  EntryFifo::RefreshExpiry(*fifo.Find({7}));
  EXPECT_EQ(fifo.Find({7})->expires_ns, 70);
}

TEST(EntryFifoTest, WhoIsAloneIsOfNoGroup) {
  EntryFifo fifo;
  fifo.PushBack(Entry(0, 7));
  fifo.PushBack(Entry(1, 7, 5, true));
  EXPECT_EQ(Arrivals(fifo.Find({7})->entries), (Numbers{0}));
  EXPECT_EQ(fifo.rows(), 6);
  EXPECT_EQ(fifo.Remove(*std::next(fifo.entries().begin()))->arrival, 1u);
}

}  // namespace entry_fifo_test
}  // namespace inferd::scheduling
