#include "base/system/model_environment.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <map>

namespace inferd::base {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::UnorderedElementsAre;

// All variables from which the server reads a secret or a secret's location.
constexpr const char* kSecrets[] = {"INFERD_CACHE_CONFIG",
                                    "INFERD_HTTP_RESTRICTED_API",
                                    "INFERCTL_TOKEN",
                                    "AWS_ACCESS_KEY_ID",
                                    "AWS_SECRET_ACCESS_KEY",
                                    "AWS_SESSION_TOKEN",
                                    "AZURE_STORAGE_ACCESS_KEY",
                                    "AZURE_CLIENT_SECRET",
                                    "AZ_CLIENT_SECRET",
                                    "HDFS_SECRET_DIR",
                                    "GOOGLE_APPLICATION_CREDENTIALS",
                                    "STORAGE_CONFIG",
                                    "STORAGE_OVERRIDE_CONFIG",
                                    "TRITON_CLOUD_CREDENTIAL_PATH",
                                    "TRITONCACHE_REDIS_PASSWORD",
                                    "models.example.com-headers"};
constexpr const char* kOthers[] = {"MODEL_ENVIRONMENT_TEST", "AWSOME", "INFERD", "MY_AWS_KEY"};

class ModelEnvironmentTest : public testing::Test {
 protected:
  ModelEnvironmentTest() {
    for (const char* name : kSecrets) setenv(name, "x", 1);
    for (const char* name : kOthers) setenv(name, "x", 1);
  }
  ~ModelEnvironmentTest() override {
    for (const char* name : kSecrets) unsetenv(name);
    for (const char* name : kOthers) unsetenv(name);
  }

  Result<std::vector<std::string>> Read(std::string_view model = "m") const {
    return ModelEnvironment(model, [this](const std::string& name) -> std::optional<std::string_view> {
      const auto found = parameters_.find(name);
      return found == parameters_.end() ? std::nullopt : std::optional<std::string_view>(found->second);
    });
  }

  std::map<std::string, std::string> parameters_;
};

TEST_F(ModelEnvironmentTest, HasAllButSecretsByDefault) {
  const auto variables = Read();
  ASSERT_TRUE(variables.has_value());
  for (const std::string name : kSecrets) EXPECT_THAT(*variables, Not(Contains(name + "=x")));
  for (const std::string name : kOthers) EXPECT_THAT(*variables, Contains(name + "=x"));
}

TEST_F(ModelEnvironmentTest, IsNarrowedToNamesWhichMayBeSecrets) {
  parameters_["operator.environment"] = "AWSOME,AWS_SECRET_ACCESS_KEY,NOT_SET";
  EXPECT_THAT(*Read(), UnorderedElementsAre("AWSOME=x", "AWS_SECRET_ACCESS_KEY=x"));
  parameters_["operator.environment"] = "";
  EXPECT_THAT(*Read(), IsEmpty());
}

TEST_F(ModelEnvironmentTest, APatternNeverStandsForASecret) {
  parameters_["operator.environment"] = "AWS*";
  EXPECT_THAT(*Read(), UnorderedElementsAre("AWSOME=x"));
  parameters_["operator.environment"] = "*,AWS_SESSION_TOKEN";
  EXPECT_THAT(*Read(), Contains("MODEL_ENVIRONMENT_TEST=x"));
  EXPECT_THAT(*Read(), Contains("AWS_SESSION_TOKEN=x"));
  EXPECT_THAT(*Read(), Not(Contains("AWS_SECRET_ACCESS_KEY=x")));
}

TEST_F(ModelEnvironmentTest, AModelsOwnListGoesBeforeItsEngines) {
  parameters_["operator.environment"] = "INFERD";
  parameters_["operator.environment.a.b"] = "MY_AWS_KEY";
  EXPECT_THAT(*Read("a.b"), UnorderedElementsAre("MY_AWS_KEY=x"));
  EXPECT_THAT(*Read("a"), UnorderedElementsAre("INFERD=x"));
  EXPECT_THAT(*Read(""), UnorderedElementsAre("INFERD=x"));
}

TEST_F(ModelEnvironmentTest, AnErrorNamesTheEntryWithoutItsText) {
  for (const char* text : {"PATH,KEY=secret", "PATH,*secret", "PATH,a**"}) {
    parameters_["operator.environment.m"] = text;
    const auto variables = Read();
    ASSERT_FALSE(variables.has_value()) << text;
    EXPECT_EQ(variables.error().code(), StatusCode::kInvalidArgument);
    EXPECT_THAT(variables.error().message(), HasSubstr("'operator.environment.m'"));
    EXPECT_THAT(variables.error().message(), HasSubstr("entry 2"));
    EXPECT_THAT(variables.error().message(), Not(HasSubstr("secret")));
  }
}

}  // namespace
}  // namespace inferd::base
