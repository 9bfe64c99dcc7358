#include "net/http1/head_parser.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace inferd::net::http1 {
namespace {

class HeadParserTest : public ::testing::Test {
 protected:
  int StatusOf(std::string_view text) {
    text_ = text;
    head_ = RequestHead();
    const auto framing = ParseHead(text_, limits_, head_);
    if (!framing.has_value()) return framing.error().status;
    framing_ = *framing;
    return 200;
  }
  // Parses a request with these lines after the request line and a Host.
  int StatusWith(std::string_view lines) {
    return StatusOf("POST / HTTP/1.1\r\nHost: a\r\n" + std::string(lines) + "\r\n");
  }

  Limits limits_;
  std::string text_;
  RequestHead head_;
  Framing framing_;
};

TEST_F(HeadParserTest, ReadsAWholeHead) {
  ASSERT_EQ(StatusOf("POST /v2/models/a%20b/infer?x=1 HTTP/1.1\r\nHost: h\r\nContent-Length:  42 \r\nX-Empty:\r\n\r\n"),
            200);
  EXPECT_EQ(head_.method, Method::kPost);
  EXPECT_THAT(head_.segments, ::testing::ElementsAre("v2", "models", "a b", "infer"));
  EXPECT_EQ(head_.query, "x=1");
  EXPECT_EQ(head_.content_length, 42u);
  EXPECT_EQ(head_.Find("x-empty"), "");
  EXPECT_EQ(head_.headers.size(), 3u);
  EXPECT_TRUE(framing_.keep_alive);
  EXPECT_FALSE(framing_.chunked);
}

TEST_F(HeadParserTest, RefusesBrokenRequestLines) {
  for (const char* line :
       {"GET", "GET /", "GET  HTTP/1.1", " / HTTP/1.1", "GET / HTTP/1.1 ", "GET / http/1.1", "GET / HTTP/11",
        "GET / HTTP/1.x", "G(T / HTTP/1.1", "GET /a b HTTP/1.1", "GET /\x01 HTTP/1.1", "GET /\x7f HTTP/1.1",
        "GET x HTTP/1.1", "CONNECT a:1 HTTP/1.1", "GET\t/ HTTP/1.1", "GET /%00 HTTP/1.1"}) {
    EXPECT_EQ(StatusOf(std::string(line) + "\r\nHost: a\r\n\r\n"), 400) << line;
  }
  EXPECT_EQ(StatusOf("GET / HTTP/2.0\r\nHost: a\r\n\r\n"), 505);
  EXPECT_EQ(StatusOf("GET / HTTP/1.2\r\nHost: a\r\n\r\n"), 505);
  EXPECT_EQ(StatusOf("GET /" + std::string(limits_.target_bytes_max, 'a') + " HTTP/1.1\r\nHost: a\r\n\r\n"), 414);
}

TEST_F(HeadParserTest, RefusesBrokenFields) {
  for (const char* line :
       {"X : a", ": a", "X", "X(: a", " folded", "\tfolded", "X: a\rb", "X: a\x01", "X: a\x7f", "X\x80: a"}) {
    EXPECT_EQ(StatusWith(std::string(line) + "\r\n"), 400) << line;
  }
  EXPECT_EQ(StatusWith(std::string("X: a\0b\r\n", 8)), 400);
  EXPECT_EQ(StatusWith("X: caf\xc3\xa9 \t~\r\n"), 200);
}

TEST_F(HeadParserTest, WantsExactlyOneHost) {
  EXPECT_EQ(StatusOf("GET / HTTP/1.1\r\n\r\n"), 400);
  EXPECT_EQ(StatusOf("GET / HTTP/1.1\r\nHost: a\r\nhost: a\r\n\r\n"), 400);
  EXPECT_EQ(StatusOf("GET / HTTP/1.0\r\nHost: a\r\nhost: a\r\n\r\n"), 400);
  EXPECT_EQ(StatusOf("GET / HTTP/1.0\r\n\r\n"), 200);
}

TEST_F(HeadParserTest, HostIsAHost) {
  for (const char* host : {"a", "", "A.example.:80", "[::1]:8000", "127.0.0.1", "a_b"}) {
    EXPECT_EQ(StatusOf("GET / HTTP/1.1\r\nHost: " + std::string(host) + "\r\n\r\n"), 200) << host;
  }
  for (const char* host : {"a b", "a, b", "a/b", "user@a", "a:x", "a:65536", ":80", "[::1", "[a]", "http://a"}) {
    EXPECT_EQ(StatusOf("GET / HTTP/1.1\r\nHost: " + std::string(host) + "\r\n\r\n"), 400) << host;
  }
}

// RFC 9112, 3.2.2.
TEST_F(HeadParserTest, TheHostOfTheTargetIsTheRequests) {
  ASSERT_EQ(StatusOf("GET http://b.example:81/v2/a?x=1 HTTP/1.1\r\nX: 1\r\nhost: a\r\nY: 2\r\n\r\n"), 200);
  EXPECT_EQ(head_.target, "/v2/a?x=1");
  EXPECT_EQ(head_.Find("Host"), "b.example:81");
  EXPECT_EQ(head_.headers.size(), 3u);
  EXPECT_EQ(head_.Find("Y"), "2");
  ASSERT_EQ(StatusOf("GET HTTPS://[::1]?x HTTP/1.0\r\n\r\n"), 200);
  EXPECT_EQ(head_.Find("Host"), "[::1]");
  EXPECT_EQ(head_.target, "/?x");
  // A Host must be sent too, and exactly one.
  EXPECT_EQ(StatusOf("GET http://b/ HTTP/1.1\r\n\r\n"), 400);
  EXPECT_EQ(StatusOf("GET http://b/ HTTP/1.1\r\nHost: b\r\nHost: b\r\n\r\n"), 400);
  EXPECT_EQ(StatusOf("GET http://b/ HTTP/1.1\r\nHost: b b\r\n\r\n"), 400);
  for (const char* target : {"http://", "http:///v2", "http://?x", "http://user@b/", "http://b:x/", "http://[::1/"}) {
    EXPECT_EQ(StatusOf("GET " + std::string(target) + " HTTP/1.1\r\nHost: b\r\n\r\n"), 400) << target;
  }
}

TEST_F(HeadParserTest, ContentLengthIsOneDecimalNumber) {
  for (const char* value : {"", "3, 3", "+3", "-3", "0x3", "3.0", "3 3", "a"}) {
    EXPECT_EQ(StatusWith("Content-Length: " + std::string(value) + "\r\n"), 400) << value;
  }
  EXPECT_EQ(StatusWith("Content-Length: 3\r\nContent-Length: 3\r\n"), 400);
  EXPECT_EQ(StatusWith("CONTENT-length: 3\r\ncontent-length: 3\r\n"), 400);
  EXPECT_EQ(StatusWith("Content-Length: 0003\r\n"), 200);
  EXPECT_EQ(head_.content_length, 3u);
  EXPECT_EQ(StatusWith("Content-Length: 99999999999999999999999\r\n"), 200);
  EXPECT_EQ(head_.content_length, UINT64_MAX);
}

TEST_F(HeadParserTest, TransferEncodingIsChunkedOrNothing) {
  EXPECT_EQ(StatusWith("Transfer-Encoding: Chunked\r\n"), 200);
  EXPECT_TRUE(framing_.chunked);
  for (const char* value : {"gzip", "gzip, chunked", "chunked, chunked", "identity", "", "chunked;q=1"}) {
    EXPECT_EQ(StatusWith("Transfer-Encoding: " + std::string(value) + "\r\n"), 501) << value;
  }
  EXPECT_EQ(StatusWith("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n"), 501);
  EXPECT_EQ(StatusWith("Transfer-Encoding: chunked\r\nContent-Length: 3\r\n"), 400);
  EXPECT_EQ(StatusOf("POST / HTTP/1.0\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"), 400);
}

TEST_F(HeadParserTest, KnowsWhetherTheConnectionIsKept) {
  EXPECT_EQ(StatusWith("Connection: x , Close\r\n"), 200);
  EXPECT_FALSE(framing_.keep_alive);
  EXPECT_EQ(StatusOf("GET / HTTP/1.0\r\n\r\n"), 200);
  EXPECT_FALSE(framing_.keep_alive);
  EXPECT_EQ(StatusOf("GET / HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n"), 200);
  EXPECT_TRUE(framing_.keep_alive);
}

TEST_F(HeadParserTest, ReadsExpect) {
  EXPECT_EQ(StatusWith("Expect: 100-Continue\r\nContent-Length: 1\r\n"), 200);
  EXPECT_TRUE(framing_.expect_continue);
  EXPECT_EQ(StatusWith("Expect: coffee\r\n"), 417);
  EXPECT_EQ(StatusOf("POST / HTTP/1.0\r\nExpect: 100-continue\r\n\r\n"), 200);
  EXPECT_FALSE(framing_.expect_continue);
}

TEST_F(HeadParserTest, UpgradesOnlyWithAllThatIsAskedFor) {
  const std::string upgrade = "Upgrade: h2c\r\n";
  const std::string connection = "Connection: Upgrade, HTTP2-Settings\r\n";
  const std::string settings = "HTTP2-Settings: AAMAAABk\r\n";
  EXPECT_EQ(StatusWith(upgrade + connection + settings), 200);
  EXPECT_TRUE(framing_.upgrade_h2c);
  EXPECT_EQ(framing_.http2_settings, "AAMAAABk");
  for (const std::string& lines :
       {upgrade + connection, upgrade + settings, connection + settings, upgrade + connection + settings + settings,
        upgrade + connection + settings + "Content-Length: 1\r\n"}) {
    EXPECT_EQ(StatusWith(lines), 200);
    EXPECT_FALSE(framing_.upgrade_h2c) << lines;
  }
}

// Scans `text` as if it arrived byte by byte.
HeadScanner::State ScanBytewise(HeadScanner& scanner, std::string_view text) {
  for (size_t size = 1; size < text.size(); ++size) {
    const HeadScanner::State state = scanner.Scan(text.substr(0, size));
    if (state != HeadScanner::State::kMore) return state;
  }
  return scanner.Scan(text);
}

TEST(HeadScannerTest, FindsTheEndHoweverItArrives) {
  const Limits limits;
  const std::string_view text = "\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\nbody";
  HeadScanner whole(limits);
  EXPECT_EQ(whole.Scan(text), HeadScanner::State::kDone);
  HeadScanner bytewise(limits);
  EXPECT_EQ(ScanBytewise(bytewise, text), HeadScanner::State::kDone);
  for (const HeadScanner* scanner : {&whole, &bytewise}) {
    EXPECT_EQ(text.substr(scanner->begin(), scanner->end() - scanner->begin()), "GET / HTTP/1.1\r\nHost: a\r\n\r\n");
  }
}

TEST(HeadScannerTest, RefusesBareLineFeeds) {
  const Limits limits;
  for (const char* text :
       {"GET / HTTP/1.1\nHost: a\r\n\r\n", "GET / HTTP/1.1\r\nHost: a\n\r\n", "GET / HTTP/1.1\r\n\n", "\n"}) {
    HeadScanner scanner(limits);
    EXPECT_EQ(scanner.Scan(text), HeadScanner::State::kError) << text;
    EXPECT_EQ(scanner.error().status, 400);
  }
}

TEST(HeadScannerTest, LimitsHoldBeforeTheEndIsSeen) {
  const Limits limits{.header_bytes_max = 300, .header_count_max = 3, .target_bytes_max = 50};
  const auto status_of = [&limits](const std::string& text) {
    HeadScanner scanner(limits);
    return ScanBytewise(scanner, text) == HeadScanner::State::kError ? scanner.error().status : 0;
  };
  EXPECT_EQ(status_of("GET /" + std::string(200, 'a')), 414);
  EXPECT_EQ(status_of("GET / HTTP/1.1\r\nX: " + std::string(400, 'a')), 431);
  EXPECT_EQ(status_of("GET / HTTP/1.1\r\na: 1\r\nb: 1\r\nc: 1\r\n\r\n"), 0);
  EXPECT_EQ(status_of("GET / HTTP/1.1\r\na: 1\r\nb: 1\r\nc: 1\r\nd: 1\r\n"), 431);
  EXPECT_EQ(status_of(std::string(200, '\r')), 414);
  EXPECT_EQ(status_of("\r\n\r\n\r\n\r\n\r\n\r\n\r\n\r\n\r\n\r\n"), 400);
}

}  // namespace
}  // namespace inferd::net::http1
