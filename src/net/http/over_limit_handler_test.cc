#include "net/http/over_limit_handler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/fake_session_host.h"

namespace inferd::net {
namespace {

RequestHead HeadOf(std::string_view target) {
  RequestHead head;
  head.target = target;
  return head;
}

TEST(OverLimitHandlerTest, ServesWhatIsVitalAndRefusesTheRest) {
  FakeHandler inner;
  inner.plan = [](const RequestHead&) {
    BodyPlan plan;
    plan.bytes_max = 7;
    return plan;
  };
  OverLimitHandler handler(inner, [](const RequestHead& head) { return head.target == "/health"; });
  EXPECT_EQ(handler.OnHead(HeadOf("/health")).bytes_max, 7u);
  const BodyPlan refused = handler.OnHead(HeadOf("/infer"));
  ASSERT_TRUE(refused.refuse.has_value());
  EXPECT_EQ(refused.refuse->status, 503);
  EXPECT_TRUE(refused.refuse->close);
  EXPECT_TRUE(OverLimitHandler(inner, nullptr).OnHead(HeadOf("/health")).refuse.has_value());
  handler.OnRequest({}, {});
  EXPECT_EQ(inner.requests, 1u);
}

}  // namespace
}  // namespace inferd::net
