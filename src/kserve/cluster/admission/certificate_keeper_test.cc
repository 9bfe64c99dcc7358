#include "kserve/cluster/admission/certificate_keeper.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <memory>

#include "base/text/base64.h"
#include "data/manifest/read.h"
#include "data/manifest/value_path.h"
#include "kserve/kubernetes/api/object_meta.h"
#include "net/authority/certificates.h"

namespace inferd::cluster {
namespace {

using kubernetes::ApiError;
using kubernetes::ApiResult;
using kubernetes::ObjectPointer;
using manifest::Value;
using ::testing::SizeIs;

constexpr int64_t kDayMs = 86'400'000;

Value StoredConfiguration(std::string_view kind, std::string_view url) {
  return std::move(manifest::ReadYaml("{apiVersion: admissionregistration.k8s.io/v1, kind: " + std::string(kind) +
                                          ", metadata: {name: w, resourceVersion: '1'}, webhooks: [{name: a, "
                                          "clientConfig: {url: '" +
                                          std::string(url) + "'}}]}",
                                      "test")
                       ->front());
}

// An API server that stores versioned objects.
class FakeApi {
 public:
  ApiResult<Value> Write(const std::string& key, Value object) {
    ++writes;
    if (refuse.code != 0) return std::unexpected(refuse);
    const std::string& version = kubernetes::ResourceVersionOf(object);
    const ObjectPointer live = Find(key);
    if (version.empty() && live != nullptr) {
      return std::unexpected(ApiError{.code = 409, .reason = "AlreadyExists", .message = "is there"});
    }
    if (!version.empty() && (live == nullptr || kubernetes::ResourceVersionOf(*live) != version)) {
      return std::unexpected(ApiError{.code = 409, .reason = "Conflict", .message = "has changed"});
    }
    object.MapAt("metadata").Set("resourceVersion", Value::String(std::to_string(++version_)));
    Put(key, object);
    return object;
  }
  ObjectPointer Find(const std::string& key) const {
    const auto found = objects_.find(key);
    return found == objects_.end() ? nullptr : found->second;
  }
  void Put(const std::string& key, Value object) { objects_[key] = std::make_shared<const Value>(std::move(object)); }
  void Remove(const std::string& key) { objects_.erase(key); }

  int writes = 0;
  ApiError refuse;

 private:
  int version_ = 100;
  std::map<std::string, ObjectPointer> objects_;
};

// One process's view of the API server, as of its last Look().
class FakeStore final : public CertificateStore {
 public:
  explicit FakeStore(FakeApi& api) : api_(api) {}

  void Look() {
    synced_ = true;
    secret_ = api_.Find("secret");
    configurations_.clear();
    for (const char* kind : {"MutatingWebhookConfiguration", "ValidatingWebhookConfiguration"}) {
      if (ObjectPointer found = api_.Find(kind)) configurations_.push_back(std::move(found));
    }
  }

  bool synced() const override { return synced_; }
  ObjectPointer secret() const override { return secret_; }
  std::vector<ObjectPointer> configurations() const override { return configurations_; }
  ApiResult<Value> WriteSecret(const Value& secret) override { return api_.Write("secret", secret); }
  ApiResult<Value> WriteConfiguration(const Value& live, const Value& wanted) override {
    EXPECT_EQ(kubernetes::ResourceVersionOf(live), kubernetes::ResourceVersionOf(wanted));
    return api_.Write(manifest::TextAt(wanted, {"kind"}), wanted);
  }

 private:
  FakeApi& api_;
  bool synced_ = false;
  ObjectPointer secret_;
  std::vector<ObjectPointer> configurations_;
};

// The part of a controller that handles certificates.
struct Program {
  Program(FakeApi& api, const base::Clock& clock, base::Logger& logger)
      : store(api),
        keeper(
            store, {.secret = {.namespace_name = "kserve", .name = "c"}}, [this] { return leads; },
            [this](const net::PemPair& pair) {
              if (can_show) shown.push_back(pair);
              return can_show;
            },
            clock, logger) {}

  void Step() {
    store.Look();
    keeper.Step();
  }

  bool leads = true;
  bool can_show = true;
  std::vector<net::PemPair> shown;
  FakeStore store;
  CertificateKeeper keeper;
};

class CertificateKeeperTest : public ::testing::Test {
 protected:
  CertificateKeeperTest() {
    for (const char* kind : {"MutatingWebhookConfiguration", "ValidatingWebhookConfiguration"}) {
      api_.Put(kind, StoredConfiguration(kind, "https://127.0.0.1:9443/x"));
    }
  }

  // Returns the authorities (PEM) that the API server trusts for a configuration.
  std::string TrustedBy(const std::string& kind) {
    const Value* const client = api_.Find(kind)->Find("webhooks")->items().front().Find("clientConfig");
    const Value* const bundle = client->Find("caBundle");
    return bundle == nullptr ? "" : base::DecodedBase64(bundle->text());
  }
  // Returns true if both configurations trust the certificate that the program uses.
  bool IsTrusted(const Program& program) {
    for (const char* kind : {"MutatingWebhookConfiguration", "ValidatingWebhookConfiguration"}) {
      bool trusted = false;
      for (const std::string& authority : net::SplitCertificates(TrustedBy(kind))) {
        trusted = trusted || net::IsSignedBy(program.shown.back().certificate, authority);
      }
      if (!trusted) return false;
    }
    return true;
  }

