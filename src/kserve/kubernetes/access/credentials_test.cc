#include "kserve/kubernetes/access/credentials.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text/utc_time.h"
#include "tests/support/temp_dir.h"

namespace inferd::kubernetes {
namespace {

using base::StatusCode;
using testing::HasSubstr;

constexpr const char* kVersion = "client.authentication.k8s.io/v1";
constexpr int64_t kStartNs = 1'800'000'000'000'000'000;

std::string CredentialJson(const std::string& status) {
  return std::string(R"({"apiVersion":")") + kVersion + R"(","kind":"ExecCredential","status":)" + status + "}";
}

TEST(CredentialsTest, ATokenFileIsReadAgainAfterAMinuteAndWhenItIsRefused) {
  support::TempDir dir;
  base::FakeClock clock(kStartNs);
  ClusterAccess access;
  access.user.token_file = (dir.path() / "token").string();
  Credentials credentials(access, clock);
  EXPECT_EQ(credentials.Get().error().code(), StatusCode::kNotFound);
  dir.Write("token", "one\n");
  const Identity first = credentials.Get().value();
  EXPECT_EQ(first.authorization, "Bearer one");
  dir.Write("token", "two\n");
  clock.AdvanceMs(59'999);
  EXPECT_EQ(credentials.Get()->authorization, "Bearer one");
  clock.AdvanceMs(1);
  EXPECT_EQ(credentials.Get()->authorization, "Bearer two");
  // A refusal of an identity that was replaced meanwhile has no effect.
  dir.Write("token", "three\n");
  credentials.Refuse(first);
  EXPECT_EQ(credentials.Get()->authorization, "Bearer two");
  credentials.Refuse(credentials.Get().value());
  EXPECT_EQ(credentials.Get()->authorization, "Bearer three");
  // A file that is missing for a while, or incomplete, must not stop the client.
  dir.Remove("token");
  clock.AdvanceMs(60'000);
  EXPECT_EQ(credentials.Get()->authorization, "Bearer three");
  dir.Write("token", "a\nb");
  clock.AdvanceMs(60'000);
  EXPECT_EQ(credentials.Get()->authorization, "Bearer three");
}

TEST(CredentialsTest, CertificatesAreReadFromTheirFiles) {
  support::TempDir dir;
  base::FakeClock clock(kStartNs);
  for (const char* name : {"ca", "crt", "key"}) dir.Write(name, name);
  ClusterAccess access;
  access.authorities_file = (dir.path() / "ca").string();
  access.user.certificate_file = (dir.path() / "crt").string();
  access.user.private_key_file = (dir.path() / "key").string();
  Credentials credentials(access, clock);
  EXPECT_EQ(credentials.Get().value(),
            (Identity{.authorization = "", .authorities = "ca", .certificate = "crt", .private_key = "key"}));
  dir.Write("crt", std::string(Credentials::kFileBytesMax + 1, 'x'));
  clock.AdvanceMs(60'000);
  EXPECT_EQ(credentials.Get()->certificate, "crt");
}

TEST(CredentialsTest, AValueCountsBeforeItsFile) {
  base::FakeClock clock(kStartNs);
  ClusterAccess access;
  access.user.token = "told";
  access.user.token_file = "/none";
  access.user.username = "me";
  EXPECT_EQ(Credentials(access, clock).Get()->authorization, "Bearer told");
  access.user = {.username = "me", .password = "p:w", .exec = std::nullopt};
  EXPECT_EQ(Credentials(access, clock).Get()->authorization, "Basic bWU6cDp3");
}

TEST(CredentialsTest, APluginRunsAgainWhenWhatItSaidHasExpiredOrIsRefused) {
  base::FakeClock clock(kStartNs);
  ClusterAccess access;
  access.user.exec = ExecPlugin{.api_version = kVersion, .command = "x"};
  int runs = 0;
  bool fails = false;
  Credentials credentials(access, clock, [&](const ClusterAccess&) -> base::Result<ExecCredential> {
    ++runs;
    if (fails) return std::unexpected(base::Unavailable("no"));
    return ExecCredential{.token = "t" + std::to_string(runs), .expires_ns = clock.WallNs() + 600'000'000'000};
  });
  EXPECT_EQ(credentials.Get()->authorization, "Bearer t1");
  clock.AdvanceMs(599'999);
  EXPECT_EQ(credentials.Get()->authorization, "Bearer t1");
  clock.AdvanceMs(1);
  EXPECT_EQ(credentials.Get()->authorization, "Bearer t2");
  credentials.Refuse(credentials.Get().value());
  EXPECT_EQ(credentials.Get()->authorization, "Bearer t3");
  fails = true;
  clock.AdvanceMs(600'000);
  EXPECT_EQ(credentials.Get()->authorization, "Bearer t3");
  EXPECT_EQ(runs, 4);
}

TEST(CredentialsTest, APluginMaySayACertificate) {
  base::FakeClock clock(kStartNs);
  ClusterAccess access;
  access.user.exec = ExecPlugin{.api_version = kVersion, .command = "x"};
  Credentials credentials(access, clock, [](const ClusterAccess&) -> base::Result<ExecCredential> {
    return ExecCredential{.certificate = "c", .private_key = "k"};
  });
  EXPECT_EQ(credentials.Get().value(),
            (Identity{.authorization = "", .authorities = "", .certificate = "c", .private_key = "k"}));
}

TEST(ExecCredentialTest, ADocumentIsRead) {
  const auto credential = ParseExecCredential(
      CredentialJson(
          R"({"token":"t","clientCertificateData":"c","clientKeyData":"k","expirationTimestamp":"2026-01-02T03:04:05Z"})"),
      kVersion);
  ASSERT_TRUE(credential.has_value()) << credential.error().message();
  EXPECT_EQ(credential->token, "t");
  EXPECT_EQ(credential->certificate, "c");
  EXPECT_EQ(credential->private_key, "k");
  EXPECT_EQ(base::UtcTimeText(*credential->expires_ns), "2026-01-02T03:04:05.000000Z");
}

TEST(ExecCredentialTest, WhatIsNoneIsRefusedWithoutASecret) {
  const struct {
    std::string text;
    const char* message;
  } cases[] = {
      {"", "it is no JSON"},
      {"s3cret", "it is no JSON"},
      {"{}", "kind: must be ExecCredential"},
      {R"({"kind":"ExecCredential","apiVersion":"v1"})", "apiVersion: must be client.authentication.k8s.io/v1"},
      {CredentialJson("null"), "status: is required"},
      {CredentialJson("\"s3cret\""), "status: must be a map"},
      {CredentialJson("{}"), "status.token: is required"},
      {CredentialJson(R"({"token":3})"), "status.token: must be a string"},
      {CredentialJson(R"({"token":"s3cret s3cret"})"), "status.token: may have no white space"},
      {CredentialJson(R"({"clientKeyData":"s3cret"})"), "clientKeyData stand together"},
      {CredentialJson(R"({"token":"t","expirationTimestamp":"soon"})"), "expirationTimestamp: must be a time"}};
  for (const auto& one : cases) {
    const auto credential = ParseExecCredential(one.text, kVersion);
    ASSERT_FALSE(credential.has_value()) << one.text;
    EXPECT_THAT(credential.error().message(), HasSubstr(one.message)) << one.text;
    EXPECT_THAT(credential.error().message(), Not(HasSubstr("s3cret"))) << one.text;
  }
}

ClusterAccess Shell(const std::string& script) {
  ClusterAccess access{
      .server = "https://a", .authorities = "-----BEGIN", .authorities_file = {}, .server_name = {}, .user = {}};
  access.user.exec = ExecPlugin{.api_version = kVersion,
                                .command = "sh",
                                .arguments = {"-c", script},
                                .environment = {{"TOKEN", "from-env"}},
                                .provide_cluster_info = true,
                                .install_hint = "install it so"};
  return access;
}

TEST(ExecCredentialTest, AProgramSaysItOnItsOutput) {
  const auto credential = RunExecPlugin(
      Shell("echo some words >&2; echo '" + CredentialJson(R"({"token":"'$TOKEN'"})") + "'"), std::chrono::seconds(60));
  ASSERT_TRUE(credential.has_value()) << credential.error().message();
  EXPECT_EQ(credential->token, "from-env");
}

TEST(ExecCredentialTest, AProgramIsToldOfTheCluster) {
  const std::string told =
      R"({"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential","spec":{"interactive":false,"cluster":{"server":"https://a","certificate-authority-data":"LS0tLS1CRUdJTg=="}}})";
  const auto credential = RunExecPlugin(Shell("[ \"$KUBERNETES_EXEC_INFO\" = '" + told + "' ] || exit 3; echo '" +
                                              CredentialJson(R"({"token":"t"})") + "'"),
                                        std::chrono::seconds(60));
  EXPECT_TRUE(credential.has_value()) << credential.error().message();
}

TEST(ExecCredentialTest, WhyAProgramFailsIsSaid) {
  const auto failed = RunExecPlugin(Shell("exit 4"), std::chrono::seconds(60));
  EXPECT_EQ(failed.error(), base::Unavailable("the credential plug-in sh left with status 4"));
  const auto endless = RunExecPlugin(Shell("yes"), std::chrono::seconds(60));
  EXPECT_THAT(endless.error().message(), HasSubstr("does not end, or prints too much"));
  const auto slow = RunExecPlugin(Shell("exec sleep 100"), std::chrono::seconds(0));
  EXPECT_EQ(slow.error().code(), StatusCode::kUnavailable);
  ClusterAccess none = Shell("");
  none.user.exec->command = "/none/such";
  EXPECT_THAT(RunExecPlugin(none, std::chrono::seconds(60)).error().message(),
              HasSubstr("No such file or directory\ninstall it so"));
}

}  // namespace
}  // namespace inferd::kubernetes
