#include "kserve/apiserver/http/log_query.h"

#include <gtest/gtest.h>

namespace inferd::apiserver {
namespace {

using std::chrono::seconds;
using std::chrono::system_clock;

constexpr system_clock::time_point kNow{seconds(1'000'000)};

TEST(LogQueryTest, ParametersAreThoseOfKubernetes) {
  const auto query = ReadLogQuery(Query("previous=true&tailLines=3&limitBytes=10&sinceSeconds=60&container=c"), kNow);
  ASSERT_TRUE(query.has_value());
  EXPECT_TRUE(query->choice.previous);
  EXPECT_EQ(query->tail_lines, 3);
  EXPECT_EQ(query->bytes_max, 10);
  EXPECT_EQ(query->choice.since, kNow - seconds(60));
  const auto nothing = ReadLogQuery(Query(""), kNow);
  ASSERT_TRUE(nothing.has_value());
  EXPECT_FALSE(nothing->choice.previous || nothing->choice.since.has_value() || nothing->tail_lines.has_value());
  EXPECT_TRUE(ReadLogQuery(Query("sinceSeconds=9223372036854775807"), kNow).has_value());
}

TEST(LogQueryTest, TimesAreThoseOfRfc3339) {
  const struct {
    const char* text;
    int64_t seconds;
  } cases[] = {{"1970-01-02T00:00:00Z", 86'400},
               {"1970-01-02T00:00:00.123456Z", 86'400},
               {"1970-01-02T01:30:00%2B01:30", 86'400},
               {"1970-01-01T23:00:00-01:00", 86'400}};
  for (const auto& one : cases) {
    const auto query = ReadLogQuery(Query("sinceTime=" + std::string(one.text)), kNow);
    ASSERT_TRUE(query.has_value()) << one.text;
    EXPECT_EQ(query->choice.since, system_clock::time_point(seconds(one.seconds))) << one.text;
  }
}

TEST(LogQueryTest, WhatIsNoneIsRefused) {
  for (const char* text : {"tailLines=x", "tailLines=-1", "limitBytes=1.5", "sinceSeconds=1h", "sinceTime=yesterday",
                           "sinceTime=1970-01-02T00:00:00", "sinceTime=1970-01-02T00:00:00Z%20",
                           "sinceTime=1970-01-02T00:00:00Z&sinceSeconds=1"}) {
    const auto query = ReadLogQuery(Query(text), kNow);
    ASSERT_FALSE(query.has_value()) << text;
    EXPECT_EQ(query.error().code, 400) << text;
  }
}

const auto kBillion = std::chrono::system_clock::from_time_t(1'000'000'000);

// One pod, p, whose process has restarted after "old\n".
class FakeLogs final : public LogSource {
 public:
  std::optional<LogPart> ReadLog(std::string_view, std::string_view pod, uint64_t offset) const override {
    if (pod != "p") return std::nullopt;
    return LogPart{.text = text.substr(offset),
                   .next = text.size(),
                   .ended = false,
                   .moments = {{0, kBillion}, {8, kBillion + std::chrono::milliseconds(1'500)}}};
  }
  std::optional<LogSpan> FindLog(std::string_view, std::string_view pod, const LogChoice& choice) const override {
    if (pod != "p" || (choice.previous && !restarted)) return std::nullopt;
    if (choice.previous) return LogSpan{.begin = 0, .end = 4};
    return LogSpan{.begin = restarted ? uint64_t{4} : 0, .end = std::nullopt};
  }

  std::string text = "old\n1\n2\n3\n";
  bool restarted = true;
};

ApiResult<LogPart> Read(const FakeLogs& logs, std::string_view parameters, std::string_view pod = "p") {
  const ApiPath path{.type = FindResource("", "v1", "pods"), .namespace_name = "n", .name = pod, .subresource = {}};
  return ReadChosenLog(logs, path, *ReadLogQuery(Query(parameters), kNow));
}

TEST(ChosenLogTest, IsThePartThatIsAskedFor) {
  const FakeLogs logs;
  const struct {
    const char* parameters;
    const char* text;
    bool ended;
  } cases[] = {
      {"", "1\n2\n3\n", false},
      {"previous=true", "old\n", true},
      {"tailLines=2", "2\n3\n", false},
      {"tailLines=0", "", false},
      {"tailLines=9", "1\n2\n3\n", false},
      {"limitBytes=3", "1\n2", true},
      {"limitBytes=99", "1\n2\n3\n", false},
      {"previous=true&tailLines=1", "old\n", true},
      {"timestamps=true&tailLines=2", "2001-09-09T01:46:40.000000000Z 2\n2001-09-09T01:46:41.500000000Z 3\n", false},
      {"timestamps=true&previous=true", "2001-09-09T01:46:40.000000000Z old\n", true},
      {"timestamps=true&limitBytes=4", "2001", true}};
  for (const auto& one : cases) {
    const auto part = Read(logs, one.parameters);
    ASSERT_TRUE(part.has_value()) << one.parameters;
    EXPECT_EQ(part->text, one.text) << one.parameters;
    EXPECT_EQ(part->next, 10u);
    EXPECT_EQ(part->ended, one.ended) << one.parameters;
  }
}

TEST(ChosenLogTest, WhatThereIsNotIsTold) {
  FakeLogs logs;
  EXPECT_EQ(Read(logs, "", "q").error().code, 404);
  EXPECT_EQ(Read(logs, "previous=true", "q").error().code, 404);
  logs.restarted = false;
  EXPECT_EQ(Read(logs, "previous=true").error().message,
            "previous terminated container \"kserve-container\" in pod \"p\" not found");
}

}  // namespace
}  // namespace inferd::apiserver
