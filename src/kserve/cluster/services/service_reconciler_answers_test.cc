#include "kserve/cluster/services/service_reconciler.h"

#include <gmock/gmock.h>

#include <map>
#include <mutex>

#include "data/manifest/print.h"
#include "kserve/cluster/answers_fixture.h"
#include "kserve/cluster/becomes_fixture.h"
#include "kserve/cluster/object_fixture.h"
#include "kserve/cluster/objects/resources.h"

namespace inferd::cluster {
namespace service_reconciler_answers_test {

using kubernetes::Answer;
using manifest::Value;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr const char* kServiceYaml =
    "{metadata: {name: iris, namespace: m, uid: u1, resourceVersion: '1', generation: 1}, spec: {predictor: "
    "{serviceAccountName: robot, model: {modelFormat: {name: onnx}, storageUri: 's3://models/iris'}}}}";
constexpr const char* kRuntimeYaml =
    "{metadata: {name: ours, resourceVersion: '1'}, spec: {supportedModelFormats: [{name: onnx, autoSelect: true}], "
    "containers: [{name: kserve-container, image: 'server:1'}]}}";
constexpr const char* kConfigYaml =
    "{metadata: {name: inferenceservice-config, namespace: kserve, resourceVersion: '1'}, data: {deploy: "
    "'{\"defaultDeploymentMode\": \"RawDeployment\"}'}}";
constexpr const char* kAccountYaml = "{metadata: {name: robot}, secrets: [{name: minio}]}";
constexpr const char* kSecretYaml =
    "{metadata: {name: minio}, data: {AWS_ACCESS_KEY_ID: YQ==, AWS_SECRET_ACCESS_KEY: YQ==}}";

std::string Json(const std::string& yaml) { return manifest::ToJson(Yaml(yaml)); }

// An API server with a test's objects. It accepts all writes.
class World final {
 public:
  World() {
    Set("/services/inferd-gateway", Answer(404, kubernetes::AbsentJson("inferd-gateway")));
    SetList("/inferenceservices?", Json(kServiceYaml));
    SetList("/clusterservingruntimes?", Json(kRuntimeYaml));
    SetList("/namespaces/kserve/configmaps?", Json(kConfigYaml));
    Set("/serviceaccounts/robot", Answer(200, Json(kAccountYaml)));
    Set("/secrets/minio", Answer(200, Json(kSecretYaml)));
  }
  void Set(const std::string& part, std::string answer) { answers_.insert_or_assign(part, std::move(answer)); }
  void SetList(const std::string& part, const std::string& item) {
    Set(part, Answer(200, kubernetes::ListJson(1, {item})));
  }

