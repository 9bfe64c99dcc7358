#include "net/http/socket_owner.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "tests/support/loopback_connection.h"

namespace inferd::net {
namespace {

using support::LoopbackConnection;

TEST(SocketOwnerTest, IsTheUserOfTheOtherEnd) {
  for (const bool mixed : {false, true}) {
    const LoopbackConnection connection(mixed);
    const auto owner = OwnerOfOtherEnd(connection.peer, connection.local);
    ASSERT_TRUE(owner.has_value()) << owner.error().ToString();
    EXPECT_EQ(*owner, geteuid()) << connection.peer;
  }
}

// fchown() changes a socket's owner, as if another user's process had created it.
TEST(SocketOwnerTest, TellsUsersApart) {
  if (geteuid() != 0) GTEST_SKIP() << "needs root, to have a socket of another user";
  const LoopbackConnection connection;
  ASSERT_EQ(fchown(connection.client.get(), 4242, 4242), 0);
  EXPECT_EQ(OwnerOfOtherEnd(connection.peer, connection.local), 4242U);
}

// The kernel reports a socket without a process as root's.
TEST(SocketOwnerTest, AClosedEndIsNobodys) {
  LoopbackConnection connection;
  connection.client.Close();
  const auto owner = OwnerOfOtherEnd(connection.peer, connection.local);
  ASSERT_FALSE(owner.has_value());
  EXPECT_EQ(owner.error().code(), base::StatusCode::kNotFound);
}

TEST(SocketOwnerTest, AListenerIsNoOtherEnd) {
  const LoopbackConnection connection;
  // The listener's own end, as if a client had its port.
  const auto owner = OwnerOfOtherEnd(connection.local, "127.0.0.1:1");
  ASSERT_FALSE(owner.has_value());
  EXPECT_EQ(owner.error().code(), base::StatusCode::kNotFound);
}

TEST(SocketOwnerTest, WhatIsNoAddressIsRefused) {
  for (const char* text : {"", "unix", "127.0.0.1", "127.0.0.1:", "127.0.0.1:x", "127.0.0.1:65536", "[::1]", "[::1:80",
                           "localhost:80", "127.0.0.1:80 "}) {
    const auto owner = OwnerOfOtherEnd(text, "127.0.0.1:80");
    ASSERT_FALSE(owner.has_value()) << text;
    EXPECT_EQ(owner.error().code(), base::StatusCode::kInvalidArgument) << text;
  }
}

}  // namespace
}  // namespace inferd::net
