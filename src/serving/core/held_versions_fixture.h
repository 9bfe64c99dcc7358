#pragma once

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/thread_pool.h"
#include "serving/core/model_version.h"
#include "serving/core/snapshot_publisher.h"

namespace inferd::core {

// A scheduler that holds its requests until the test answers them.
class HoldingScheduler final : public Scheduler {
 public:
  explicit HoldingScheduler(std::vector<QueuedRequest>& held) : held_(held) {}
  void Enqueue(QueuedRequest&& queued) override { held_.push_back(std::move(queued)); }

 private:
  std::vector<QueuedRequest>& held_;
};

// Creates versions of a model 'm', whose requests are held until the test answers them.
class HeldVersionsTest : public ::testing::Test {
 protected:
  static ModelVersion::Parts PartsOf(int64_t version, std::unique_ptr<Scheduler> scheduler, bool sequences = false) {
    auto signature = std::make_shared<ModelSignature>();
    signature->inputs = {{.name = "IN", .datatype = tensor::DataType::kInt8, .shape = {-1}}};
    signature->outputs = {{.name = "OUT", .datatype = tensor::DataType::kInt8, .shape = {-1}}};
    signature->sequences = sequences;
    return {.id = {"m", version},
            .generation = 1,
            .repository = "r",
            .platform = "p",
            .config = std::make_shared<config::ModelConfig>(),
            .signature = std::move(signature),
            .statistics = std::make_shared<VersionStatistics>(),
            .scheduler = std::move(scheduler)};
  }
  std::shared_ptr<const ModelVersion> MakeVersion(int64_t version, std::vector<ModelVersion::Function> others = {}) {
    ModelVersion::Parts parts = PartsOf(version, std::make_unique<HoldingScheduler>(held_));
    parts.others = std::move(others);
    return ModelVersion::Create(std::move(parts), retire_, [this] { ++ended_; });
  }
  void Publish(std::vector<CatalogSnapshot::Version> versions, std::string reason = "") {
    std::map<std::string, CatalogSnapshot::Model> models;
    models["m"] = {.versions = std::move(versions), .reason = std::move(reason)};
    publisher_.Publish(std::make_shared<const CatalogSnapshot>(models));
  }
  static CatalogSnapshot::Version Ready(const std::shared_ptr<const ModelVersion>& version) {
    return {.version = version->id().version, .serving = version, .state = ModelState::kReady, .reason = ""};
  }
  static std::unique_ptr<InferRequest> Request(std::string version = "") {
    auto request = std::make_unique<InferRequest>();
    request->model_name = "m";
    request->model_version = std::move(version);
    InferTensor input;
    input.name = "IN";
    input.datatype = tensor::DataType::kInt8;
    input.shape = {2};
    input.data = base::BufferSlice(base::Buffer::CopyOf("ab"));
    request->inputs.push_back(std::move(input));
    return request;
  }
  Completion Record() {
    return Completion([this](InferResponse response) { answers_.push_back(std::move(response)); });
  }

  std::atomic<int> ended_{0};
  std::vector<QueuedRequest> held_;
  std::vector<InferResponse> answers_;
  base::FakeClock clock_;
  SnapshotPublisher publisher_;
  base::ThreadPool retire_{"retire", 1};
};

}  // namespace inferd::core
