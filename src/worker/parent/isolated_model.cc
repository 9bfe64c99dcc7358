#include "worker/parent/isolated_model.h"

#include <limits>
#include <utility>

namespace inferd::worker {

namespace {

// How long TryExecute() keeps its thread.
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
  return std::make_unique<IsolatedInstance>(*supervised_, number);
}

void IsolatedInstance::Execute(core::Execution& execution) {
  const auto caller = supervised_.CallerOf(number_);
  if (!caller.has_value()) return Fail(execution, caller.error());
  (*caller)->PartCore();
  if (const base::Status status = (*caller)->Begin(execution); !status.ok()) return Fail(execution, status);
  (*caller)->Collect(execution, kForeverNs);
}

bool IsolatedInstance::TryExecute(core::Execution& execution) {
  std::shared_ptr<ChannelCaller> caller = supervised_.CallerNow(number_);
  if (caller == nullptr) return false;
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
