#pragma once

#include <gtest/gtest.h>

#include <future>
#include <memory>
#include <string>
#include <vector>

#include "serving/core/local_dispatcher.h"
#include "serving/repository/manager.h"
#include "serving/scheduling/held_threads.h"
#include "serving/scheduling/queue/deadline_watch.h"
#include "serving/scheduling/scheduler_factory.h"
#include "tests/support/fake_engine.h"
#include "tests/support/temp_dir.h"

namespace inferd::repository {

using inferd::support::FakeEngine;

// A manager with real folders, the real scheduler and a fake engine for ONNX models. The tests make the looks.
class ManagerTest : public ::testing::Test {
 protected:
  ManagerTest() {
    options_.repositories = {{.name = "main", .path = dir_.path()}};
    options_.poll_interval_ms = 3'600'000;
    options_.settle_ms = 0;
  }
  ~ManagerTest() override {
    if (manager_ != nullptr) {
      manager_->Shutdown();
      EXPECT_EQ(manager_->RefusedTransitions(), 0);
    }
    manager_.reset();
    EXPECT_EQ(engine_.alive(), 0);
  }

  void Start() {
    StartLoading();
    manager_->WaitIdle();
  }
  void StartLoading() {
    MakeManager();
    ASSERT_TRUE(manager_->Start().ok());
  }
  void MakeManager() {
    manager_.reset();
    engines_ = {&engine_};
    manager_ =
        std::make_unique<Manager>(options_, ManagerServices{.snapshots = snapshots_,
                                                            .engines = engines_,
                                                            .scheduler_factory = scheduling::MakeSchedulerFactory(
                                                                {}, {clock_, deadlines_, inference_metrics_, resources_,
                                                                     host_policies_, held_threads_, *logger_}),
                                                            .clock = *manager_clock_,
                                                            .logger = *logger_,
                                                            .metrics = registry_,
                                                            .recorded_warmups = recorded_warmups_});
  }
  void Look() {
    manager_->LookNow();
    manager_->WaitIdle();
  }
  void AddVersion(const std::string& model, int version, const std::string& bytes = "x") {
    dir_.Write(model + "/" + std::to_string(version) + "/model.onnx", bytes);
  }
  // Returns the version that answers.
  base::Result<std::string> Infer(const std::string& model, const std::string& version = "") {
    core::LocalDispatcher dispatcher(snapshots_, inflight_, *manager_clock_, manager_.get());
    auto request = std::make_unique<core::InferRequest>();
    request->model_name = model;
    request->model_version = version;
    request->signature = signature_;
    core::InferTensor input;
    input.name = "INPUT0";
    input.datatype = tensor::DataType::kInt32;
    input.shape = {1, 1};
    input.data = base::BufferSlice(base::Buffer::CopyOf("1234"));
    request->inputs.push_back(std::move(input));
    std::promise<core::InferResponse> answer;
    dispatcher.Infer(nullptr, std::move(request), core::Completion([&answer](core::InferResponse response) {
                       answer.set_value(std::move(response));
                     }));
    const core::InferResponse response = answer.get_future().get();
    if (!response.status.ok()) return std::unexpected(response.status);
    return response.model_version;
  }
  base::Status Load(core::LoadCall call) {
    std::promise<base::Status> answer;
    manager_->Load(std::move(call), [&answer](base::Status status) { answer.set_value(std::move(status)); });
    return answer.get_future().get();
  }
  base::Status Load(const std::string& model) {
    return Load({.model = model, .repository = "", .config_json = "", .files = {}});
  }
  base::Status Unload(const std::string& model) {
    base::Status result;
    manager_->Unload({.model = model, .repository = ""},
                     [&result](base::Status status) { result = std::move(status); });
    manager_->WaitIdle();
    return result;
  }
  std::string IndexText() {
    std::string text;
    const auto index = manager_->Index("", false).value();
    for (const auto& entry : index) {
      text += entry.name + ":" + entry.version + ":" + std::string(core::ModelStateName(entry.state)) + ":" +
              entry.reason + "|";
    }
    return text;
  }
  void FailLoadsOf(const std::string& model, const std::string& why) {
    engine_.SetScript(model, {.signature = FakeEngine::DefaultSignature(),
                              .on_load = [why](const core::LoadSpec&) { return base::InvalidArgument(why); },
                              .on_execute = {}});
  }

  inferd::support::TempDir dir_;
  base::SystemClock clock_;
  base::FakeClock now_;  // for tests that move it
  const base::Clock* manager_clock_ = &clock_;
  std::unique_ptr<base::Logger> logger_ = base::Logger::Silent();
  metrics::Registry registry_;
  scheduling::InferenceMetrics inference_metrics_{registry_};
  scheduling::DeadlineWatch deadlines_{clock_, false};
  scheduling::ResourceArbiter resources_;
  const scheduling::HostPolicies host_policies_;
  scheduling::HeldThreads held_threads_{*logger_};
  core::SnapshotPublisher snapshots_;
  core::InflightLimit inflight_{{}};
  FakeEngine engine_{"onnxruntime", "model.onnx"};
  std::vector<core::Engine*> engines_;
  ManagerOptions options_;
  RecordedWarmups recorded_warmups_;
  uint32_t signature_ = 0;  // of the requests
  std::unique_ptr<Manager> manager_;
};

}  // namespace inferd::repository
