#include "server/grpc_services.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "base/byte_budget.h"
#include "base/clock.h"
#include "config/personality.h"
#include "net/grpc/fake_call.h"
#include "protocols/access/group.h"
#include "protocols/grpc_health/fake_catalog.h"
#include "server/front_ends.h"
#include "serving/core/inflight_limit.h"
#include "serving/core/local_dispatcher.h"
#include "serving/core/snapshot_publisher.h"

namespace inferd::server {
namespace {

using ::testing::ElementsAre;

config::ServerOptions DefaultOptions() {
  config::ServerOptions options;
  options.personality = &config::DefaultPersonality();
  return options;
}

class GrpcServicesTest : public ::testing::Test {
 protected:
  std::vector<net::grpc::Method> Methods(const access::Policy& policy) {
    return GrpcMethods(front_ends_, {.access = policy,
                                     .dispatcher = dispatcher_,
                                     .catalog = catalog_,
                                     .pool = pool_,
                                     .logger = *logger_,
                                     .clock = clock_,
                                     .registry = registry_,
                                     .draining = draining_});
  }

  std::optional<protocol::MethodAccess> AccessOf(std::string_view path) const {
    for (const auto& front_end : front_ends_) {
      if (const auto access = front_end->AccessOf(path)) return access;
    }
    return std::nullopt;
  }

