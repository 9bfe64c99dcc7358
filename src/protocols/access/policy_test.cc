#include "protocols/access/policy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/loopback_connection.h"
#include "tests/support/temp_dir.h"

namespace inferd::access {
namespace {

using base::StatusCode;
using ::testing::HasSubstr;
using ::testing::Not;

net::RequestHead Head(std::initializer_list<std::pair<std::string_view, std::string_view>> headers) {
  net::RequestHead head;
  head.headers.assign(headers.begin(), headers.end());
  return head;
}

Policy Restricted(HeaderRefusal refusal = {}) {
  auto policy = Policy::Create({{.groups = {Group::kInference, Group::kTrace}, .header = "X-Key", .value = "secret"},
                                {.groups = {Group::kLogging}, .header = "X-Other", .value = "other"}},
                               {}, std::move(refusal));
  EXPECT_TRUE(policy.has_value());
  return *std::move(policy);
}

std::shared_ptr<const TokenFile> Tokens(const support::TempDir& dir, const std::string& text) {
  dir.Write("tokens", text);
  auto file = TokenFile::Open(dir.path() / "tokens");
  EXPECT_TRUE(file.has_value());
  return *std::move(file);
}

TEST(PolicyTest, ControlCallsMayBeTakenFromHereOnly) {
  net::RequestHead near;
  near.peer = "127.0.0.1:4242";
  net::RequestHead far;
  far.peer = "10.0.0.1:4242";
  Policy policy;
  EXPECT_TRUE(policy.CheckControl(Group::kModelRepository, ControlCall::kBrought, far).ok());
  policy.SetControlFrom(ControlFrom::kMachine);
  EXPECT_TRUE(policy.CheckControl(Group::kModelRepository, ControlCall::kBrought, near).ok());
  EXPECT_TRUE(policy.Check(Group::kModelRepository, far).ok()) << "the repository's index changes nothing";
  const base::Status refused = policy.CheckControl(Group::kModelRepository, ControlCall::kByName, far);
  EXPECT_EQ(refused.code(), StatusCode::kPermissionDenied);
  EXPECT_THAT(refused.message(), HasSubstr("--control-from"));
}

TEST(PolicyTest, OtherMachinesMayMakeTheControlCallsThatTheyAreLet) {
  net::RequestHead far;
  far.peer = "10.0.0.1:4242";
  const support::LoopbackConnection connection;
  net::RequestHead near;
  near.peer = connection.peer;
  near.local = connection.local;
  net::RequestHead socket;
  socket.peer = "unix";
  constexpr ControlCall kCalls[] = {ControlCall::kByName, ControlCall::kBrought, ControlCall::kBroughtCode,
                                    ControlCall::kReload, ControlCall::kOther};
  const struct {
    ControlFrom from;
    std::string lets;  // the allowed calls, one letter for each of kCalls
  } cases[] = {{ControlFrom::kSocket, "....."}, {ControlFrom::kHere, "....."},   {ControlFrom::kMachine, "....."},
               {ControlFrom::kNames, "x...."},  {ControlFrom::kReload, "...x."}, {ControlFrom::kModels, "xx.xx"},
               {ControlFrom::kAnyone, "xxxxx"}};
  for (const auto& each : cases) {
    Policy policy;
    policy.SetControlFrom(each.from);
    std::string lets;
    for (const ControlCall call : kCalls) {
      EXPECT_TRUE(policy.CheckControl(Group::kModelRepository, call, socket).ok());
      EXPECT_EQ(policy.CheckControl(Group::kModelRepository, call, near).ok(), each.from != ControlFrom::kSocket);
      lets += policy.CheckControl(Group::kModelRepository, call, far).ok() ? 'x' : '.';
    }
    EXPECT_EQ(lets, each.lets);
    const Policy::Brought brought = policy.CheckBrought(Group::kModelRepository, far);
    EXPECT_EQ(brought.status, policy.CheckControl(Group::kModelRepository, ControlCall::kBrought, far));
    EXPECT_EQ(brought.may_run_code, each.lets[2] == 'x');
  }
}

// A request over the loopback from a process whose user is unknown.
TEST(PolicyTest, AnyUserOfTheMachineMayBeLetIn) {
  net::RequestHead near;
  near.peer = "127.0.0.1:4242";
  Policy policy;
  policy.SetControlFrom(ControlFrom::kHere);
  const base::Status refused = policy.CheckControl(Group::kLogging, ControlCall::kOther, near);
  EXPECT_EQ(refused.code(), StatusCode::kPermissionDenied);
  EXPECT_THAT(refused.message(), HasSubstr("whose process asks is not known"));
  policy.SetControlFrom(ControlFrom::kMachine);
  EXPECT_TRUE(policy.CheckControl(Group::kLogging, ControlCall::kOther, near).ok());
}

TEST(PolicyTest, APageInABrowserControlsNothingButByARule) {
  net::RequestHead page = Head({{"Origin", "https://evil.example"}, {"X-Other", "other"}});
  page.peer = "127.0.0.1:4242";
  EXPECT_THAT(Policy().CheckControl(Group::kLogging, ControlCall::kOther, page).message(),
              HasSubstr("pages in browsers"));
  EXPECT_TRUE(Policy().Check(Group::kLogging, page).ok()) << "what changes nothing";
  EXPECT_TRUE(Restricted().CheckControl(Group::kLogging, ControlCall::kOther, page).ok());
}

TEST(PolicyTest, ARuleForAGroupSaysAllAboutWhoControlsIt) {
  Policy policy = Restricted();
  policy.SetControlFrom(ControlFrom::kHere);
  net::RequestHead far = Head({{"X-Other", "other"}});
  far.peer = "10.0.0.1:4242";
  EXPECT_TRUE(policy.CheckControl(Group::kLogging, ControlCall::kOther, far).ok());
  net::RequestHead near;
  near.peer = "127.0.0.1:4242";
  EXPECT_FALSE(policy.CheckControl(Group::kLogging, ControlCall::kOther, near).ok());
}

TEST(PolicyTest, NothingIsRestrictedAtFirst) {
  for (size_t group = 0; group < kGroupCount; ++group) {
    EXPECT_FALSE(Policy().restricts(static_cast<Group>(group)));
    EXPECT_TRUE(Policy().Check(static_cast<Group>(group), Head({})).ok());
  }
}

TEST(PolicyTest, AGroupDemandsItsHeader) {
  const Policy policy = Restricted();
  EXPECT_TRUE(policy.restricts(Group::kTrace));
  EXPECT_FALSE(policy.restricts(Group::kHealth));
  EXPECT_TRUE(policy.Check(Group::kHealth, Head({})).ok());
  EXPECT_TRUE(policy.Check(Group::kInference, Head({{"x-key", "secret"}})).ok());
  EXPECT_TRUE(policy.Check(Group::kLogging, Head({{"x-other", "other"}})).ok());

  const base::Status missing = policy.Check(Group::kTrace, Head({{"x-other", "other"}}));
  EXPECT_EQ(missing.code(), StatusCode::kPermissionDenied);
  EXPECT_EQ(missing.message(), "This API is restricted, expecting header 'X-Key'");
  for (const std::string_view wrong : {"", "s", "secre", "secret ", "secrets", "Secret", "sacret"}) {
    EXPECT_EQ(policy.Check(Group::kInference, Head({{"X-Key", wrong}})), missing) << wrong;
  }
  // Only the first header of a name counts.
  EXPECT_EQ(policy.Check(Group::kInference, Head({{"X-Key", "wrong"}, {"X-Key", "secret"}})), missing);
}

TEST(PolicyTest, RefusesInThePersonalitysWords) {
  const Policy policy =
      Restricted({.code = StatusCode::kUnavailable, .text = "This protocol is restricted, expecting "});
  const base::Status status = policy.Check(Group::kInference, Head({}));
  EXPECT_EQ(status.code(), StatusCode::kUnavailable);
  EXPECT_EQ(status.message(), "This protocol is restricted, expecting 'X-Key'");
}

TEST(PolicyTest, AGroupDemandsABearerToken) {
  const support::TempDir dir;
  const auto policy = Policy::Create({}, {{.groups = {Group::kInference}, .tokens = Tokens(dir, "alpha\nbeta==\n")}});
  ASSERT_TRUE(policy.has_value());
  const auto code = [&](std::string_view credentials) {
    const base::Status status = policy->Check(Group::kInference, Head({{"Authorization", credentials}}));
    EXPECT_THAT(status.message(), Not(HasSubstr("gamma")));
    return status.code();
  };
  EXPECT_EQ(code("Bearer alpha"), StatusCode::kOk);
  EXPECT_EQ(code("bearer   beta=="), StatusCode::kOk);
  for (const std::string_view wrong : {"", "alpha", "Bearer", "Bearer ", "Bearer  ", "Bearer gamma", "Bearer alph",
                                       "Bearer alpha ", "Basic alpha", "Beareralpha", "Bearer alpha, Bearer beta=="}) {
    EXPECT_EQ(code(wrong), StatusCode::kUnauthenticated) << wrong;
  }
  EXPECT_EQ(policy->Check(Group::kInference, Head({})).code(), StatusCode::kUnauthenticated);
  EXPECT_TRUE(policy->Check(Group::kHealth, Head({})).ok());
}

TEST(PolicyTest, HeaderAndTokenAreBothDemanded) {
  const support::TempDir dir;
  const auto policy = Policy::Create({{.groups = {Group::kTrace}, .header = "K", .value = "v"}},
                                     {{.groups = {Group::kTrace}, .tokens = Tokens(dir, "t\n")}});
  ASSERT_TRUE(policy.has_value());
  EXPECT_EQ(policy->Check(Group::kTrace, Head({{"authorization", "Bearer t"}})).code(), StatusCode::kPermissionDenied);
  EXPECT_EQ(policy->Check(Group::kTrace, Head({{"k", "v"}})).code(), StatusCode::kUnauthenticated);
  EXPECT_TRUE(policy->Check(Group::kTrace, Head({{"k", "v"}, {"authorization", "Bearer t"}})).ok());
}

TEST(PolicyTest, AGroupHasOneRuleOfAKind) {
  const support::TempDir dir;
  const auto headers = Policy::Create({{.groups = {Group::kTrace}, .header = "A", .value = "secret"},
                                       {.groups = {Group::kHealth, Group::kTrace}, .header = "B", .value = "secret"}},
                                      {});
  EXPECT_EQ(headers.error().code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(headers.error().message(), "one group of endpoints is restricted by two headers: 'A' and 'B'");
  const auto tokens = Tokens(dir, "t\n");
  EXPECT_FALSE(
      Policy::Create({}, {{.groups = {Group::kTrace}, .tokens = tokens}, {.groups = {Group::kTrace}, .tokens = tokens}})
          .has_value());
}

}  // namespace
}  // namespace inferd::access
