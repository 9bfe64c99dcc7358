#include "server/access_policies.h"

#include <gtest/gtest.h>

#include "config/personality.h"
#include "tests/support/temp_dir.h"

namespace inferd::server {
namespace {

using access::Group;
using base::StatusCode;
using config::EndpointGroup;

config::ServerOptions Options(const config::Personality& personality = config::DefaultPersonality()) {
  config::ServerOptions options;
  options.personality = &personality;
  return options;
}

net::RequestHead Head(std::string_view name, std::string_view value) {
  net::RequestHead head;
  head.headers.emplace_back(name, value);
  return head;
}

TEST(AccessPoliciesTest, ControlCallsAreTakenFromThisMachineUnlessTheOperatorSaysMore) {
  auto options = Options();
  EXPECT_EQ(AccessPolicies::Open(options)->http().control_from(), access::ControlFrom::kHere);
  EXPECT_EQ(AccessPolicies::Open(options)->grpc().control_from(), access::ControlFrom::kHere);
  options.access.control_from = config::ControlFrom::kAnyone;
  EXPECT_EQ(AccessPolicies::Open(options)->http().control_from(), access::ControlFrom::kAnyone);
  EXPECT_EQ(AccessPolicies::Open(options)->grpc().control_from(), access::ControlFrom::kAnyone);
}

TEST(AccessPoliciesTest, EachTransportHasItsRules) {
  auto options = Options();
  options.access.http_rules = {{.groups = {EndpointGroup::kLogging}, .header = "H", .value = "1"}};
  options.access.grpc_rules = {{.groups = {EndpointGroup::kTrace}, .header = "g", .value = "2"}};
  const auto policies = AccessPolicies::Open(options);
  ASSERT_TRUE(policies.has_value()) << policies.error().ToString();
  EXPECT_TRUE(policies->http().restricts(Group::kLogging));
  EXPECT_FALSE(policies->http().restricts(Group::kTrace));
  EXPECT_FALSE(policies->grpc().restricts(Group::kLogging));
  EXPECT_EQ(policies->grpc().Check(Group::kTrace, {}),
            base::PermissionDenied("This API is restricted, expecting header 'g'"));
  EXPECT_TRUE(policies->grpc().Check(Group::kTrace, Head("g", "2")).ok());
}

TEST(AccessPoliciesTest, TritonserversGrpcHasItsOwnNamesAndCode) {
  auto options = Options(config::TritonserverPersonality());
  options.access.http_rules =
      options.access.grpc_rules = {{.groups = {EndpointGroup::kInference}, .header = "key", .value = "v"}};
  const auto policies = AccessPolicies::Open(options);
  ASSERT_TRUE(policies.has_value());
  EXPECT_EQ(policies->http().Check(Group::kInference, {}),
            base::PermissionDenied("This API is restricted, expecting header 'key'"));
  EXPECT_EQ(policies->grpc().Check(Group::kInference, Head("key", "v")),
            base::Unavailable("This protocol is restricted, expecting header 'triton-grpc-protocol-key'"));
  EXPECT_TRUE(policies->grpc().Check(Group::kInference, Head("triton-grpc-protocol-key", "v")).ok());
}

TEST(AccessPoliciesTest, EveryGroupOfTheOptionsIsOneOfThePolicies) {
  for (int i = 0; i <= static_cast<int>(EndpointGroup::kMetrics); ++i) {
    auto options = Options();
    options.access.http_rules = {{.groups = {static_cast<EndpointGroup>(i)}, .header = "H", .value = "1"}};
    const auto policies = AccessPolicies::Open(options);
    ASSERT_TRUE(policies.has_value());
    for (size_t group = 0; group < access::kGroupCount; ++group) {
      EXPECT_EQ(policies->http().restricts(static_cast<Group>(group)), group == static_cast<size_t>(i)) << i;
    }
  }
}

TEST(AccessPoliciesTest, TokensHoldEverywhereButForHealthAndMetricsAndAreReadAgain) {
  const ::inferd::support::TempDir dir;
  dir.Write("tokens", "old\n");
  auto options = Options();
  options.access.token_rules = {{.groups = {}, .file = dir.path() / "tokens"}};
  auto policies = AccessPolicies::Open(options);
  ASSERT_TRUE(policies.has_value());
  for (const access::Policy* policy : {&policies->http(), &policies->grpc()}) {
    EXPECT_TRUE(policy->restricts(Group::kInference));
    EXPECT_TRUE(policy->restricts(Group::kLogging));
    EXPECT_FALSE(policy->restricts(Group::kHealth));
    EXPECT_FALSE(policy->restricts(Group::kMetrics));
    EXPECT_TRUE(policy->Check(Group::kInference, Head("authorization", "Bearer old")).ok());
  }
  dir.Write("tokens", "new\n");
  EXPECT_TRUE(policies->Reload().ok());
  EXPECT_TRUE(policies->http().Check(Group::kInference, Head("authorization", "Bearer new")).ok());
  EXPECT_EQ(policies->grpc().Check(Group::kInference, Head("authorization", "Bearer old")).code(),
            StatusCode::kUnauthenticated);
  dir.Remove("tokens");
  EXPECT_FALSE(policies->Reload().ok());
  EXPECT_TRUE(policies->http().Check(Group::kInference, Head("authorization", "Bearer new")).ok());
}

TEST(AccessPoliciesTest, FilesThatAreMissingOrClaimOneGroupEndTheStart) {
  const ::inferd::support::TempDir dir;
  auto options = Options();
  options.access.token_rules = {{.groups = {}, .file = dir.path() / "tokens"}};
  EXPECT_EQ(AccessPolicies::Open(options).error().code(), StatusCode::kNotFound);
  dir.Write("tokens", "t\n");
  options.access.token_rules.push_back({.groups = {EndpointGroup::kTrace}, .file = dir.path() / "tokens"});
  EXPECT_EQ(AccessPolicies::Open(options).error().code(), StatusCode::kInvalidArgument);
}

TEST(AccessPoliciesTest, GroupsThatOnlyHttpRestrictsAreWarnedOf) {
  auto options = Options();
  EXPECT_EQ(AccessPolicies::Open(options)->Gap(), "");
  options.access.http_rules = {
      {.groups = {EndpointGroup::kLogging, EndpointGroup::kMetrics}, .header = "H", .value = "1"}};
  EXPECT_TRUE(AccessPolicies::Open(options)->Gap().starts_with("1 group(s) of endpoints are restricted over HTTP"));
  options.access.grpc_rules = {{.groups = {EndpointGroup::kLogging}, .header = "g", .value = "2"}};
  EXPECT_EQ(AccessPolicies::Open(options)->Gap(), "");
}

TEST(AccessPoliciesTest, AnEmptiedTokenFileLeavesTheOldTokensAndSaysSo) {
  const inferd::support::TempDir dir;
  dir.Write("tokens", "secret\n");
  auto options = Options();
  options.access.token_rules = {{.groups = {EndpointGroup::kInference}, .file = dir.path() / "tokens"}};
  auto policies = AccessPolicies::Open(options);
  ASSERT_TRUE(policies.has_value());
  dir.Write("tokens", "");
  EXPECT_EQ(policies->Reload().code(), StatusCode::kInvalidArgument);
  EXPECT_TRUE(policies->http().Check(Group::kInference, Head("Authorization", "Bearer secret")).ok());
  EXPECT_EQ(policies->http().Check(Group::kInference, {}).code(), StatusCode::kUnauthenticated) << "it is not open";
  EXPECT_FALSE(AccessPolicies::Open(options).has_value()) << "at start it is an error";
}

}  // namespace
}  // namespace inferd::server
