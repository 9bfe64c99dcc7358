#include "kserve/local/objects/write_queue.h"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <semaphore>
#include <string>

namespace inferd::local {
namespace {

apiserver::ObjectKey KeyOf(int number) {
  return {.resource = "things", .namespace_name = "default", .name = std::to_string(number)};
}

TEST(WriteQueue, TheLastOfEachObjectStandsAndNoTwoAreUnderWay) {
  constexpr int kKeys = 7;
  constexpr int kWrites = 400;
  std::array<std::atomic<int>, kKeys> under_way = {};
  std::array<std::atomic<int>, kKeys> last = {};
  std::array<std::binary_semaphore, kKeys> done = {
      std::binary_semaphore(0), std::binary_semaphore(0), std::binary_semaphore(0), std::binary_semaphore(0),
      std::binary_semaphore(0), std::binary_semaphore(0), std::binary_semaphore(0)};
  std::atomic<bool> overlap = false;
  WriteQueue queue(4);
  for (int i = 1; i <= kWrites; ++i) {
    for (size_t key = 0; key < kKeys; ++key) {
      queue.Submit(KeyOf(static_cast<int>(key)), [&, i, key] {
        if (under_way[key].fetch_add(1) > 0) overlap = true;
        if (last[key].exchange(i) > i) overlap = true;
        under_way[key].fetch_sub(1);
        if (i == kWrites) done[key].release();
        return true;
      });
    }
  }
  for (auto& each : done) each.acquire();
  EXPECT_FALSE(overlap);
}

TEST(WriteQueue, OneThatHasNotBegunIsReplaced) {
  std::binary_semaphore begun(0);
  std::binary_semaphore go_on(0);
  std::binary_semaphore done(0);
  std::atomic<int> replaced = 0;
  WriteQueue queue(1);
  queue.Submit(KeyOf(1), [&] {
    begun.release();
    go_on.acquire();
    return false;  // not retried, because a newer write has come
  });
  begun.acquire();
  for (int i = 0; i < 5; ++i) queue.Submit(KeyOf(1), [&] { return ++replaced > 0; });
  queue.Submit(KeyOf(1), [&] {
    done.release();
    return true;
  });
  go_on.release();
  done.acquire();
  EXPECT_EQ(replaced, 0);
}

TEST(WriteQueue, OneThatFailsIsTriedAgain) {
  std::binary_semaphore done(0);
  std::atomic<int> tries = 0;
  WriteQueue queue(2, std::chrono::milliseconds(1));
  queue.Submit(KeyOf(1), [&] {
    if (++tries < 3) return false;
    done.release();
    return true;
  });
  done.acquire();
  EXPECT_EQ(tries, 3);
}

TEST(WriteQueue, WhatFailedIsReplacedToo) {
  std::binary_semaphore failed(0);
  std::binary_semaphore done(0);
  std::atomic<int> tries = 0;
  {
    WriteQueue queue(1, std::chrono::hours(1));
    queue.Submit(KeyOf(1), [&] {
      ++tries;
      return false;
    });
    // Queued after the first one.
    queue.Submit(KeyOf(2), [&] {
      failed.release();
      return true;
    });
    failed.acquire();
    queue.Submit(KeyOf(1), [&] {
      done.release();
      return true;
    });
    done.acquire();
  }
  EXPECT_LE(tries, 1);
}

TEST(WriteQueue, AtItsEndWhatWaitsIsWrittenAndWhatFailsIsDropped) {
  std::binary_semaphore begun(0);
  std::binary_semaphore go_on(0);
  std::atomic<int> failed = 0;
  std::atomic<int> written = 0;
  {
    WriteQueue queue(1, std::chrono::hours(1));
    queue.Submit(KeyOf(1), [&] {
      begun.release();
      go_on.acquire();
      ++failed;
      return false;
    });
    begun.acquire();
    queue.Submit(KeyOf(2), [&] { return ++written > 0; });
    queue.Submit(KeyOf(3), [&] { return ++failed < 0; });
    go_on.release();
  }
  EXPECT_EQ(failed, 2);
  EXPECT_EQ(written, 1);
}

}  // namespace
}  // namespace inferd::local
