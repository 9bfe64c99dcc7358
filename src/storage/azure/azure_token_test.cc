#include "storage/azure/azure_token.h"

#include <gtest/gtest.h>

#include <map>

#include "storage/source/fake_environment.h"

namespace inferd::storage {
namespace {

using Proof = AzurePrincipal::Proof;
using Variables = std::map<std::string, std::string>;

TEST(AzureTokenTest, TheEnvironmentSaysHowAPrincipalProvesItself) {
  const std::string login = "https://login.microsoftonline.com/t/oauth2/v2.0/token";
  const std::string machine = "http://169.254.169.254/metadata/identity/oauth2/token";
  const struct {
    Variables variables;
    Proof proof;
    std::string url;
  } cases[] = {
      {{{"AZ_TENANT_ID", "t"}, {"AZ_CLIENT_ID", "c"}, {"AZ_CLIENT_SECRET", "s"}}, Proof::kSecret, login},
      {{{"AZURE_TENANT_ID", "t"}, {"AZURE_CLIENT_ID", "c"}, {"AZURE_CLIENT_SECRET", "s"}}, Proof::kSecret, login},
      {{{"AZURE_TENANT_ID", "other"}, {"AZ_TENANT_ID", "t"}, {"AZURE_CLIENT_ID", "c"}, {"AZURE_CLIENT_SECRET", "s"}},
       Proof::kSecret,
       login},
      {{{"AZURE_TENANT_ID", "t"}, {"AZURE_CLIENT_ID", "c"}, {"AZURE_FEDERATED_TOKEN_FILE", "f"}},
       Proof::kTokenFile,
       login},
      {{{"AZURE_CLIENT_ID", "c"}}, Proof::kMachine, machine},
      {{{"AZURE_TENANT_ID", "t"}, {"AZURE_CLIENT_ID", "c"}}, Proof::kMachine, machine},
      {{{"AZURE_TENANT_ID", "t/.."},
        {"AZURE_CLIENT_ID", "c"},
        {"AZURE_CLIENT_SECRET", "s"},
        {"AZURE_AUTHORITY_HOST", "login.example/"}},
       Proof::kSecret,
       "https://login.example/t%2F../oauth2/v2.0/token"},
  };
  for (const auto& one : cases) {
    const auto principal = FindAzurePrincipal(FakeEnvironment(one.variables));
    ASSERT_TRUE(principal.has_value() && principal->has_value()) << one.url;
    EXPECT_EQ((*principal)->proof, one.proof);
    EXPECT_EQ((*principal)->token_url, one.url);
    EXPECT_EQ((*principal)->client_id, "c");
  }
}

TEST(AzureTokenTest, WithoutAClientThereIsNone) {
  const auto principal = FindAzurePrincipal(FakeEnvironment({{"AZURE_TENANT_ID", "t"}, {"AZURE_CLIENT_SECRET", "s"}}));
  ASSERT_TRUE(principal.has_value());
  EXPECT_FALSE(principal->has_value());
}

TEST(AzureTokenTest, OtherProofsAreRefusedByName) {
  for (const std::string name : {"AZURE_CLIENT_CERTIFICATE_PATH", "AZURE_USERNAME"}) {
    const auto principal =
        FindAzurePrincipal(FakeEnvironment({{"AZURE_TENANT_ID", "t"}, {"AZURE_CLIENT_ID", "c"}, {name, "x"}}));
    ASSERT_FALSE(principal.has_value());
    EXPECT_EQ(principal.error().code(), base::StatusCode::kUnimplemented);
    EXPECT_TRUE(principal.error().message().starts_with(name));
  }
}

TEST(AzureTokenTest, ARefusalsFirstLineIsShown) {
  EXPECT_EQ(
      ReadAzureTokenError(R"({"error": "invalid_client", "error_description": "AADSTS7: Invalid.\r\nTrace ID: 1"})"),
      "AADSTS7: Invalid.");
  EXPECT_EQ(ReadAzureTokenError("<html>"), "");
}

}  // namespace
}  // namespace inferd::storage
