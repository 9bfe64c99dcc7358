#include "net/http2/ending.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "tests/support/fake_session_host.h"

namespace inferd::net::http2 {
namespace {

class EndingTest : public ::testing::Test {
 protected:
  EndingTest() {
    const uint8_t* data = nullptr;
    while (nghttp2_session_mem_send(link_.session, &data) > 0) continue;  // our SETTINGS
  }

  static nghttp2_session_callbacks& NoCallbacks() {
    static nghttp2_session_callbacks* const callbacks = [] {
      nghttp2_session_callbacks* made = nullptr;
      nghttp2_session_callbacks_new(&made);
      return made;
    }();
    return *callbacks;
  }
  std::string LastWords() {
    std::vector<base::BufferSlice> out;
    const size_t bytes = ending_.TakeLastWords(out);
    std::string text;
    for (const base::BufferSlice& slice : out) text += slice.view();
    EXPECT_EQ(text.size(), bytes);
    return text;
  }

  FakeSessionHost host_;
  Link link_{host_, NoCallbacks(), nullptr};
  StreamContext context_{link_, {}};
  StreamTable streams_{context_};
  Ending ending_{link_, streams_, context_.requests};
};

TEST_F(EndingTest, FailureSaysGoawayAndCloses) {
  streams_.Begin(1);
  ending_.Fail(NGHTTP2_ERR_FLOODED);
  EXPECT_TRUE(ending_.over());
  EXPECT_TRUE(streams_.empty());
  EXPECT_TRUE(host_.wants_write);
  EXPECT_FALSE(host_.closing);
  EXPECT_EQ(LastWords(), std::string_view("\0\0\x08\x07\0\0\0\0\0\0\0\0\0\0\0\0\x0b", 17));
  EXPECT_EQ(LastWords(), "");
  ending_.Settle();
  EXPECT_TRUE(host_.closing);
}

TEST_F(EndingTest, TheErrorCodeSaysWhoseFaultItIs) {
  ending_.Fail(NGHTTP2_ERR_BAD_CLIENT_MAGIC);
  EXPECT_EQ(LastWords().back(), NGHTTP2_PROTOCOL_ERROR);
  ending_.Fail(NGHTTP2_ERR_NOMEM);
  EXPECT_EQ(LastWords().back(), NGHTTP2_INTERNAL_ERROR);
}

TEST_F(EndingTest, ClosesBehindTheEndOfInputWhenNoRequestRuns) {
  streams_.Begin(1);
  context_.requests.Begin();
  EXPECT_TRUE(ending_.OnEof());
  EXPECT_FALSE(ending_.OnEof());
  ending_.Settle();
  EXPECT_FALSE(ending_.closing());
  context_.requests.End();
  ending_.Settle();
  EXPECT_TRUE(ending_.closing());
  EXPECT_TRUE(host_.closing);
}

TEST_F(EndingTest, WordsForItAreWrittenBeforeTheClose) {
  ending_.TerminateSaying(NGHTTP2_ENHANCE_YOUR_CALM, "why");
  EXPECT_TRUE(ending_.deaf());
  EXPECT_FALSE(ending_.over());
  ending_.Settle();
  EXPECT_TRUE(host_.wants_write);
  EXPECT_FALSE(host_.closing);
  const uint8_t* data = nullptr;
  const ssize_t bytes = nghttp2_session_mem_send(link_.session, &data);
  ASSERT_EQ(bytes, 9 + 8 + 3);
  EXPECT_EQ(std::string_view(reinterpret_cast<const char*>(data) + 17, 3), "why");
  EXPECT_EQ(nghttp2_session_mem_send(link_.session, &data), 0);
  ending_.Settle();
  EXPECT_TRUE(host_.closing);
}

TEST_F(EndingTest, AClosedConnectionAsksForNothing) {
  streams_.Begin(1);
  ending_.OnClosed();
  EXPECT_TRUE(streams_.empty());
  ending_.Settle();
  EXPECT_FALSE(host_.wants_write);
  EXPECT_FALSE(host_.closing);
}

}  // namespace
}  // namespace inferd::net::http2