  FakeApi api_;
  base::FakeClock clock_{1'800'000'000'000'000'000};
  std::unique_ptr<base::Logger> logger_ = base::Logger::Silent();
  Program program_{api_, clock_, *logger_};
};

TEST_F(CertificateKeeperTest, MakesShowsAndHasTrusted) {
  program_.Step();
  ASSERT_THAT(program_.shown, SizeIs(1));
  EXPECT_TRUE(IsTrusted(program_));
  EXPECT_EQ(api_.writes, 3);
  for (int i = 0; i < 5; ++i) program_.Step();
  EXPECT_EQ(api_.writes, 3) << "what is as it should be is not written";
  EXPECT_THAT(program_.shown, SizeIs(1));
}

TEST_F(CertificateKeeperTest, NothingIsWrittenBeforeAllIsKnown) {
  program_.keeper.Step();
  EXPECT_EQ(api_.writes, 0);
}

TEST_F(CertificateKeeperTest, ACertificateIsReplacedBeforeItsEnd) {
  program_.Step();
  clock_.AdvanceMs(61 * kDayMs);
  program_.Step();
  ASSERT_THAT(program_.shown, SizeIs(2));
  EXPECT_TRUE(IsTrusted(program_));
  EXPECT_EQ(api_.writes, 4) << "the authority is the same";
}

TEST_F(CertificateKeeperTest, AConfigurationThatIsAppliedAnewIsMended) {
  program_.Step();
  api_.Put("MutatingWebhookConfiguration",
           StoredConfiguration("MutatingWebhookConfiguration", "https://webhooks.kserve.svc"));
  program_.Step();
  EXPECT_TRUE(IsTrusted(program_));
  EXPECT_THAT(net::ReadCertificate(program_.shown.back().certificate)->names,
              ::testing::ElementsAre("127.0.0.1", "webhooks.kserve.svc"));
}

TEST_F(CertificateKeeperTest, WithoutConfigurationsThereIsNothingToShow) {
  api_.Remove("MutatingWebhookConfiguration");
  api_.Remove("ValidatingWebhookConfiguration");
  program_.Step();
  EXPECT_THAT(program_.shown, SizeIs(0));
  api_.Put("ValidatingWebhookConfiguration",
           StoredConfiguration("ValidatingWebhookConfiguration", "https://127.0.0.1:1/"));
  program_.Step();
  EXPECT_THAT(program_.shown, SizeIs(1));
}

TEST_F(CertificateKeeperTest, OneThatDoesNotLeadShowsAndWritesNothing) {
  Program other(api_, clock_, *logger_);
  other.leads = false;
  other.Step();
  EXPECT_EQ(api_.writes, 0);
  EXPECT_THAT(other.shown, SizeIs(0));
  program_.Step();
  const int writes = api_.writes;
  other.Step();
  EXPECT_EQ(other.shown, program_.shown);
  clock_.AdvanceMs(61 * kDayMs);
  other.Step();
  EXPECT_EQ(api_.writes, writes);
  program_.Step();
  other.Step();
  EXPECT_EQ(other.shown, program_.shown);
  EXPECT_THAT(other.shown, SizeIs(2));
}

// Two programs that both believe that they lead, and see each other's writes late, agree and stop writing.
TEST_F(CertificateKeeperTest, TwoThatLeadDoNotFight) {
  Program other(api_, clock_, *logger_);
  for (int round = 0; round < 3; ++round) {
    program_.store.Look();
    other.store.Look();
    program_.keeper.Step();
    other.keeper.Step();
    const int writes = api_.writes;
    for (int i = 0; i < 3; ++i) {
      program_.Step();
      other.Step();
    }
    EXPECT_LE(api_.writes - writes, 2) << "only what the first look could not see";
    EXPECT_EQ(program_.shown.back(), other.shown.back());
    EXPECT_TRUE(IsTrusted(program_));
    clock_.AdvanceMs(61 * kDayMs);
  }
}

TEST_F(CertificateKeeperTest, WhatCannotBeWrittenIsTriedAgain) {
  api_.refuse = {.code = 403, .reason = "Forbidden", .message = "no", .status = base::StatusCode::kPermissionDenied};
  program_.Step();
  EXPECT_THAT(program_.shown, SizeIs(0)) << "what the others do not know is not shown";
  api_.refuse.code = 0;
  program_.Step();
  EXPECT_TRUE(IsTrusted(program_));
}

TEST_F(CertificateKeeperTest, WhatCannotBeShownIsTriedAgain) {
  program_.can_show = false;
  program_.Step();
  program_.can_show = true;
  program_.Step();
  EXPECT_THAT(program_.shown, SizeIs(1));
}

TEST_F(CertificateKeeperTest, ASecretThatIsDeletedIsMadeAgain) {
  program_.Step();
  api_.Remove("secret");
  program_.Step();
  EXPECT_NE(api_.Find("secret"), nullptr);
  EXPECT_TRUE(IsTrusted(program_));
}

}  // namespace
}  // namespace inferd::cluster
