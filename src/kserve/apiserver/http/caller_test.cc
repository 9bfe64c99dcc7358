#include "kserve/apiserver/http/caller.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <string>
#include <string_view>

#include "tests/support/loopback_connection.h"

namespace inferd::apiserver {
namespace {

constexpr std::string_view kToken = "the-token";
constexpr std::string_view kShown = "Bearer the-token";

// Returns the status that refuses a request with these addresses and this Authorization header. 0 if it is not refused.
int RefusalFrom(std::string_view peer, std::string_view local, std::string_view authorization) {
  net::RequestHead head;
  head.peer = peer;
  head.local = local;
  if (!authorization.empty()) head.headers.emplace_back("authorization", authorization);
  const auto refusal = RefusalOfCaller(head, net::SecretDigest(kToken));
  return refusal.has_value() ? refusal->code : 0;
}

TEST(CallerTest, ThisUserMayAskWithTheToken) {
  const support::LoopbackConnection connection;
  for (const std::string_view shown : {"Bearer the-token", "bearer the-token", "Bearer   the-token"}) {
    EXPECT_EQ(RefusalFrom(connection.peer, connection.local, shown), 0) << shown;
  }
}

TEST(CallerTest, NobodyMayAskWithoutTheToken) {
  const support::LoopbackConnection connection;
  for (const std::string_view shown :
       {"", "Bearer", "Bearer ", "Bearer the-toke", "Bearer the-token2", "Bearer THE-TOKEN", "Basic the-token",
        "the-token", "Bearer the-token, Bearer the-token"}) {
    EXPECT_EQ(RefusalFrom(connection.peer, connection.local, shown), 401) << shown;
  }
}

TEST(CallerTest, OverAUnixSocketNoTokenIsAsked) { EXPECT_EQ(RefusalFrom("unix", "", ""), 0); }

TEST(CallerTest, AnotherUserMayNotAsk) {
  if (geteuid() != 0) GTEST_SKIP() << "needs root, to have a socket of another user";
  const support::LoopbackConnection connection;
  ASSERT_EQ(fchown(connection.client.get(), 4242, 4242), 0);
  EXPECT_EQ(RefusalFrom(connection.peer, connection.local, ""), 401);
  EXPECT_EQ(RefusalFrom(connection.peer, connection.local, kShown), 403);
}

TEST(CallerTest, NobodyMayAskFromElsewhere) {
  EXPECT_EQ(RefusalFrom("10.0.0.1:4242", "", kShown), 403) << "another machine";
  EXPECT_EQ(RefusalFrom("127.0.0.1:1", "127.0.0.1:2", kShown), 403) << "it is gone";
}

TEST(CallerTest, ARefusalIsKubernetesOwn) {
  net::RequestHead head;
  head.peer = "127.0.0.1:1";
  const ApiError refusal = RefusalOfCaller(head, net::SecretDigest(kToken)).value_or(ApiError());
  EXPECT_EQ(refusal.code, 401);
  EXPECT_EQ(refusal.reason, "Unauthorized");
  EXPECT_EQ(refusal.message, "Unauthorized");
}

}  // namespace
}  // namespace inferd::apiserver
