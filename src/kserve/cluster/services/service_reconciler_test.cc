#include "kserve/cluster/services/service_reconciler.h"

#include <gmock/gmock.h>

#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <thread>
#include <utility>
#include <vector>

#include "data/manifest/print.h"
#include "data/manifest/value_path.h"
#include "kserve/cluster/object_fixture.h"
#include "kserve/cluster/queue/work_queue.h"
#include "kserve/kubernetes/scripted_api_fixture.h"
#include "kserve/model/status/service_status.h"

namespace inferd::cluster {
namespace {

using kubernetes::Answer;
using kubernetes::ObjectName;
using manifest::Value;
using testing::HasSubstr;

ObjectName ServiceName(size_t number) { return {"m", "s" + std::to_string(1000 + number)}; }

// An API server that stores what is applied, and ends each watch at once.
class StoredApi final {
 public:
  // `collection` is a path such as "/apis/apps/v1/deployments", without namespace and name.
  void Put(const std::string& collection, Value object) {
    const std::lock_guard lock(mutex_);
    Value& metadata = object.MapAt("metadata");
    metadata.Set("resourceVersion", Value::String("1"));
    objects_[collection].insert_or_assign(kubernetes::NameOf(object), std::move(object));
  }
  Value Get(const std::string& collection, const ObjectName& name) {
    const std::lock_guard lock(mutex_);
    return objects_[collection][name];
  }
  // Returns the names of the Deployments that were applied since the last call.
  std::set<std::string> TakeApplied() {
    const std::lock_guard lock(mutex_);
    return std::exchange(applied_, {});
  }
  size_t held_events() {
    const std::lock_guard lock(mutex_);
    return held_events_;
  }

  std::string AnswerTo(const std::string& request) {
    const std::string line = request.substr(0, request.find(" HTTP/"));
    const std::string method = line.substr(0, line.find(' '));
    const std::string target = line.substr(method.size() + 1);
    if (target.find("watch=") != std::string::npos) return "";
    const std::string body = request.substr(request.find("\r\n\r\n") + 4);
    const Place place = PlaceOf(target.substr(0, target.find('?')));
    if (place.collection.ends_with("/events")) {
      const std::lock_guard lock(mutex_);
      held_events_ += body.find("\"ChangeHeld\"") == std::string::npos ? 0 : 1;
      return Answer(201, "{}");
    }
    if (method == "GET") return Read(place, target.find('?') != std::string::npos);
    Value object = kubernetes::FromJson(body);
    if (request.find("merge-patch") != std::string::npos) object = WithFinalizers(place, object);
    if (target.find("dryRun=") == std::string::npos) Write(place, object);
    return Answer(200, manifest::ToJson(object));
  }

 private:
  struct Place {
    std::string collection;
    ObjectName name;
  };

  static Place PlaceOf(const std::string& path) {
    const size_t spaces = path.find("/namespaces/");
    if (spaces == std::string::npos) return {.collection = path, .name = {}};
    std::vector<std::string> parts(1);
    for (const char c : path.substr(spaces + 12)) {
      if (c == '/') {
        parts.emplace_back();
      } else {
        parts.back() += c;
      }
    }
    parts.resize(3);
    return {.collection = path.substr(0, spaces) + "/" + parts[1], .name = {parts[0], parts[2]}};
  }
  std::string Read(const Place& place, bool is_list) {
    const std::lock_guard lock(mutex_);
    const auto found = objects_.find(place.collection);
    if (!is_list) {
      const bool is_there = found != objects_.end() && found->second.contains(place.name);
      if (is_there) return Answer(200, manifest::ToJson(found->second.at(place.name)));
      return place.name.name.empty() ? Answer(404, "404 page not found")
                                     : Answer(404, kubernetes::AbsentJson(place.name.name));
    }
    std::vector<std::string> items;
    if (found != objects_.end()) {
      for (const auto& [name, object] : found->second) items.push_back(manifest::ToJson(object));
    }
    return Answer(200, kubernetes::ListJson(1, items));
  }
  // Applies a merge patch of finalizers only.
  Value WithFinalizers(const Place& place, const Value& patch) {
    Value object = Get(place.collection, place.name);
    object.MapAt("metadata").Set("finalizers", *manifest::FieldAt(patch, {"metadata", "finalizers"}));
    return object;
  }
  void Write(const Place& place, Value& object) {
    object.MapAt("metadata").Set("uid", Value::String("u-" + place.name.name));
    object.MapAt("metadata").Set("resourceVersion", Value::String("1"));
    const std::lock_guard lock(mutex_);
    if (place.collection.ends_with("/deployments")) applied_.insert(place.name.name);
    objects_[place.collection].insert_or_assign(place.name, object);
  }

