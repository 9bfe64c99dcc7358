#include "serving/worker/control/control_socket.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

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

TEST(ControlSocketTest, AGarbageLengthIsRefused) {
  auto [ours, theirs] = *ControlSocket::MakePair();
  const uint64_t size = ~uint64_t{0};
  ASSERT_EQ(send(theirs.descriptor(), &size, sizeof(size), 0), static_cast<ssize_t>(sizeof(size)));
  EXPECT_EQ(ours.Receive().error().code(), base::StatusCode::kInternal);
}

}  // namespace
}  // namespace inferd::worker
