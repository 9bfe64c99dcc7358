#include "kserve/model/pods/storage_initializer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "data/manifest/print.h"
#include "data/manifest/read.h"
#include "kserve/model/api/annotations.h"

namespace inferd::model {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class StorageInitializerTest : public ::testing::Test {
 protected:
  StorageInitializerTest() {
    pod_.namespace_name = "models";
    pod_.annotations[kStorageSourceAnnotation] = "s3://bucket/a";
  }

  void Have(const std::string& kind, const std::string& name, const std::string& yaml) {
    objects_[kind + "/" + name] = "{metadata: {name: " + name + ", annotations: {" + annotations_ + "}}, " + yaml + "}";
  }
  // Adds a service account with a secret called "s" that has these keys.
  void HaveSecret(const std::string& data, const std::string& annotations = "") {
    Have("ServiceAccount", "default", "secrets: [{name: none}, {name: s}]");
    annotations_ = annotations;
    Have("Secret", "s", "data: {" + data + "}");
  }
  base::Result<StorageInitializer> Make() const {
    return MakeStorageInitializer(pod_, config_, [this](std::string_view kind, std::string_view name) {
      const auto found = objects_.find(std::string(kind) + "/" + std::string(name));
      return found == objects_.end() ? std::nullopt
                                     : std::optional(manifest::ReadYaml(found->second, "f").value().front());
    });
  }
  // Returns the initializer's variables, as NAME=VALUE or NAME<SECRET.KEY.
  std::string Variables() const {
    const auto made = Make();
    if (!made.has_value()) return made.error().message();
    std::string text;
    const manifest::Value* const variables = made->container.Find("env");
    if (variables == nullptr) return text;
    for (const manifest::Value& variable : variables->items()) {
      text += (text.empty() ? "" : " ") + variable.Find("name")->text();
      if (const manifest::Value* const value = variable.Find("value")) {
        text += "=" + value->text();
      } else {
        const manifest::Value& key = *variable.Find("valueFrom")->Find("secretKeyRef");
        text += "<" + key.Find("name")->text() + "." + key.Find("key")->text();
      }
    }
    return text;
  }

