#pragma once

#include <atomic>
#include <condition_variable>
#include <cstring>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "serving/core/engine.h"

namespace inferd::support {

// An execution that keeps what the engine answers, for tests of engines. The engine's calls may come from any thread.
class RecordingExecution : public core::Execution {
 public:
  struct Response {
    base::Status status;
    std::vector<core::InferTensor> outputs;
    core::Parameters parameters;
    bool final = true;
    bool whole_batch = false;
  };

  explicit RecordingExecution(size_t requests = 1) : requests_(requests), responses_(requests) {
    rows.assign(requests, 1);
  }

  // Adds an input of one piece; `slice` must fit `shape`.
  void AddInput(int index, tensor::DataType datatype, tensor::Shape shape, base::BufferSlice slice) {
    core::ExecutionInput input;
    input.index = index;
    input.datatype = datatype;
    input.shape = std::move(shape);
    input.pieces.push_back(std::move(slice));
    inputs.push_back(std::move(input));
  }

  const core::InferRequest& request(size_t i) const override { return requests_[i]; }
  core::InferRequest& mutable_request(size_t i) { return requests_[i]; }
  bool IsCancelled(size_t) const override { return cancelled.load(); }
  base::Buffer AllocateOutput(int, size_t bytes, base::MemoryPlace) override { return base::Buffer::Allocate(bytes); }
  void MarkInputsReady() override {}
  void MarkInferDone() override {}

  void Respond(size_t i, core::EngineResponse given) override {
    const std::lock_guard lock(mutex_);
    responses_[i].push_back(
        {std::move(given.status), std::move(given.outputs), std::move(given.parameters), given.final, false});
  }

  void RespondAll(core::EngineResponse given) override {
    const std::lock_guard lock(mutex_);
    for (auto& list : responses_) {
      if (!list.empty() && list.back().final) continue;
      list.push_back({given.status, given.outputs, given.parameters, true, true});
    }
  }

  void Finish() override {
    const std::lock_guard lock(mutex_);
    ++finished_;
    changed_.notify_all();
  }

  void WaitUntilFinished() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return finished_ > 0; });
  }

  int finished() const {
    const std::lock_guard lock(mutex_);
    return finished_;
  }
  // After WaitUntilFinished().
  const std::vector<Response>& responses(size_t i = 0) const { return responses_[i]; }
  const core::InferTensor& output(size_t i) const { return responses_[0].at(0).outputs.at(i); }

  std::atomic<bool> cancelled{false};

 private:
  std::vector<core::InferRequest> requests_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  int finished_ = 0;
  std::vector<std::vector<Response>> responses_;
};

template <typename T>
base::BufferSlice SliceOf(const std::vector<T>& values) {
  base::Buffer buffer = base::Buffer::Allocate(values.size() * sizeof(T));
  if (!values.empty()) std::memcpy(buffer.data(), values.data(), buffer.size());
  return base::BufferSlice(std::move(buffer));
}

template <typename T>
std::vector<T> ValuesOf(const base::BufferSlice& slice) {
  std::vector<T> values(slice.size() / sizeof(T));
  if (!slice.empty()) std::memcpy(values.data(), slice.data(), slice.size());
  return values;
}

// A BYTES tensor's elements, packed.
inline base::BufferSlice Packed(const std::vector<std::string>& elements) {
  std::string bytes;
  for (const std::string& element : elements) {
    const auto size = static_cast<uint32_t>(element.size());
    bytes.append(reinterpret_cast<const char*>(&size), sizeof(size));
    bytes += element;
  }
  return base::BufferSlice(base::Buffer::CopyOf(bytes));
}

}  // namespace inferd::support
