#include "engines/forest/plugin/row_threads.h"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <thread>
#include <vector>

namespace inferd::forest {
namespace {

inferd_load AnyLoad() {
  inferd_load load = {};
  load.struct_size = sizeof(load);
  return load;
}

TEST(RowThreadsTest, EveryRowIsDoneOnce) {
  for (const int count : {1, 2, 5}) {
    const RowThreads threads(AnyLoad(), count);
    for (const size_t rows : {0, 1, 7, 100}) {
      std::vector<std::atomic<int>> done(rows);
      threads.Run(rows, 10, [&](size_t begin, size_t end) {
        EXPECT_TRUE(end - begin >= 10 || rows < 20) << "rows are not worth a thread";
        for (size_t i = begin; i < end; ++i) ++done[i];
      });
      for (size_t i = 0; i < rows; ++i) EXPECT_EQ(done[i], 1) << i << " of " << rows;
    }
  }
}

TEST(RowThreadsTest, SeveralBatchesShareThem) {
  const RowThreads threads(AnyLoad(), 3);
  std::atomic<size_t> sum{0};
  std::vector<std::thread> callers;
  for (int i = 0; i < 4; ++i) {
    callers.emplace_back([&] {
      for (int call = 0; call < 50; ++call) threads.Run(30, 1, [&](size_t begin, size_t end) { sum += end - begin; });
    });
  }
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(sum, 4U * 50 * 30);
}

TEST(RowThreadsTest, WhatAPartThrowsComesOutWhenAllAreDone) {
  const RowThreads threads(AnyLoad(), 4);
  for (const size_t bad : {size_t{0}, size_t{99}}) {
    std::atomic<size_t> rows{0};
    EXPECT_THROW(threads.Run(100, 1,
                             [&](size_t begin, size_t end) {
                               rows += end - begin;
                               if (begin <= bad && bad < end) throw std::runtime_error("bad");
                             }),
                 std::runtime_error);
    EXPECT_EQ(rows, 100U);
  }
}

}  // namespace
}  // namespace inferd::forest
