#include "server/grpc_services.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "access/group.h"
#include "base/clock.h"
#include "core/inflight_limit.h"
#include "core/local_dispatcher.h"
#include "core/snapshot_publisher.h"
#include "frontends/grpc_health/fake_catalog.h"
#include "net/grpc/fake_call.h"

namespace inferd::server {
namespace {

using testing::ElementsAre;

class GrpcServicesTest : public testing::Test {
 protected:
  std::vector<net::grpc::Method> Methods(const access::Policy& policy) {
    return GrpcMethods({.options = options_,
                        .dispatcher = dispatcher_,
                        .catalog = catalog_,
                        .pool = pool_,
                        .logger = *logger_,
                        .clock = clock_},
                       {.options = tfs_options_,
                        .dispatcher = dispatcher_,
                        .catalog = catalog_,
                        .pool = pool_,
                        .logger = *logger_,
                        .clock = clock_,
                        .metrics = std::make_unique<tfs::RequestMetrics>(registry_, "GRPC"),
                        .reload = nullptr},
                       {.catalog = catalog_, .draining = draining_, .services = {}}, policy);
  }

  const oip_grpc::Options options_;
  const tfs_grpc::Options tfs_options_;
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
  EXPECT_THAT(
      ServiceNames(Methods(open)),
      ElementsAre("inference.GRPCInferenceService", "tensorflow.serving.PredictionService",
                  "tensorflow.serving.ModelService", "tensorflow.serving.SessionService", "grpc.health.v1.Health",
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
    EXPECT_TRUE(access::GroupOfGrpcMethod(method.path).has_value()) << method.path;
    EXPECT_NE(method.unary != nullptr, method.streaming != nullptr) << method.path;
    EXPECT_EQ(method.admit, nullptr) << method.path;
  }
  EXPECT_TRUE(paths.contains("/inference.GRPCInferenceService/ModelInfer"));
  EXPECT_TRUE(paths.contains("/tensorflow.serving.PredictionService/Predict"));
}

TEST_F(GrpcServicesTest, MethodsThatControlMayBeTakenFromThisMachineOnly) {
  access::Policy policy;
  policy.ControlFromHere();
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
  EXPECT_EQ(control, (std::set<std::string>{"HandleReloadConfigRequest", "LogSettings", "RepositoryModelLoad",
                                            "RepositoryModelUnload", "TraceSetting"}));
}

TEST_F(GrpcServicesTest, RestrictedGroupsAskForTheirHeader) {
  const auto policy = access::Policy::Create(
      {{.groups = {access::Group::kHealth, access::Group::kInference}, .header = "key", .value = "secret"}}, {});
  ASSERT_TRUE(policy.has_value());
  net::RequestHead without;
  net::RequestHead with;
  with.headers.emplace_back("key", "secret");
  for (const net::grpc::Method& method : Methods(*policy)) {
    const access::Group group = *access::GroupOfGrpcMethod(method.path);
    if (group != access::Group::kHealth && group != access::Group::kInference) {
      EXPECT_EQ(method.admit, nullptr) << method.path;
      continue;
    }
    ASSERT_NE(method.admit, nullptr) << method.path;
    EXPECT_TRUE(method.admit(with).ok()) << method.path;
    EXPECT_FALSE(method.admit(without).ok()) << method.path;
  }
}

}  // namespace
}  // namespace inferd::server