  std::string annotations_;
  std::map<std::string, std::string> objects_;
  ResolvedPod pod_;
  InferenceServiceConfig config_;
};

TEST_F(StorageInitializerTest, WithoutCredentialsItHasTheUriAlone) {
  EXPECT_EQ(Make()->source, "s3://bucket/a");
  EXPECT_EQ(Variables(), "");
  Have("ServiceAccount", "default", "secrets: text");
  EXPECT_EQ(Variables(), "");
  HaveSecret("other: YQ==");
  EXPECT_EQ(Variables(), "");
  pod_.annotations.clear();
  HaveSecret("AZURE_STORAGE_ACCESS_KEY: YQ==");
  EXPECT_EQ(Make()->source, "");
  EXPECT_EQ(Variables(), "") << "there is no model";
}

TEST_F(StorageInitializerTest, ASecretIsTakenForWhatItsKeysSay) {
  HaveSecret("awsAccessKeyID: YQ==, awsSecretAccessKey: YQ==");
  EXPECT_EQ(Variables(), "AWS_ACCESS_KEY_ID<s.awsAccessKeyID AWS_SECRET_ACCESS_KEY<s.awsSecretAccessKey");
  HaveSecret("AWS_ACCESS_KEY_ID: YQ==, AWS_SECRET_ACCESS_KEY: YQ==");
  EXPECT_EQ(Variables(), "AWS_ACCESS_KEY_ID<s.AWS_ACCESS_KEY_ID AWS_SECRET_ACCESS_KEY<s.AWS_SECRET_ACCESS_KEY");
  HaveSecret("AZ_CLIENT_ID: YQ==, AZ_CLIENT_SECRET: YQ==, AZ_TENANT_ID: YQ==");
  EXPECT_EQ(Variables(), "AZ_TENANT_ID<s.AZ_TENANT_ID AZ_CLIENT_ID<s.AZ_CLIENT_ID AZ_CLIENT_SECRET<s.AZ_CLIENT_SECRET");
  HaveSecret("AZURE_CLIENT_ID: YQ==");
  EXPECT_EQ(Variables(), "AZURE_CLIENT_ID<s.AZURE_CLIENT_ID");
  HaveSecret("AZURE_STORAGE_ACCESS_KEY: YQ==");
  EXPECT_EQ(Variables(), "AZURE_STORAGE_ACCESS_KEY<s.AZURE_STORAGE_ACCESS_KEY");
  HaveSecret("https-host: bW9kZWxz, headers: eyJhIjogImIifQ==");
  EXPECT_EQ(Variables(), "models-headers<s.headers");
  HaveSecret("https-host: bW9kZWxz");
  EXPECT_EQ(Variables(), "");
}

TEST_F(StorageInitializerTest, SomeSecretsAreFiles) {
  HaveSecret("gcloud-application-credentials.json: YQ==");
  EXPECT_EQ(Variables(), "GOOGLE_APPLICATION_CREDENTIALS=/var/secrets/gcloud-application-credentials.json");
  EXPECT_EQ(manifest::ToJson(Make()->volumes), R"([{"name":"user-gcp-sa","secret":{"secretName":"s"}}])");
  EXPECT_EQ(manifest::ToJson(*Make()->container.Find("volumeMounts")),
            R"([{"name":"user-gcp-sa","mountPath":"/var/secrets","readOnly":true}])");
  HaveSecret("HDFS_NAMENODE: YQ==");
  EXPECT_EQ(Variables(), "HDFS_SECRET_DIR=/var/secrets/kserve-hdfscreds");
  EXPECT_EQ(manifest::ToJson(Make()->volumes), R"([{"name":"hdfs-secrets","secret":{"secretName":"s"}}])");
}

TEST_F(StorageInitializerTest, S3IsAsAnnotationsSayElseAsTheConfigurationDoes) {
  config_.credentials.s3.region = "r";
  config_.credentials.s3.endpoint = "minio:1";
  config_.credentials.s3.secret_access_key_name = "key";
  HaveSecret("key: YQ==",
             "serving.kserve.io/s3-endpoint: 'minio:2', serving.kserve.io/s3-usehttps: '0', "
             "serving.kserve.io/s3-verifyssl: '0', serving.kserve.io/s3-usevirtualbucket: 'true'");
  EXPECT_EQ(Variables(),
            "AWS_ACCESS_KEY_ID<s.awsAccessKeyID AWS_SECRET_ACCESS_KEY<s.key S3_USE_HTTPS=0 S3_ENDPOINT=minio:2 "
            "AWS_ENDPOINT_URL=http://minio:2 S3_VERIFY_SSL=0 AWS_DEFAULT_REGION=r S3_USER_VIRTUAL_BUCKET=true");
  annotations_ = "eks.amazonaws.com/role-arn: arn, serving.kserve.io/s3-region: here";
  Have("ServiceAccount", "robot", "secrets: []");
  pod_.pod_spec.Set("serviceAccountName", manifest::Value::String("robot"));
  EXPECT_EQ(Variables(), "S3_ENDPOINT=minio:1 AWS_ENDPOINT_URL=https://minio:1 AWS_DEFAULT_REGION=here");
}

TEST_F(StorageInitializerTest, AnEndpointOfS3MayBeAUrl) {
  HaveSecret("AWS_SECRET_ACCESS_KEY: YQ==", "serving.kserve.io/s3-endpoint: 'http://minio:2'");
  EXPECT_THAT(Variables(), HasSubstr("S3_USE_HTTPS=0 S3_ENDPOINT=minio:2 AWS_ENDPOINT_URL=http://minio:2"));
  HaveSecret("AWS_SECRET_ACCESS_KEY: YQ==",
             "serving.kserve.io/s3-endpoint: 'https://minio:2', serving.kserve.io/s3-usehttps: '0'");
  EXPECT_THAT(Variables(), HasSubstr("S3_USE_HTTPS=1 S3_ENDPOINT=minio:2 AWS_ENDPOINT_URL=https://minio:2"));
}

TEST_F(StorageInitializerTest, ConfiguredNamesOfS3KeysGoFirst) {
  config_.credentials.s3.access_key_id_name = "id";
  config_.credentials.s3.secret_access_key_name = "key";
  HaveSecret("awsSecretAccessKey: YQ==, key: YQ==");
  EXPECT_EQ(Variables(), "AWS_ACCESS_KEY_ID<s.id AWS_SECRET_ACCESS_KEY<s.key");
  for (const std::string key : {"awsSecretAccessKey", "AWS_SECRET_ACCESS_KEY"}) {
    HaveSecret(key + ": YQ==", "serving.kserve.io/s3-region: r");
    EXPECT_THAT(Variables(), AllOf(HasSubstr("AWS_SECRET_ACCESS_KEY<s." + key), HasSubstr("AWS_DEFAULT_REGION=r")));
  }
}

TEST_F(StorageInitializerTest, SecretsThatGiveNothingAreNamed) {
  HaveSecret("awsSecretAccessKey: YQ==");
  EXPECT_THAT(Make()->unused_secrets, ElementsAre("none (is not there)"));
  EXPECT_EQ(Make()->account, "default");
  HaveSecret("user: YQ==, password: YQ==", "serving.kserve.io/s3-endpoint: 'minio:2'");
  EXPECT_THAT(Make()->unused_secrets, ElementsAre("none (is not there)", "s (its keys are user, password)"));
  EXPECT_EQ(Variables(), "S3_ENDPOINT=minio:2 AWS_ENDPOINT_URL=https://minio:2") << "it is of S3";
  HaveSecret("", "serving.kserve.io/s3-useanoncredential: '1'");
  EXPECT_THAT(Make()->unused_secrets, ElementsAre("none (is not there)"));
  EXPECT_EQ(Variables(), "awsAnonymousCredential=1");
  HaveSecret("");
  EXPECT_THAT(Make()->unused_secrets, ElementsAre("none (is not there)", "s (has no keys)"));
  Have("Secret", "s", "type: kubernetes.io/dockerconfigjson, data: {x: YQ==}");
  EXPECT_THAT(Make()->unused_secrets, ElementsAre("none (is not there)"));
}

TEST_F(StorageInitializerTest, AMissingAccountIsNamed) {
  EXPECT_TRUE(Make()->unused_secrets.empty()) << "the default account may be missing";
  pod_.pod_spec.Set("serviceAccountName", manifest::Value::String("nobody"));
  EXPECT_EQ(Make()->account, "nobody");
  EXPECT_THAT(Make()->unused_secrets, ElementsAre("all (the account is not there)"));
}

class StorageSpecificationTest : public StorageInitializerTest {
 protected:
  StorageSpecificationTest() {
    pod_.annotations[kStorageSpecAnnotation] = "true";
    pod_.annotations[kStorageSourceAnnotation] = "<scheme-placeholder>://a/b";
    HaveSecret("AZURE_STORAGE_ACCESS_KEY: YQ==");  // is ignored
  }
  // Adds a key to the secret storage-config. The value is base64 of JSON.
  void Store(const std::string& key, const std::string& base64) {
    Have("Secret", "storage-config", "data: {" + key + ": " + base64 + "}");
  }
};

TEST_F(StorageSpecificationTest, TheUriIsMadeOfWhatTheKeySays) {
  Store("mine", "eyJ0eXBlIjogInMzIiwgImJ1Y2tldCI6ICJiIn0=");  // {"type": "s3", "bucket": "b"}
  pod_.annotations[kStorageSpecKeyAnnotation] = "mine";
  EXPECT_EQ(Variables(), "STORAGE_CONFIG<storage-config.mine");
  EXPECT_EQ(Make()->source, "s3://b/a/b");
  pod_.annotations[kStorageSpecParametersAnnotation] = R"({"bucket": "other"})";
  EXPECT_EQ(Variables(), R"(STORAGE_CONFIG<storage-config.mine STORAGE_OVERRIDE_CONFIG={"bucket":"other"})");
  EXPECT_EQ(Make()->source, "s3://other/a/b");
  pod_.annotations[kStorageSourceAnnotation] = "s3://c/d";
  EXPECT_EQ(Make()->source, "s3://c/d") << "a URI of its own stays";
}

TEST_F(StorageSpecificationTest, WithoutAKeyItIsTheDefaultOfTheType) {
  Store("default_webhdfs", "e30=");
  pod_.annotations[kStorageSpecParametersAnnotation] = R"({"type": "webhdfs"})";
  EXPECT_EQ(Variables(), R"(STORAGE_CONFIG<storage-config.default_webhdfs STORAGE_OVERRIDE_CONFIG={"type":"webhdfs"})");
  EXPECT_EQ(Make()->source, "webhdfs://a/b");
  Store("default", "eyJ0eXBlIjogImhkZnMifQ==");  // {"type": "hdfs"}
  pod_.annotations.erase(kStorageSpecParametersAnnotation);
  EXPECT_EQ(Variables(), "STORAGE_CONFIG<storage-config.default");
  EXPECT_EQ(Make()->source, "hdfs://a/b");
}

TEST_F(StorageSpecificationTest, WhatCannotBeMadeSaysWhy) {
  EXPECT_EQ(Variables(), "unable to determine storage type");
  pod_.annotations[kStorageSpecParametersAnnotation] = R"({"type": "gs"})";
  EXPECT_EQ(Variables(), "storage type must be one of [s3, hdfs, webhdfs]. storage type [gs] is not supported");
  pod_.annotations[kStorageSpecParametersAnnotation] = R"({"type": "s3"})";
  EXPECT_EQ(Variables(), "format [s3] requires a bucket but one wasn't found in storage data or parameters");
  pod_.annotations[kStorageSpecKeyAnnotation] = "k";
  EXPECT_THAT(Variables(), HasSubstr("can't read storage secret storage-config: "));
  Store("other", "e30=");
  EXPECT_EQ(Variables(), "specified storage key k not found in storage secret storage-config");
  Store("k", "YQ==");
  EXPECT_EQ(Variables(), "invalid json encountered in key k of storage secret storage-config");
}

}  // namespace
}  // namespace inferd::model