  std::mutex mutex_;
  std::map<std::string, std::map<ObjectName, Value>> objects_;
  std::set<std::string> applied_;
  size_t held_events_ = 0;
};

constexpr const char* kServicesPath = "/apis/serving.kserve.io/v1beta1/inferenceservices";
constexpr const char* kDeploymentsPath = "/apis/apps/v1/deployments";

class ServiceReconcilerTest : public testing::Test {
 protected:
  ServiceReconcilerTest() {
    api_.Put("/apis/serving.kserve.io/v1alpha1/clusterservingruntimes",
             Yaml("{apiVersion: serving.kserve.io/v1alpha1, kind: ClusterServingRuntime, metadata: {name: ours}, spec: "
                  "{supportedModelFormats: [{name: onnx, autoSelect: true}], containers: [{name: kserve-container, "
                  "image: 'server:1'}]}}"));
    Configure("init:1");
  }
  ~ServiceReconcilerTest() override { view_.reset(); }

  void Configure(const std::string& initializer) {
    api_.Put("/api/v1/configmaps",
             Yaml("{apiVersion: v1, kind: ConfigMap, metadata: {name: inferenceservice-config, namespace: kserve}, "
                  "data: {storageInitializer: '{\"image\": \"" +
                  initializer + "\"}'}}"));
  }
  void PutService(size_t number, int generation, const std::string& uri) {
    const std::string name = ServiceName(number).name;
    api_.Put(kServicesPath,
             Yaml("{apiVersion: serving.kserve.io/v1beta1, kind: InferenceService, metadata: {name: " + name +
                  ", namespace: m, uid: u-" + name + ", generation: " + std::to_string(generation) +
                  ", annotations: {serving.kserve.io/deploymentMode: " + mode_ +
                  "}}, spec: {predictor: {model: "
                  "{modelFormat: {name: onnx}, storageUri: '" +
                  uri + "'}}}}"));
  }
  // Reads the cluster again, as its watches would have reported it.
  void Follow() {
    view_ = std::make_unique<ClusterView>(client_, view_clock_, ClusterView::Options{.controller_namespace = "kserve"},
                                          ClusterView::Changed{.on_service = [](const auto&) {}, .on_all = [] {}},
                                          *logger_);
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    SyncReport report;
    report.waits = true;
    while (report.waits && std::chrono::steady_clock::now() < end) {
      view_->Discover({});
      view_clock_.AdvanceMs(60'000);
      report = {};
      view_->Report(report);
      if (report.waits) std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    ASSERT_FALSE(report.waits);
    ASSERT_TRUE(view_->SettleConfiguration(true, {}));
    services_.emplace(
        *view_, pod_objects_, guard_, writer_, reporter_, models_, client_, [] { return true; }, *logger_);
  }
  // Creates services with their objects.
  void Make(size_t services) {
    services_count_ = services;
    for (size_t number = 0; number < services; ++number) PutService(number, 1, "s3://models/first");
    Follow();
    QueueAll();
    EXPECT_EQ(Work().size(), services) << "new services are not held";
  }
  void QueueAll() {
    for (size_t number = 0; number < services_count_; ++number) queue_.Add(ServiceName(number));
  }
  // Reconciles everything that is due. Returns the Deployments that were written.
  std::set<std::string> Work() {
    while (const auto name = queue_.TryTake()) {
      const Outcome outcome = services_->Reconcile(*name, {});
      EXPECT_FALSE(outcome.retry) << name->name;
      queue_.Done(*name);
      if (outcome.again_in.has_value()) queue_.AddAfter(*name, *outcome.again_in);
    }
    return api_.TakeApplied();
  }

  size_t services_count_ = 0;
  std::string mode_ = "RawDeployment";
  base::FakeClock clock_;
  base::FakeClock view_clock_;
  const base::SystemClock system_clock_;
  const std::unique_ptr<base::Logger> logger_ = base::Logger::Silent();
  metrics::Registry metrics_;
  StoredApi api_;
  net::ScriptedServer server_{[this](const std::string& request) { return api_.AnswerTo(request); }};
  kubernetes::Client client_{{.server = server_.url()},
                             {.requests_per_second = 1e6, .burst = 1'000'000, .retry = {.attempts = 1}},
                             system_clock_};
  WorkQueue queue_{{}, clock_};
  ObjectWriter writer_{client_, [] { return true; }, metrics_};
  StatusWriter statuses_{client_, clock_, metrics_};
  StatusReporter reporter_{statuses_};
  ModelReporter models_{statuses_};
  PodObjects pod_objects_{client_, clock_};
  ChangeGuard guard_{{.kind = "InferenceService", .limits = {}, .count_owners = [this] { return services_count_; }},
                     client_,
                     clock_,
                     metrics_,
                     *logger_};
  std::unique_ptr<ClusterView> view_;
  std::optional<ServiceReconciler> services_;
};

TEST_F(ServiceReconcilerTest, AChangedConfigurationRollsAFewServicesAMinuteAndAUsersChangeGoesAtOnce) {
  Make(100);
  Configure("init:2");
  Follow();
  QueueAll();
  EXPECT_EQ(Work().size(), 20U);
  EXPECT_EQ(api_.held_events(), 80U);
  EXPECT_THAT(metrics_.PrometheusText(),
              HasSubstr(R"(inferd_controller_held{kind="InferenceService",cause="configuration"} 80)"));
  const ObjectName held = ServiceName(60);
  const Value status = *api_.Get(kServicesPath, held).Find("status");
  EXPECT_EQ(model::ConditionOf(status, kHeldNotice), "False");
  EXPECT_THAT(model::MessageOf(&status, kHeldNotice), HasSubstr("starts new pods of Deployment"));
  EXPECT_THAT(manifest::ToJson(api_.Get(kDeploymentsPath, {"m", held.name + "-predictor-default"})),
              HasSubstr("init:1"));

  clock_.AdvanceMs(60'001);
  EXPECT_EQ(Work().size(), 10U);
  PutService(99, 2, "s3://models/second");
  Follow();
  queue_.Add(ServiceName(99));
  EXPECT_THAT(Work(), testing::ElementsAre(ServiceName(99).name + "-predictor-default"));
  std::set<std::string> rolled;
  for (const size_t due : {10, 10, 10, 10, 10, 10, 9}) {
    clock_.AdvanceMs(60'001);
    const std::set<std::string> now = Work();
    EXPECT_EQ(now.size(), due);
    rolled.insert(now.begin(), now.end());
  }
  EXPECT_EQ(rolled.size(), 69U);
  EXPECT_THAT(manifest::ToJson(api_.Get(kDeploymentsPath, {"m", held.name + "-predictor-default"})),
              HasSubstr("init:2"));
}

// At its start, the controller finds objects of another version, or of KServe's controller.
TEST_F(ServiceReconcilerTest, ObjectsOfAnotherControllerAreTakenOverAFewAMinute) {
  Make(15);
  Follow();
  QueueAll();
  EXPECT_EQ(Work().size(), 0U) << "all is as it is wanted";
  for (size_t number = 0; number < 15; ++number) {
    Value deployment = api_.Get(kDeploymentsPath, {"m", ServiceName(number).name + "-predictor-default"});
    deployment.MapAt("metadata").Remove("annotations");
    deployment.MapAt("spec").MapAt("template").MapAt("metadata").MapAt("labels").Set("app", Value::String("another"));
    api_.Put(kDeploymentsPath, deployment);
  }
  guard_.Restart();
  Follow();
  QueueAll();
  EXPECT_EQ(Work().size(), 10U);
  EXPECT_THAT(metrics_.PrometheusText(),
              HasSubstr(R"(inferd_controller_held{kind="InferenceService",cause="adoption"} 5)"));
  clock_.AdvanceMs(60'001);
  EXPECT_EQ(Work().size(), 5U);
}

TEST_F(ServiceReconcilerTest, RevisionsOfAServiceThatIsHeldGoOn) {
  api_.Put("/api/v1/services", Yaml("{apiVersion: v1, kind: Service, metadata: {name: inferd-gateway, namespace: "
                                    "kserve}, spec: {}}"));
  mode_ = "Serverless";
  Make(15);
  for (size_t number = 0; number < 15; ++number) {
    Value deployment = api_.Get(kDeploymentsPath, {"m", ServiceName(number).name + "-predictor-default-00001"});
    deployment.Set("status", Yaml("{readyReplicas: 1}"));
    api_.Put(kDeploymentsPath, deployment);
  }
  Configure("init:2");
  Follow();
  QueueAll();
  EXPECT_THAT(Work(), testing::SizeIs(10));
  for (const size_t number : {0, 14}) {
    const std::string first = ServiceName(number).name + "-predictor-default-00001";
    const Value service = api_.Get(kServicesPath, ServiceName(number));
    const Value* const component = manifest::FieldAt(service, {"status", "components", "predictor"});
    ASSERT_NE(component, nullptr);
    EXPECT_EQ(manifest::TextAt(*component, {"latestReadyRevision"}), first);
    EXPECT_THAT(manifest::ToJson(*component->Find("traffic")), HasSubstr(first));
    EXPECT_EQ(manifest::TextAt(*component, {"latestCreatedRevision"}) == first, number == 14);
  }
}

TEST_F(ServiceReconcilerTest, AServiceThatIsDeletedIsNotHeld) {
  Make(15);
  Configure("init:2");
  Value service = api_.Get(kServicesPath, ServiceName(14));
  service.MapAt("metadata").Set("deletionTimestamp", Value::String("2026-11-30T00:00:00Z"));
  service.MapAt("metadata").Set("finalizers", Yaml("[inferenceservice.finalizers]"));
  api_.Put(kServicesPath, service);
  guard_.Restart();
  Follow();
  QueueAll();
  EXPECT_EQ(Work().size(), 10U);
  const Value left = api_.Get(kServicesPath, ServiceName(14));
  EXPECT_TRUE(manifest::FieldAt(left, {"metadata", "finalizers"})->items().empty());
}

}  // namespace
}  // namespace inferd::cluster
