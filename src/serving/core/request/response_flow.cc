#include "serving/core/request/response_flow.h"

#include "serving/core/request/infer_response.h"

namespace inferd::core {

ResponseFlow::Place ResponseFlow::Enter(size_t bytes) {
  {
    const base::MutexLock lock(mutex_);
    ++responses_;
    bytes_ += bytes;
  }
  return {shared_from_this(), bytes};
}

ResponseFlow::Place ResponseFlow::Enter(const InferResponse& response) {
  size_t bytes = 0;
  for (const InferTensor& output : response.outputs) bytes += output.data.size();
  return Enter(bytes);
}

bool ResponseFlow::open() const {
  {
    const base::MutexLock lock(mutex_);
    if (!OpenLocked()) return false;
  }
  return further_ == nullptr || further_->open();
}

bool ResponseFlow::overfull() const {
  const base::MutexLock lock(mutex_);
  return responses_ > limits_.responses_max || (responses_ > 1 && bytes_ > limits_.bytes_max);
}

void ResponseFlow::WhenOpen(base::Task task) {
  {
    const base::MutexLock lock(mutex_);
    if (!OpenLocked()) return waiting_.push_back(std::move(task));
  }
  if (further_ != nullptr) return further_->WhenOpen(std::move(task));
  task();
}

void ResponseFlow::Leave(size_t bytes) {
  std::vector<base::Task> due;
  {
    const base::MutexLock lock(mutex_);
    --responses_;
    bytes_ -= bytes;
    if (waiting_.empty() || !HalfOpenLocked()) return;
    due.swap(waiting_);
  }
  for (base::Task& task : due) {
    if (further_ == nullptr) {
      executor_.Post(std::move(task));
    } else {
      further_->WhenOpen([&executor = executor_, task = std::move(task)]() mutable { executor.Post(std::move(task)); });
    }
  }
}

}  // namespace inferd::core
