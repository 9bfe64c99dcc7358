#include "kserve/kubernetes/api/watch_decoder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "kserve/kubernetes/scripted_api_fixture.h"

namespace inferd::kubernetes {
namespace {

using base::StatusCode;
using testing::HasSubstr;

constexpr size_t kLineBytesMax = 4096;

struct Decoded {
  std::vector<std::string> names;
  ApiResult<void> end;
};

// Decodes `text` in two pieces.
Decoded DecodeInPieces(const std::string& text, size_t cut) {
  Decoded decoded;
  WatchDecoder decoder(kLineBytesMax);
  const auto sink = [&](const WatchEvent& event) -> ApiResult<void> {
    decoded.names.push_back(NameOf(event.object).name);
    return {};
  };
  decoded.end = decoder.Feed(text.substr(0, cut), sink);
  if (decoded.end.has_value()) decoded.end = decoder.Feed(text.substr(cut), sink);
  return decoded;
}

TEST(WatchDecoderTest, EventsAreTheSameHoweverTheyComeInPieces) {
  const std::string text = EventJson("ADDED", PodJson("a", 1)) + "\r\n" +
                           EventJson("MODIFIED", PodJson("b", 2, R"(,"x":"é\n")")) +
                           EventJson("DELETED", PodJson("c", 3)) + EventJson("BOOKMARK", PodJson("", 4));
  for (size_t cut = 0; cut <= text.size(); ++cut) {
    const Decoded decoded = DecodeInPieces(text, cut);
    EXPECT_TRUE(decoded.end.has_value()) << cut;
    EXPECT_EQ(decoded.names, (std::vector<std::string>{"a", "b", "c", ""})) << cut;
  }
}

TEST(WatchDecoderTest, NothingOfALineThatIsCutIsHandedOn) {
  const std::string text = EventJson("ADDED", PodJson("a", 1)) + EventJson("ADDED", PodJson("b", 2));
  const size_t first = text.find('\n') + 1;
  for (size_t end = 0; end < text.size(); ++end) {
    EXPECT_EQ(DecodeInPieces(text.substr(0, end), 0).names.size(), end < first ? 0U : 1U) << end;
  }
}

TEST(WatchDecoderTest, AnErrorOfTheServerEndsIt) {
  const auto decoded = DecodeInPieces(
      EventJson("ERROR", StatusJson(410, "Expired", "too old")) + EventJson("ADDED", PodJson("a", 1)), 5);
  ASSERT_FALSE(decoded.end.has_value());
  EXPECT_TRUE(decoded.end.error().is_expired());
  EXPECT_TRUE(decoded.names.empty());
}

TEST(WatchDecoderTest, WhatIsNoEventEndsIt) {
  for (const char* line :
       {"x", "{}", "[]", "3", "{\"type\":\"ADDED\"}", "{\"type\":\"ADDED\",\"object\":3}",
        R"({"type":"ADDED","object":{}})", R"({"type":"SEEN","object":{"metadata":{"resourceVersion":"1"}}})",
        R"({"type":"ADDED","object":{"metadata":{"resourceVersion":"1"}}}{})", R"({"type":"ADDED","type":"ADDED"})",
        "\xff"}) {
    const auto decoded = DecodeInPieces(std::string(line) + "\n", 1);
    ASSERT_FALSE(decoded.end.has_value()) << line;
    EXPECT_EQ(decoded.end.error().status, StatusCode::kDataLoss) << line;
    EXPECT_THAT(decoded.end.error().message, HasSubstr("the watch sends what is no event: ")) << line;
  }
}

TEST(WatchDecoderTest, ALineHasALimit) {
  const std::string longest(kLineBytesMax, ' ');
  EXPECT_TRUE(DecodeInPieces(longest + "\n", 7).end.has_value());
  for (const size_t cut : {size_t{0}, size_t{7}, kLineBytesMax}) {
    const auto decoded = DecodeInPieces(longest + " \n", cut);
    ASSERT_FALSE(decoded.end.has_value());
    EXPECT_EQ(decoded.end.error().status, StatusCode::kResourceExhausted);
  }
}

TEST(WatchDecoderTest, AnErrorOfTheSinkEndsIt) {
  WatchDecoder decoder(kLineBytesMax);
  int calls = 0;
  const auto fed = decoder.Feed(EventJson("ADDED", PodJson("a", 1)) + EventJson("ADDED", PodJson("b", 2)),
                                [&](const WatchEvent&) -> ApiResult<void> {
                                  ++calls;
                                  return std::unexpected(ErrorWithoutAnswer(base::Internal("enough")));
                                });
  ASSERT_FALSE(fed.has_value());
  EXPECT_EQ(fed.error().message, "enough");
  EXPECT_EQ(calls, 1);
}

}  // namespace
}  // namespace inferd::kubernetes
