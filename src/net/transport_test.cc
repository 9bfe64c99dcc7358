#include "net/transport.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>

#include <string>
#include <vector>

#include "base/system/file_descriptor.h"

namespace inferd::net {
namespace {

using State = Transport::State;

class PlainTransportTest : public ::testing::Test {
 protected:
  PlainTransportTest() {
    int pair[2] = {-1, -1};
    EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, pair), 0);
    ours_ = base::FileDescriptor(pair[0]);
    theirs_ = base::FileDescriptor(pair[1]);
  }

  base::FileDescriptor ours_;
  base::FileDescriptor theirs_;
};

TEST_F(PlainTransportTest, ReadsWhatIsThereAndSaysWhenThereIsNothing) {
  PlainTransport transport(ours_.get());
  EXPECT_EQ(transport.Handshake(), State::kOk);
  std::array<std::byte, 16> space;
  EXPECT_EQ(transport.Read(space).state, State::kWantRead);
  ASSERT_EQ(send(theirs_.get(), "hello", 5, 0), 5);
  const Transport::Progress progress = transport.Read(space);
  EXPECT_EQ(progress.state, State::kOk);
  EXPECT_EQ(progress.bytes, 5u);
  shutdown(theirs_.get(), SHUT_WR);
  EXPECT_EQ(transport.Read(space).state, State::kEof);
}

TEST_F(PlainTransportTest, GathersPiecesFromAnOffset) {
  PlainTransport transport(ours_.get());
  std::vector<base::BufferSlice> pieces;
  for (const char* text : {"xxhead ", "", "body"}) pieces.emplace_back(base::Buffer::CopyOf(text));
  const Transport::Progress progress = transport.Write(pieces, 2);
  EXPECT_EQ(progress.bytes, 9u);
  std::array<char, 16> got;
  ASSERT_EQ(recv(theirs_.get(), got.data(), got.size(), 0), 9);
  EXPECT_EQ(std::string(got.data(), 9), "head body");
}

TEST_F(PlainTransportTest, AFullSocketWaitsAndAClosedOneFails) {
  PlainTransport transport(ours_.get());
  const std::vector<base::BufferSlice> pieces{base::BufferSlice(base::Buffer::CopyOf(std::string(1 << 20, 'x')))};
  State state = State::kOk;
  while (state == State::kOk) state = transport.Write(pieces, 0).state;
  EXPECT_EQ(state, State::kWantWrite);
  theirs_.Close();
  EXPECT_EQ(transport.Write(pieces, 0).state, State::kFailed) << "and no SIGPIPE";
}

}  // namespace
}  // namespace inferd::net
