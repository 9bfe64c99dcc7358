#include "kserve/apiserver/http/caller.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "tests/support/loopback_connection.h"

namespace inferd::apiserver {
namespace {

net::RequestHead From(std::string_view peer, std::string_view local = "") {
  net::RequestHead head;
  head.peer = peer;
  head.local = local;
  return head;
}

TEST(CallerTest, ThisUserMayAsk) {
  const support::LoopbackConnection connection;
  EXPECT_FALSE(RefusalOfCaller(From(connection.peer, connection.local)).has_value());
  EXPECT_FALSE(RefusalOfCaller(From("unix")).has_value());
}

TEST(CallerTest, AnotherUserMayNot) {
  if (geteuid() != 0) GTEST_SKIP() << "needs root, to have a socket of another user";
  const support::LoopbackConnection connection;
  ASSERT_EQ(fchown(connection.client.get(), 4242, 4242), 0);
  const auto refusal = RefusalOfCaller(From(connection.peer, connection.local));
  ASSERT_TRUE(refusal.has_value());
  EXPECT_EQ(refusal->code, 403);
}

TEST(CallerTest, NobodyMayOfWhomNothingIsKnown) {
  EXPECT_TRUE(RefusalOfCaller(From("10.0.0.1:4242")).has_value()) << "another machine";
  EXPECT_TRUE(RefusalOfCaller(From("127.0.0.1:1", "127.0.0.1:2")).has_value()) << "it is gone";
}

}  // namespace
}  // namespace inferd::apiserver
