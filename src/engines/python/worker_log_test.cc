#include "engines/python/worker_log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

namespace inferd::python {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

// A host that keeps log lines. One at a time, since its functions have no context of their own.
class WorkerLogTest : public ::testing::Test {
 protected:
  WorkerLogTest() {
    lines_.clear();
    host_.struct_size = sizeof(host_);
    host_.log_enabled = [](const inferd_host*, int32_t level) { return level == INFERD_LOG_VERBOSE ? 0 : 1; };
    host_.log = [](const inferd_host*, int32_t, inferd_text text) { lines_.emplace_back(text.data, text.size); };
    log_ = std::make_unique<WorkerLog>(host_);
    log_->SetInstance("m_0_0");
  }

  void WriteMany(size_t count, const std::string& text, WorkerLog::Clock::time_point at) {
    for (size_t i = 0; i < count; ++i) log_->Write(INFERD_LOG_INFO, text, at);
  }

  inline static std::vector<std::string> lines_;
  inferd_host host_ = {};
  std::unique_ptr<WorkerLog> log_;
  const WorkerLog::Clock::time_point begin_ = WorkerLog::Clock::now();
};

TEST_F(WorkerLogTest, WhatNobodySeesCountsForNothing) {
  for (size_t i = 0; i < 2 * WorkerLog::kLinesMax; ++i) log_->Write(INFERD_LOG_VERBOSE, "x", begin_);
  log_->Write(INFERD_LOG_INFO, "seen", begin_);
  log_.reset();
  EXPECT_THAT(lines_, ElementsAre("seen"));
}

TEST_F(WorkerLogTest, LinesWithoutEndAreLeftOutAndCounted) {
  WriteMany(WorkerLog::kLinesMax + 500, "x", begin_);
  ASSERT_THAT(lines_, SizeIs(WorkerLog::kLinesMax + 1));
  EXPECT_THAT(lines_.back(), HasSubstr("model instance m_0_0 writes more than 10000 lines"));
  log_->Write(INFERD_LOG_INFO, "later", begin_ + WorkerLog::kWindow);
  EXPECT_THAT(std::vector(lines_.end() - 2, lines_.end()),
              ElementsAre("model instance m_0_0 wrote 500 lines that were left out of the log", "later"));
}

TEST_F(WorkerLogTest, AShortBurstIsInTheLog) {
  for (int window = 0; window < 3; ++window) {
    WriteMany(WorkerLog::kLinesMax, "x", begin_ + window * WorkerLog::kWindow);
  }
  log_.reset();
  EXPECT_THAT(lines_, SizeIs(3 * WorkerLog::kLinesMax));
}

TEST_F(WorkerLogTest, LongLinesAreShortenedAndCountByTheirBytes) {
  const std::string long_line(WorkerLog::kLineBytesMax * 4, 'x');
  WriteMany(WorkerLog::kBytesMax / WorkerLog::kLineBytesMax + 10, long_line, begin_);
  EXPECT_LE(lines_[0].size(), WorkerLog::kLineBytesMax + 3);
  EXPECT_LE(lines_.size(), WorkerLog::kBytesMax / WorkerLog::kLineBytesMax + 1);
  EXPECT_THAT(lines_.back(), HasSubstr("what follows in that time is left out"));
  log_.reset();
  EXPECT_THAT(lines_.back(), HasSubstr("lines that were left out of the log"));
}

}  // namespace
}  // namespace inferd::python
