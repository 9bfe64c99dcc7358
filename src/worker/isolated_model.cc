#include "worker/isolated_model.h"

#include <limits>
#include <string>
#include <system_error>

#include "base/turn.h"

namespace inferd::worker {

namespace {

constexpr int64_t kLoopPatienceNs = 1'000'000;
constexpr int64_t kForeverNs = std::numeric_limits<int64_t>::max();

void Fail(core::Execution& execution, const base::Status& status) {
  execution.RespondAll(status, {});
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

base::Result<std::unique_ptr<core::EngineInstance>> IsolatedModel::CreateInstance(int group, int ordinal) {
  INFERD_ASSIGN_OR_RETURN(const size_t number,
                          supervised_->AddInstance({.signature = number_, .group = group, .ordinal = ordinal}));
  try {
    return std::make_unique<IsolatedInstance>(*supervised_, number);
  } catch (const std::system_error& error) {
    return std::unexpected(base::ResourceExhausted(std::string("no thread for an instance: ") + error.what()));
  }
}

void IsolatedInstance::Execute(core::Execution& execution) {
  const bool on_loop = base::Turn::Current() != nullptr;
  if (on_loop && later_left_.load(std::memory_order_acquire) > 0) {
    return Later([this, &execution] { RunToEnd(execution); });
  }
  while (const int left = later_left_.load(std::memory_order_acquire)) later_left_.wait(left);
  if (!on_loop) return RunToEnd(execution);
  const std::shared_ptr<ChannelCaller> caller = supervised_.CallerNow(number_);
  if (caller == nullptr) return Later([this, &execution] { RunToEnd(execution); });
  caller->ShareCore();
  const base::Status status = caller->Begin(execution);
  const bool finished = status.ok() && caller->Collect(execution, kLoopPatienceNs);
  caller->LeaveCore();
  if (!status.ok()) return Fail(execution, status);
  if (finished) return;
  caller->PartCore();
  Later([caller, &execution] { caller->Collect(execution, kForeverNs); });
}

void IsolatedInstance::RunToEnd(core::Execution& execution) {
  const auto caller = supervised_.CallerOf(number_);
  if (!caller.has_value()) return Fail(execution, caller.error());
  (*caller)->PartCore();
  if (const base::Status status = (*caller)->Begin(execution); !status.ok()) return Fail(execution, status);
  (*caller)->Collect(execution, kForeverNs);
}

void IsolatedInstance::Later(std::move_only_function<void()> rest) {
  later_left_.fetch_add(1, std::memory_order_relaxed);
  later_.Post([this, rest = std::move(rest)]() mutable {
    rest();
    later_left_.fetch_sub(1, std::memory_order_release);
    later_left_.notify_all();
  });
}

}  // namespace inferd::worker
