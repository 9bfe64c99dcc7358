#include "serving/core/request/infer_response.h"

#include <atomic>

#include "base/memory_shortage.h"

namespace inferd::core {

namespace {

std::atomic<uint64_t> dropped_completions{0};

}  // namespace

uint64_t DroppedCompletions() { return dropped_completions.load(std::memory_order_relaxed); }

void Completion::Send(InferResponse&& response) {
  if (!response.final) {
    callback_(std::move(response));
    return;
  }
  ResponseCallback callback = std::exchange(callback_, nullptr);
  callback(std::move(response));
}

void Completion::Fail(base::Status status) {
  InferResponse response;
  response.status = std::move(status);
  Send(std::move(response));
}

void Completion::Drop() {
  if (!callback_) return;
  if (base::DropsForWantOfMemory()) return Fail(base::ResourceExhausted("the server is out of memory"));
  dropped_completions.fetch_add(1, std::memory_order_relaxed);
  Fail(base::Internal("the request was dropped without an answer; this is a fault of the server"));
}

const ParameterValue* FindParameter(const Parameters& parameters, std::string_view name) {
  for (const auto& [key, value] : parameters) {
    if (key == name) return &value;
  }
  return nullptr;
}

}  // namespace inferd::core
