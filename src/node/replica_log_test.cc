#include "node/replica_log.h"

#include <gtest/gtest.h>

namespace inferd::node {
namespace {

TEST(ReplicaLog, GoesOnWhereItWasLeft) {
  ReplicaLog log;
  EXPECT_EQ(log.Read(0).text, "");
  log.Append("one\n");
  const ReplicaLog::Part first = log.Read(0);
  EXPECT_EQ(first.text, "one\n");
  EXPECT_FALSE(first.ended);
  log.Append("two\n");
  EXPECT_EQ(log.Read(first.next).text, "two\n");
  EXPECT_EQ(log.Read(1000).text, "");
  log.End();
  EXPECT_TRUE(log.Read(0).ended);
}

TEST(ReplicaLog, KeepsTheLastLines) {
  ReplicaLog log;
  const std::string line(999, 'x');
  for (int number = 0; number < 2000; ++number) log.Append(line + "\n");
  const ReplicaLog::Part part = log.Read(0);
  EXPECT_LE(part.text.size(), 2 * ReplicaLog::kBytesMax);
  EXPECT_GE(part.text.size(), ReplicaLog::kBytesMax - 1000);
  EXPECT_EQ(part.text.size() % 1000, 0u);
  EXPECT_EQ(part.next, 2'000'000u);
}

TEST(LastLines, AreFewAndWhole) {
  EXPECT_EQ(LastLines(""), "");
  EXPECT_EQ(LastLines("\n\r\n"), "");
  EXPECT_EQ(LastLines("one\ntwo\n"), "one\ntwo");
  std::string many;
  for (int number = 0; number < 200; ++number) many += std::to_string(number) + "\n";
  const std::string last = LastLines(many);
  EXPECT_TRUE(last.starts_with("120\n")) << last;
  EXPECT_TRUE(last.ends_with("\n199")) << last;
  const std::string line(999, 'x');
  EXPECT_EQ(LastLines(line + "\n" + line + "\n" + line), line + "\n" + line);
  EXPECT_EQ(LastLines(std::string(5000, 'x')).size(), 2048u);
}

}  // namespace
}  // namespace inferd::node
