#include "serving/worker/parent/isolated_model.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace inferd::worker {

namespace {

// The time for which TryExecute() may keep its thread.
constexpr int64_t kTryNs = 1'000'000;
constexpr int64_t kForeverNs = std::numeric_limits<int64_t>::max();

void Fail(core::Execution& execution, const base::Status& status) {
  execution.RespondAll({status});
  execution.Finish();
}

}  // namespace

std::vector<std::unique_ptr<core::EngineModel>> IsolatedModel::OtherSignatures() const {
  std::vector<std::unique_ptr<core::EngineModel>> others;
  if (number_ > 0) return others;
  for (size_t number = 1; number < supervised_->descriptions().size(); ++number) {
    others.push_back(std::make_unique<IsolatedModel>(supervised_, number));
  }
  return others;
}

base::Result<std::unique_ptr<core::EngineInstance>> IsolatedModel::CreateInstance(const core::InstanceSpec& spec) {
  INFERD_ASSIGN_OR_RETURN(const size_t number, supervised_->AddInstance({.signature = number_, .spec = spec}));
  return std::make_unique<IsolatedInstance>(supervised_, number, unfinished_executions_max());
}

IsolatedInstance::IsolatedInstance(std::shared_ptr<SupervisedModel> supervised, size_t number, int unfinished_max)
    : supervised_(std::move(supervised)), number_(number) {
  if (unfinished_max == 1) return;
  collectors_ = std::make_unique<AnswerCollectors>(unfinished_max, "answers " + supervised_->title());
}

IsolatedInstance::~IsolatedInstance() {
  collectors_.reset();
  supervised_->RemoveInstance(number_);
}

void IsolatedInstance::Execute(core::Execution& execution) {
  const auto callers = supervised_->CallersOf(number_);
  if (!callers.has_value()) return Fail(execution, callers.error());
  if (collectors_ != nullptr) return Begin(**callers, execution, 0);
  ChannelCaller& caller = *(*callers)->front();
  caller.PartCore();
  if (const base::Status status = caller.Begin(execution); !status.ok()) return Fail(execution, status);
  caller.Collect(execution, kForeverNs);
}

void IsolatedInstance::Begin(const SupervisedModel::Callers& callers, core::Execution& execution, int64_t patience_ns) {
  const auto found = std::ranges::find_if(callers, [](const auto& caller) { return caller->idle(); });
  if (found == callers.end()) {
    return Fail(execution, base::Internal("more executions of an instance than its worker process takes"));
  }
  std::shared_ptr<ChannelCaller> caller = *found;
  if (const base::Status status = caller->Begin(execution); !status.ok()) return Fail(execution, status);
  if (patience_ns > 0 && caller->Collect(execution, patience_ns)) return;
  collectors_->Collect(std::move(caller), execution);
}

bool IsolatedInstance::TryExecute(core::Execution& execution) {
  const auto callers = supervised_->CallersNow(number_);
  if (callers == nullptr) return false;
  if (collectors_ != nullptr) {
    Begin(*callers, execution, kTryNs);
    return true;
  }
  std::shared_ptr<ChannelCaller> caller = callers->front();
  caller->ShareCore();
  const base::Status status = caller->Begin(execution);
  const bool finished = status.ok() && caller->Collect(execution, kTryNs);
  caller->LeaveCore();
  if (finished) return true;
  if (!status.ok()) {
    Fail(execution, status);
    return true;
  }
  caller->PartCore();
  begun_ = std::move(caller);
  return false;
}

void IsolatedInstance::Resume(core::Execution& execution) {
  const std::shared_ptr<ChannelCaller> caller = std::exchange(begun_, nullptr);
  if (caller == nullptr) return Execute(execution);
  caller->Collect(execution, kForeverNs);
}

}  // namespace inferd::worker
