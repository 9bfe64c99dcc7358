#include "net/client/response_reader.h"

#include <gtest/gtest.h>

#include <vector>

namespace inferd::net {
namespace {

using State = ResponseReader::State;

struct Seen {
  std::vector<int> statuses;
  std::vector<std::string> errors;
  State last = State::kMore;
};

// Feeds `text` in pieces of `step` bytes.
Seen ReadAll(std::string_view text, size_t step) {
  Seen seen;
  ResponseReader reader;
  while (!text.empty()) {
    std::string_view piece = text.substr(0, step);
    text.remove_prefix(piece.size());
    while (!piece.empty()) {
      seen.last = reader.Read(piece);
      if (seen.last == State::kBroken) return seen;
      if (seen.last != State::kDone) continue;
      seen.statuses.push_back(reader.status());
      seen.errors.push_back(reader.error_body());
      reader.Reset();
    }
  }
  return seen;
}

constexpr std::string_view kThree =
    "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"
    "HTTP/1.1 100 Continue\r\n\r\n"
    "HTTP/1.1 404 Not Found\r\ntransfer-encoding: chunked\r\n\r\n3\r\nno \r\nA;x=y\r\n0123456789\r\n0\r\nT: v\r\n\r\n"
    "HTTP/1.1 204 No Content\r\n\r\n";

TEST(ResponseReaderTest, FindsEveryEndHoweverTheBytesCome) {
  for (size_t step = 1; step <= kThree.size(); ++step) {
    const Seen seen = ReadAll(kThree, step);
    EXPECT_EQ(seen.statuses, (std::vector<int>{200, 404, 204})) << step;
    EXPECT_EQ(seen.errors, (std::vector<std::string>{"", "no 0123456789", ""})) << step;
    EXPECT_EQ(seen.last, State::kDone);
  }
}

TEST(ResponseReaderTest, KnowsWhenTheServerCloses) {
  ResponseReader reader;
  std::string_view data = "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 0\r\n\r\n";
  EXPECT_EQ(reader.Read(data), State::kDone);
  EXPECT_FALSE(reader.keep_alive());
}

TEST(ResponseReaderTest, RefusesWhatIsNoResponse) {
  for (const char* text : {"GET / HTTP/1.1\r\n\r\n", "HTTP/1.1 OK\r\n\r\n", "HTTP/1.1 200 OK\r\nx\r\n\r\n",
                           "HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n",
                           "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n"}) {
    EXPECT_EQ(ReadAll(text, 1000).last, State::kBroken) << text;
  }
  EXPECT_EQ(ReadAll(std::string(100'000, 'x'), 1000).last, State::kBroken);
}

}  // namespace
}  // namespace inferd::net