  config::ServerOptions options_ = DefaultOptions();
  base::ByteBudget outputs_{1 << 20};
  const protocol::FrontEnds front_ends_ = MakeFrontEnds({.options = options_, .outputs = outputs_});
  metrics::Registry registry_;
  const base::FakeClock clock_;
  const std::atomic<bool> draining_{false};
  core::SnapshotPublisher snapshots_;
  core::InflightLimit inflight_{{.requests = 1}};
  core::LocalDispatcher dispatcher_{snapshots_, inflight_, clock_};
  grpc_health::FakeCatalog catalog_;
  net::grpc::ManualPool pool_;
  std::unique_ptr<base::Logger> logger_ = base::Logger::Silent();
};

TEST_F(GrpcServicesTest, EveryServiceIsThereOnce) {
  const access::Policy open;
  EXPECT_THAT(ServiceNames(Methods(open)),
              ElementsAre("inference.GRPCInferenceService", "tensorflow.serving.PredictionService",
                          "tensorflow.serving.ModelService", "tensorflow.serving.SessionService",
                          "nvidia.inferenceserver.GRPCService", "grpc.health.v1.Health",
                          "grpc.reflection.v1.ServerReflection", "grpc.reflection.v1alpha.ServerReflection"));
}

TEST_F(GrpcServicesTest, HealthKnowsTensorflowServingsNamesWithoutPackage) {
  net::grpc::FakeServer server;
  const access::Policy open;
  server.Serve(Methods(open));
  const auto check = [&server](const std::string& service) {
    net::grpc::FakeCall call(server, "/grpc.health.v1.Health/Check");
    call.Unary("\x0a" + std::string(1, static_cast<char>(service.size())) + service);
    return call.status();
  };
  for (const char* known : {"tensorflow.serving.PredictionService", "PredictionService", "ModelService"}) {
    EXPECT_EQ(check(known), "0") << known;
  }
  EXPECT_EQ(check("SessionService"), "5");
}

TEST_F(GrpcServicesTest, EveryMethodIsInAGroupAndAnswersInOneWay) {
  const access::Policy open;
  std::set<std::string> paths;
  for (const net::grpc::Method& method : Methods(open)) {
    EXPECT_TRUE(paths.insert(method.path).second) << method.path;
    EXPECT_TRUE(AccessOf(method.path).has_value()) << method.path;
    EXPECT_NE(method.unary != nullptr, method.streaming != nullptr) << method.path;
    EXPECT_EQ(method.admit != nullptr, AccessOf(method.path)->control.has_value()) << method.path;
  }
  EXPECT_TRUE(paths.contains("/inference.GRPCInferenceService/ModelInfer"));
  EXPECT_TRUE(paths.contains("/tensorflow.serving.PredictionService/Predict"));
}

TEST_F(GrpcServicesTest, MethodsThatControlMayBeTakenFromThisMachineOnly) {
  access::Policy policy;
  policy.SetControlFrom(access::ControlFrom::kMachine);
  net::RequestHead near;
  near.peer = "127.0.0.1:1";
  net::RequestHead far;
  far.peer = "10.0.0.1:1";
  std::set<std::string> control;
  for (const net::grpc::Method& method : Methods(policy)) {
    if (method.admit == nullptr) continue;
    control.insert(method.path.substr(method.path.rfind('/') + 1));
    EXPECT_TRUE(method.admit(near).ok()) << method.path;
    EXPECT_FALSE(method.admit(far).ok()) << method.path;
  }
  EXPECT_EQ(control, (std::set<std::string>{"CudaSharedMemoryRegister", "CudaSharedMemoryUnregister",
                                            "HandleReloadConfigRequest", "LogSettings", "RepositoryModelLoad",
                                            "RepositoryModelUnload", "SystemSharedMemoryRegister",
                                            "SystemSharedMemoryUnregister", "TraceSetting"}));
}

TEST_F(GrpcServicesTest, RestrictedGroupsAskForTheirHeader) {
  const auto policy = access::Policy::Create(
      {{.groups = {access::Group::kHealth, access::Group::kInference}, .header = "key", .value = "secret"}}, {});
  ASSERT_TRUE(policy.has_value());
  net::RequestHead without;
  net::RequestHead with;
  with.headers.emplace_back("key", "secret");
  for (const net::grpc::Method& method : Methods(*policy)) {
    const access::Group group = AccessOf(method.path)->group;
    if (group != access::Group::kHealth && group != access::Group::kInference) {
      EXPECT_TRUE(method.admit == nullptr || method.admit(without).ok()) << method.path;
      continue;
    }
    ASSERT_NE(method.admit, nullptr) << method.path;
    EXPECT_TRUE(method.admit(with).ok()) << method.path;
    EXPECT_FALSE(method.admit(without).ok()) << method.path;
  }
}

TEST_F(GrpcServicesTest, MethodsHaveGroups) {
  using access::Group;
  const std::pair<std::string_view, Group> cases[] = {
      {"/inference.GRPCInferenceService/ServerReady", Group::kHealth},
      {"/inference.GRPCInferenceService/ModelMetadata", Group::kMetadata},
      {"/inference.GRPCInferenceService/ModelStreamInfer", Group::kInference},
      {"/inference.GRPCInferenceService/CudaSharedMemoryRegister", Group::kSharedMemory},
      {"/inference.GRPCInferenceService/ModelConfig", Group::kModelConfig},
      {"/inference.GRPCInferenceService/RepositoryModelLoad", Group::kModelRepository},
      {"/inference.GRPCInferenceService/ModelStatistics", Group::kStatistics},
      {"/inference.GRPCInferenceService/TraceSetting", Group::kTrace},
      {"/inference.GRPCInferenceService/LogSettings", Group::kLogging},
      {"/tensorflow.serving.PredictionService/Predict", Group::kInference},
      {"/tensorflow.serving.PredictionService/GetModelMetadata", Group::kMetadata},
      {"/tensorflow.serving.ModelService/GetModelStatus", Group::kHealth},
      {"/tensorflow.serving.ModelService/HandleReloadConfigRequest", Group::kModelRepository},
      {"/grpc.health.v1.Health/Watch", Group::kHealth},
      {"/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo", Group::kMetadata}};
  for (const auto& [path, group] : cases) EXPECT_EQ(AccessOf(path)->group, group) << path;
}

TEST_F(GrpcServicesTest, OtherPathsHaveNoGroup) {
  for (const std::string_view path :
       {"", "/", "ModelInfer", "/inference.GRPCInferenceService/", "/inference.GRPCInferenceService/Modelinfer",
        "/inference.GRPCInferenceService/ModelInfer/", "/other.Service/ModelInfer", "/other.Service/LogSettings",
        "/tensorflow.serving.ModelService/Predict"}) {
    EXPECT_FALSE(AccessOf(path).has_value()) << path;
  }
}

}  // namespace
}  // namespace inferd::server
