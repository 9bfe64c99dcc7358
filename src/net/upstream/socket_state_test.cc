#include "net/upstream/socket_state.h"

#include <gtest/gtest.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>

#include "base/system/file_descriptor.h"

namespace inferd::net::upstream {
namespace {

TEST(SocketStateTest, BytesAndEndsAreNews) {
  std::array<int, 2> ends{};
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()), 0);
  const base::FileDescriptor ours(ends[0]);
  base::FileDescriptor theirs(ends[1]);
  EXPECT_FALSE(HasNews(ours.get()));
  ASSERT_EQ(send(theirs.get(), "x", 1, 0), 1);
  EXPECT_TRUE(HasNews(ours.get()));
  EXPECT_TRUE(HasNews(ours.get())) << "it was not taken";
  char byte = 0;
  ASSERT_EQ(recv(ours.get(), &byte, 1, 0), 1);
  EXPECT_FALSE(HasNews(ours.get()));
  // Nothing is known of a Unix socket.
  ASSERT_EQ(send(ours.get(), "x", 1, 0), 1);
  EXPECT_FALSE(IsUnacknowledged(ours.get(), 1));
  theirs.Close();
  EXPECT_TRUE(HasNews(ours.get()));
}

TEST(SocketStateTest, WhatErrorsAreOfAReset) {
  EXPECT_TRUE(IsReset(ECONNRESET));
  EXPECT_TRUE(IsReset(EPIPE));
  EXPECT_FALSE(IsReset(ETIMEDOUT));
}

}  // namespace
}  // namespace inferd::net::upstream
