#include "engines/python/worker_output.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <string>
#include <vector>

namespace inferd::python {
namespace {

using ::testing::ElementsAre;

// A host that keeps log lines. One at a time, since its functions have no context of their own.
struct LogHost {
  LogHost() {
    lines.clear();
    table.struct_size = sizeof(table);
    table.log_enabled = [](const inferd_host*, int32_t) { return 1; };
    table.log = [](const inferd_host*, int32_t level, inferd_text text) {
      EXPECT_EQ(level, INFERD_LOG_INFO);
      lines.emplace_back(text.data, text.size);
    };
  }
  inline static std::vector<std::string> lines;
  inferd_host table = {};
};

// Returns the log lines for that output.
std::vector<std::string> LinesOf(std::string_view written) {
  const LogHost host;
  auto output = WorkerOutput::Create(host.table, "inferd:m");
  EXPECT_TRUE(output.has_value());
  while (!written.empty()) {
    const ssize_t done = write((*output)->descriptor(), written.data(), written.size());
    if (done <= 0) break;
    written.remove_prefix(static_cast<size_t>(done));
  }
  (*output)->Started();
  output->reset();
  return LogHost::lines;
}

TEST(WorkerOutputTest, EachLineIsOneOfTheLogAndNamesTheWorker) {
  EXPECT_THAT(LinesOf("one\ntwo\n"), ElementsAre("worker 'inferd:m' wrote: one", "worker 'inferd:m' wrote: two"));
  EXPECT_THAT(LinesOf("\n\nhalf"), ElementsAre("worker 'inferd:m' wrote: half"));
  EXPECT_THAT(LinesOf(""), ElementsAre());
}

TEST(WorkerOutputTest, ALineWithoutEndIsCut) {
  const auto lines = LinesOf(std::string(5 * WorkerLog::kLineBytesMax, 'x') + "\nnext\n");
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_LE(lines[0].size(), WorkerLog::kLineBytesMax + 100);
  EXPECT_EQ(lines[1], "worker 'inferd:m' wrote: next");
}

// A process that has left its worker may still hold the other end.
TEST(WorkerOutputTest, EndsWhileSomebodyHasTheOtherEnd) {
  const LogHost host;
  auto output = WorkerOutput::Create(host.table, "inferd:m");
  ASSERT_TRUE(output.has_value());
  const base::FileDescriptor kept(dup((*output)->descriptor()));
  ASSERT_EQ(write(kept.get(), "last", 4), 4);
  (*output)->Started();
  output->reset();
  EXPECT_THAT(LogHost::lines, ElementsAre("worker 'inferd:m' wrote: last"));
}

}  // namespace
}  // namespace inferd::python
