#include "serving/worker/control/control_socket.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <thread>

namespace inferd::worker {
namespace {

TEST(ControlSocketTest, CarriesTextOfAnySizeAndADescriptor) {
  auto [ours, theirs] = *ControlSocket::MakePair();
  int pipe_ends[2];
  ASSERT_EQ(pipe(pipe_ends), 0);
  const std::string text(3 << 20, 'x');
  std::thread sender([&, &socket = ours] { EXPECT_TRUE(socket.Send(text, pipe_ends[1]).ok()); });
  auto message = theirs.Receive();
  sender.join();
  ASSERT_TRUE(message.has_value()) << message.error().ToString();
  EXPECT_EQ(message->text, text);
  ASSERT_TRUE(message->descriptor);
  EXPECT_EQ(write(message->descriptor.get(), "y", 1), 1);
  char byte = 0;
  EXPECT_EQ(read(pipe_ends[0], &byte, 1), 1);
  EXPECT_EQ(byte, 'y');
  close(pipe_ends[0]);
  close(pipe_ends[1]);
}

TEST(ControlSocketTest, TheOtherSidesEndIsUnavailable) {
  auto [ours, theirs] = *ControlSocket::MakePair();
  theirs.Shutdown();
  EXPECT_EQ(ours.Receive().error().code(), base::StatusCode::kUnavailable);
  EXPECT_EQ(ours.Send("x").code(), base::StatusCode::kUnavailable);
}

TEST(ControlSocketTest, TheEndIsAwaitedPastWhatWasSent) {
  auto [ours, theirs] = *ControlSocket::MakePair();
  EXPECT_FALSE(ours.AwaitEnd(std::chrono::milliseconds(1)));
  EXPECT_EQ(theirs.Receive().error(), ControlSocket::Gone());
  EXPECT_TRUE(theirs.Send("x").ok());
  theirs.Shutdown();
  EXPECT_TRUE(ours.AwaitEnd(std::chrono::hours(1)));
  EXPECT_EQ(ours.Receive()->text, "x");
}

size_t OpenDescriptors() {
  const std::filesystem::directory_iterator all("/proc/self/fd");
  return static_cast<size_t>(std::distance(begin(all), end(all)));
}

TEST(ControlSocketTest, DescriptorsThatNobodyAskedForAreClosed) {
  auto [ours, theirs] = *ControlSocket::MakePair();
  const size_t before = OpenDescriptors();
  for (int i = 0; i < 8; ++i) {
    uint64_t size = 0;
    iovec part = {.iov_base = &size, .iov_len = sizeof(size)};
    const int two[2] = {theirs.descriptor(), theirs.descriptor()};
    alignas(cmsghdr) char space[CMSG_SPACE(sizeof(two))] = {};
    msghdr header = {};
    header.msg_iov = &part;
    header.msg_iovlen = 1;
    header.msg_control = space;
    header.msg_controllen = sizeof(space);
    cmsghdr* const control = CMSG_FIRSTHDR(&header);
    control->cmsg_level = SOL_SOCKET;
    control->cmsg_type = SCM_RIGHTS;
    control->cmsg_len = CMSG_LEN(sizeof(two));
    std::memcpy(CMSG_DATA(control), two, sizeof(two));
    ASSERT_EQ(sendmsg(theirs.descriptor(), &header, 0), static_cast<ssize_t>(sizeof(size)));
    const auto message = ours.Receive();
    ASSERT_TRUE(message.has_value());
    EXPECT_TRUE(message->descriptor);
  }
  EXPECT_EQ(OpenDescriptors(), before);
}

// The deadline applies to the whole message, although each byte comes in time.
TEST(ControlSocketTest, AMessageThatComesByteByByteIsLate) {
  auto [ours, theirs] = *ControlSocket::MakePair();
  const uint64_t size = 1 << 20;
  ASSERT_EQ(send(theirs.descriptor(), &size, sizeof(size), 0), static_cast<ssize_t>(sizeof(size)));
  std::atomic<bool> over = false;
  std::thread dripping([&over, &socket = theirs] {
    while (!over && send(socket.descriptor(), "x", 1, MSG_NOSIGNAL) == 1) {
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
  });
  EXPECT_EQ(ours.ReceiveWithin(std::chrono::milliseconds(50)).error(), ControlSocket::Late());
  over = true;
  dripping.join();
}

TEST(ControlSocketTest, AReplyHasAShorterLimitThanAMessage) {
  auto [ours, theirs] = *ControlSocket::MakePair();
  const uint64_t size = ControlSocket::kReplyBytesMax + 1;
  ASSERT_EQ(send(theirs.descriptor(), &size, sizeof(size), 0), static_cast<ssize_t>(sizeof(size)));
  EXPECT_EQ(ours.Receive(ControlSocket::kForever, ControlSocket::kReplyBytesMax).error().code(),
            base::StatusCode::kInternal);
}

TEST(ControlSocketTest, AGarbageLengthIsRefused) {
  auto [ours, theirs] = *ControlSocket::MakePair();
  const uint64_t size = ~uint64_t{0};
  ASSERT_EQ(send(theirs.descriptor(), &size, sizeof(size), 0), static_cast<ssize_t>(sizeof(size)));
  EXPECT_EQ(ours.Receive().error().code(), base::StatusCode::kInternal);
}

}  // namespace
}  // namespace inferd::worker
