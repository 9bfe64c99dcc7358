#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "config/options/options_fixture.h"

namespace inferd::config {
namespace option_rows_access_test {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(AccessRowsTest, RestrictionsNameGroupsHeaderAndValue) {
  const auto parsed =
      Parse({"m", "--http-restricted-api=health,shared-memory:X-Key=a=b:c", "--http-restricted-api=logging:K=v",
             "--access-token-file=/etc/tokens", "--access-token-file=trace,metrics:./other"},
            {{"INFERD_GRPC_RESTRICTED_PROTOCOL", "health,metadata:a=1;inference:b=2"}});
  ASSERT_TRUE(parsed.has_value()) << parsed.error().ToString();
  const AccessOptions& access = parsed->options.access;
  ASSERT_EQ(access.http_rules.size(), 2u);
  EXPECT_THAT(access.http_rules[0].groups, ElementsAre(EndpointGroup::kHealth, EndpointGroup::kSharedMemory));
  EXPECT_EQ(access.http_rules[0].header, "X-Key");
  EXPECT_EQ(access.http_rules[0].value, "a=b:c");
  ASSERT_EQ(access.grpc_rules.size(), 2u);
  EXPECT_EQ(access.grpc_rules[1].header, "b");
  ASSERT_EQ(access.token_rules.size(), 2u);
  EXPECT_TRUE(access.token_rules[0].groups.empty());
  EXPECT_EQ(access.token_rules[1].file, "./other");
  EXPECT_THAT(access.token_rules[1].groups, ElementsAre(EndpointGroup::kTrace, EndpointGroup::kMetrics));
}

TEST(AccessRowsTest, MistakenRestrictionsAreErrorsThatKeepTheSecret) {
  const auto error = [](std::string rule) { return ErrorOf({"m", "--http-restricted-api=" + rule}); };
  EXPECT_THAT(error("helth:K=secret"), AllOf(HasSubstr("did you mean 'health'?"), Not(HasSubstr("secret"))));
  EXPECT_THAT(error("health,health:K=secret"),
              HasSubstr("api 'health' can not be specified in multiple config groups"));
  for (const std::string rule : {"health", "health:secret", "health=secret", "health:=secret", "health:K K=secret",
                                 "health:K=", "health:K= secret", "health:K=secret\n",
                                 "health:K:secret=", "K=secret:a=b", "health,K=secret:a=b"}) {
    EXPECT_THAT(error(rule), AllOf(HasSubstr("--http-restricted-api: "), Not(HasSubstr("secret")))) << rule;
  }
  EXPECT_THAT(ErrorOf({"m", "--http-restricted-api=health:A=1", "--http-restricted-api=trace,health:B=2"}),
              HasSubstr("api 'health' can not be specified in multiple config groups"));
  EXPECT_THAT(ErrorOf({"m", "--grpc-restricted-protocol=health:A=1", "--grpc-restricted-protocol=trace,health:B=2"}),
              HasSubstr("protocol 'health' can not be specified in multiple config groups"));
  EXPECT_THAT(ErrorOf({"m", "--grpc-restricted-protocol=x:A=1"}), HasSubstr("unknown restricted protocol 'x'"));
  EXPECT_EQ(ErrorOf({"m", "--http-restricted-api=health:A=1", "--grpc-restricted-protocol=health:A=1"}), "");
  EXPECT_THAT(ErrorOf({"m", "--access-token-file=health:"}), HasSubstr("expected [GROUP,...:]PATH"));
}

}  // namespace option_rows_access_test
}  // namespace inferd::config
