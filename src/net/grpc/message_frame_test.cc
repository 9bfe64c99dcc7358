#include "net/grpc/message_frame.h"

#include <gtest/gtest.h>

#include "net/grpc/fake_call.h"

namespace inferd::net::grpc {
namespace {

using Pieces = boost::container::small_vector<base::BufferSlice, 2>;

std::string TextOf(const Pieces& pieces) {
  std::string text;
  for (const base::BufferSlice& piece : pieces) text += piece.view();
  return text;
}

TEST(MessageFrameTest, ShortMessagesAreOnePiece) {
  Message message = MessageOf("ab");
  message.emplace_back();
  message.emplace_back(base::Buffer::CopyOf("cd"));
  EXPECT_EQ(BytesOf(message), 4u);
  Pieces pieces;
  AppendFrame(std::move(message), FrameFlag::kPlain, pieces);
  EXPECT_EQ(pieces.size(), 1u);
  EXPECT_EQ(TextOf(pieces), Framed("abcd"));
}

TEST(MessageFrameTest, LongPiecesAreNotCopied) {
  const std::string bulk(100'000, 'b');
  Message message = MessageOf("head");
  message.emplace_back(base::Buffer::CopyOf(bulk));
  message.emplace_back(base::Buffer::CopyOf("tail"));
  const std::byte* data = message[1].data();
  Pieces pieces;
  AppendFrame(std::move(message), FrameFlag::kCompressed, pieces);
  ASSERT_EQ(pieces.size(), 3u);
  EXPECT_EQ(pieces[1].data(), data);
  EXPECT_EQ(TextOf(pieces), Framed("head" + bulk + "tail", 1));
}

TEST(MessageFrameTest, AnEmptyMessageIsItsPrefix) {
  Pieces pieces;
  AppendFrame({}, FrameFlag::kPlain, pieces);
  EXPECT_EQ(TextOf(pieces), std::string(5, '\0'));
}

}  // namespace
}  // namespace inferd::net::grpc