  // Reconciles the service once. Returns true if it must be retried soon.
  bool Reconcile() {
    base::FakeClock clock;
    const auto logger = base::Logger::Silent();
    ClusterView view(client_, clock, {.controller_namespace = "kserve"},
                     {.on_service = [](const auto&) {}, .on_all = [] {}}, *logger);
    EXPECT_TRUE(Becomes([&] {
      view.Discover({});
      clock.AdvanceMs(60'000);
      SyncReport report;
      view.Report(report);
      return !report.waits;
    }));
    EXPECT_TRUE(view.SettleConfiguration(false, {}));
    PodObjects pod_objects(client_, clock);
    ObjectWriter writer(client_, [] { return true; }, metrics_);
    StatusWriter statuses(client_, clock, metrics_);
    StatusReporter reporter(statuses);
    ModelReporter models(statuses);
    ChangeGuard guard({.kind = "InferenceService", .limits = {}, .count_owners = [] { return size_t{1}; }}, client_,
                      clock, metrics_, *logger);
    ServiceReconciler reconciler(
        view, pod_objects, guard, writer, reporter, models, client_, [] { return true; }, *logger);
    {
      const std::lock_guard lock(mutex_);
      writes_.clear();
    }
    return reconciler.Reconcile({"m", "iris"}, {}).retry;
  }

  // Returns the bodies of the writes whose request contains `part`.
  std::vector<std::string> Writes(const std::string& part) const {
    const std::lock_guard lock(mutex_);
    std::vector<std::string> bodies;
    for (const auto& [line, body] : writes_) {
      if (line.find(part) != std::string::npos) bodies.push_back(body);
    }
    return bodies;
  }
  // Returns the writes, except statuses and events.
  std::vector<std::string> Changes() const {
    const std::lock_guard lock(mutex_);
    std::vector<std::string> lines;
    for (const auto& [line, body] : writes_) {
      if (line.find("/status") == std::string::npos && line.find("/events") == std::string::npos) {
        lines.push_back(line);
      }
    }
    return lines;
  }

 private:
  std::string AnswerTo(const std::string& request) {
    const std::string line = request.substr(0, request.find(" HTTP/"));
    if (line.find("watch=") != std::string::npos) return "";
    if (line.find("dryRun=") != std::string::npos) return Answer(200, request.substr(request.find("\r\n\r\n") + 4));
    if (!line.starts_with("GET ")) {
      const std::lock_guard lock(mutex_);
      writes_.emplace_back(line, request.substr(request.find("\r\n\r\n") + 4));
      return Answer(200, "{}");
    }
    for (const auto& [part, answer] : answers_) {
      if (line.find(part) != std::string::npos) return answer;
    }
    const bool is_list = line.find('?') != std::string::npos;
    return is_list ? Answer(200, kubernetes::ListJson(1, {})) : Answer(404, "404 page not found");
  }

  std::map<std::string, std::string> answers_;
  mutable std::mutex mutex_;
  std::vector<std::pair<std::string, std::string>> writes_;
  metrics::Registry metrics_;
  const base::SystemClock system_clock_;
  net::ScriptedServer server_{[this](const std::string& request) { return AnswerTo(request); }};
  kubernetes::Client client_{
      {.server = server_.url()}, {.requests_per_second = 10'000, .retry = {.attempts = 1}}, system_clock_};
};

// Returns the Deployment after it was written.
std::string WrittenDeployment() {
  World world;
  EXPECT_FALSE(world.Reconcile());
  const auto written = world.Writes("PATCH /apis/apps/v1/namespaces/m/deployments/");
  EXPECT_EQ(written.size(), 1U);
  if (written.size() != 1) return "{}";
  EXPECT_THAT(written.front(), HasSubstr(R"("secretKeyRef":{"name":"minio")"));
  Value deployment = kubernetes::FromJson(written.front());
  deployment.MapAt("metadata").Set("uid", Value::String("d1"));
  deployment.MapAt("metadata").Set("resourceVersion", Value::String("1"));
  return manifest::ToJson(deployment);
}

// Tests one row of the table in docs/kubernetes.md. `inputs_test.cc` tests the others.
TEST(ServiceReconcilerAnswersTest, CredentialsThatCannotBeReadChangeNoPods) {
  std::vector<std::string> row;
  for (const auto& line : ReadTable()) {
    if (line.front() == "Secrets and ServiceAccounts of models") row = line;
  }
  ASSERT_EQ(row.size(), Replies().size() + 1);
  const std::string deployment = WrittenDeployment();
  for (const auto& [path, name] :
       {std::pair("/secrets/minio", "minio"), std::pair("/serviceaccounts/robot", "robot")}) {
    for (size_t i = 0; i < Replies().size(); ++i) {
      std::string cell;
      for (const bool runs : {false, true}) {
        World world;
        world.Set(path, Replies()[i].of(name));
        if (runs) world.SetList("/deployments?", deployment);
        world.Reconcile();
        const bool changed = !world.Writes("/deployments/").empty();
        cell += runs ? (changed ? " / none" : " / kept") : changed ? "none" : "waits";
        if (changed) continue;
        EXPECT_THAT(world.Writes("DELETE "), IsEmpty()) << path << Replies()[i].column;
        const auto statuses = world.Writes("/inferenceservices/iris/status");
        ASSERT_EQ(statuses.size(), 1U) << path << Replies()[i].column << ": it is said";
        EXPECT_THAT(statuses.front(), HasSubstr("Credentials")) << path << Replies()[i].column;
        EXPECT_FALSE(world.Writes("/events").empty());
      }
      EXPECT_EQ(cell, row[i + 1]) << path << Replies()[i].column;
    }
  }
}

TEST(ServiceReconcilerAnswersTest, WhatIsAsItIsWantedIsNotWritten) {
  World world;
  world.SetList("/deployments?", WrittenDeployment());
  world.Reconcile();
  EXPECT_THAT(world.Writes("/deployments/"), IsEmpty());
}

// Replacing an unreadable runtime by another one would replace the pods.
TEST(ServiceReconcilerAnswersTest, ARuntimeThatCannotBeReadKeepsItsServices) {
  const std::string broken =
      "{metadata: {name: ours, resourceVersion: '2'}, spec: {supportedModelFormats: [{name: onnx, autoSelect: true}], "
      "containers: [{name: kserve-container, image: 7}]}}";
  const std::string other =
      "{metadata: {name: zz, resourceVersion: '1'}, spec: {supportedModelFormats: [{name: onnx, autoSelect: true}], "
      "containers: [{name: kserve-container, image: 'other:1'}]}}";
  const std::string deployment = WrittenDeployment();
  for (const bool runs : {false, true}) {
    World world;
    world.Set("/clusterservingruntimes?", Answer(200, kubernetes::ListJson(1, {Json(broken), Json(other)})));
    if (runs) world.SetList("/deployments?", deployment);
    world.Reconcile();
    EXPECT_EQ(world.Writes("/deployments/").size(), runs ? 0U : 1U) << "a new one has the other";
    if (runs) {
      EXPECT_THAT(world.Writes("/inferenceservices/iris/status").front(), HasSubstr("RuntimeUnreadable"));
      EXPECT_THAT(world.Changes(), IsEmpty());
    }
  }
}

}  // namespace service_reconciler_answers_test
}  // namespace inferd::cluster
