#include "kserve/node/replica_log.h"

#include <gtest/gtest.h>

namespace inferd::node {
namespace {

constexpr ReplicaLog::Time kNow{std::chrono::hours(1)};

TEST(ReplicaLog, GoesOnWhereItWasLeft) {
  ReplicaLog log;
  EXPECT_EQ(log.Read(0).text, "");
  log.Append("one\n", kNow);
  const ReplicaLog::Part first = log.Read(0);
  EXPECT_EQ(first.text, "one\n");
  EXPECT_FALSE(first.ended);
  log.Append("two\n", kNow);
  EXPECT_EQ(log.Read(first.next).text, "two\n");
  EXPECT_EQ(log.Read(1000).text, "");
  log.End();
  EXPECT_TRUE(log.Read(0).ended);
}

TEST(ReplicaLog, KeepsTheLastLines) {
  ReplicaLog log;
  const std::string line(999, 'x');
  for (int number = 0; number < 2000; ++number) log.Append(line + "\n", kNow);
  const ReplicaLog::Part part = log.Read(0);
  EXPECT_LE(part.text.size(), 2 * ReplicaLog::kBytesMax);
  EXPECT_GE(part.text.size(), ReplicaLog::kBytesMax - 1000);
  EXPECT_EQ(part.text.size() % 1000, 0u);
  EXPECT_EQ(part.next, 2'000'000u);
}

TEST(ReplicaLog, KnowsWhichProcessWroteWhat) {
  ReplicaLog log;
  EXPECT_EQ(log.Current().begin, 0u);
  EXPECT_FALSE(log.Previous().has_value());
  log.BeginProcess();
  log.Append("one\n", kNow);
  EXPECT_FALSE(log.Previous().has_value());
  log.BeginProcess();
  log.Append("two\n", kNow);
  EXPECT_EQ(log.Current().begin, 4u);
  ASSERT_TRUE(log.Previous().has_value());
  EXPECT_EQ(log.Previous()->begin, 0u);
  EXPECT_EQ(log.Previous()->end, 4u);
  log.BeginProcess();
  EXPECT_EQ(log.Previous()->begin, 4u);
  EXPECT_EQ(log.Previous()->end, 8u);
  EXPECT_EQ(log.Current().begin, 8u);
}

TEST(ReplicaLog, KnowsWhenWhatWasWritten) {
  using std::chrono::seconds;
  ReplicaLog log;
  EXPECT_EQ(log.PlaceAt(kNow), 0u);
  log.Append("0\n", kNow);
  log.Append("still 0\n", kNow + std::chrono::milliseconds(900));
  log.Append("2\n", kNow + seconds(2));
  log.Append("5\n", kNow + seconds(5));
  EXPECT_EQ(log.Read(log.PlaceAt(kNow - seconds(9))).text, "0\nstill 0\n2\n5\n");
  EXPECT_EQ(log.Read(log.PlaceAt(kNow + seconds(2))).text, "2\n5\n");
  EXPECT_EQ(log.Read(log.PlaceAt(kNow + seconds(3))).text, "5\n");
  EXPECT_EQ(log.Read(log.PlaceAt(kNow + seconds(6))).text, "");
}

TEST(ReplicaLog, SaysWhenWhatIsReadWasWritten) {
  ReplicaLog log;
  const ReplicaLog::Time begin = std::chrono::system_clock::from_time_t(1'000'000'000);
  log.Append("0123", begin);
  log.Append("4567", begin + std::chrono::seconds(2));
  log.Append("89", begin + std::chrono::milliseconds(2'500));
  const auto places = [&](uint64_t from) {
    std::vector<uint64_t> found;
    for (const ReplicaLog::Moment& moment : log.Read(from).moments) found.push_back(moment.place);
    return found;
  };
  EXPECT_EQ(places(0), (std::vector<uint64_t>{0, 4}));
  EXPECT_EQ(places(3), (std::vector<uint64_t>{0, 4}));
  EXPECT_EQ(places(4), (std::vector<uint64_t>{4}));
  EXPECT_EQ(places(99), (std::vector<uint64_t>{4}));
  EXPECT_TRUE(ReplicaLog().Read(0).moments.empty());
}

TEST(ReplicaLog, ForgetsWhenWhatIsGoneWasWritten) {
  using std::chrono::seconds;
  ReplicaLog log;
  const std::string line(999, 'x');
  for (int number = 0; number < 10'000; ++number) log.Append(line + "\n", kNow + seconds(number));
  EXPECT_EQ(log.PlaceAt(kNow), log.Read(0).next - log.Read(0).text.size());
  EXPECT_EQ(log.PlaceAt(kNow + seconds(9'999)), 9'999'000u);
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
