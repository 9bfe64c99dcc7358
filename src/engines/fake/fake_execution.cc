#include "engines/fake/fake_execution.h"

#include <chrono>
#include <filesystem>
#include <stdexcept>
#include <system_error>
#include <thread>

#include "engines/fake/fake_behaviors.h"
#include "engines/fake/fake_states.h"
#include "engines/kit/cancelled.h"
#include "engines/kit/response_room.h"

namespace inferd::fake {

namespace {

using std::chrono::milliseconds;
using std::chrono::nanoseconds;
using std::chrono::steady_clock;

constexpr int64_t kDelayMaxMs = 60'000;
constexpr milliseconds kLookEvery{2};  // interval at which a waiting execution checks files and cancellation

// True for a file of this folder itself: a request's name must not lead elsewhere.
bool IsPlainName(std::string_view name) {
  return !name.empty() && name[0] != '.' && name.find('/') == std::string_view::npos &&
         name.find('\0') == std::string_view::npos && name.size() <= 128;
}

bool Exists(const std::filesystem::path& path) {
  std::error_code error;
  return std::filesystem::exists(path, error);
}

}  // namespace

base::Status FakeExecution::Run() {
  const int64_t number = model_->executions.fetch_add(1) + 1;
  const BatchRecorder* recorder = model_->recorder.get();
  if (recorder != nullptr) recorder->Begin(host_, batch_, *instance_, number);
  const base::Status status = Prepare(number);
  if (recorder != nullptr) recorder->End(host_, batch_, number, static_cast<int32_t>(status.code()));
  INFERD_RETURN_IF_ERROR(status);
  switch (model_->options.misbehavior) {
    case Misbehavior::kNoResponse: return base::OkStatus();
    case Misbehavior::kThrow: throw std::runtime_error("as its configuration asks");
    default: return Compute();
  }
}

base::Status FakeExecution::Prepare(int64_t number) {
  const std::string& activity = model_->options.trace_activity;
  for (size_t i = 0; !activity.empty() && i < batch_->request_count; ++i) {
    host_->trace_activity(batch_, i, {activity.data(), activity.size()});
  }
  INFERD_RETURN_IF_ERROR(Delay());
  INFERD_RETURN_IF_ERROR(Hold());
  return FailAsAsked(number);
}

base::Status FakeExecution::Delay() {
  INFERD_ASSIGN_OR_RETURN(const int64_t asked_ms, NumberParameter("execute_delay_ms", kDelayMaxMs));
  const FakeOptions& options = model_->options;
  const int64_t factor = std::max<int64_t>(options.instance_wise_delay_multiplier * instance_->ordinal, 1);
  const int64_t delay_ms = options.execute_delay_ms * factor + asked_ms;
  return PauseAll(delay_ms) ? base::OkStatus() : base::Cancelled("cancelled while delayed");
}

base::Status FakeExecution::Hold() {
  const FakeOptions& options = model_->options;
  while (!options.hold_file.empty() && Exists(options.hold_file)) {
    if (!PauseAll(kLookEvery.count())) return base::Cancelled("cancelled while held");
  }
  const std::string name = TextParameter("hold");
  if (name.empty()) return base::OkStatus();
  if (options.hold_dir.empty() || !IsPlainName(name)) {
    return base::InvalidArgument(
        "parameter 'hold' needs the model's parameter 'hold_dir', and to be a plain file name");
  }
  while (!Exists(options.hold_dir / name)) {
    if (!PauseAll(kLookEvery.count())) return base::Cancelled("cancelled while held");
  }
  return base::OkStatus();
}

base::Status FakeExecution::FailAsAsked(int64_t number) {
  if (IsToFail(number)) {
    const std::string& message = model_->options.fail_execute;
    return base::Internal(message.empty() ? "failed as the configuration asks" : message);
  }
  INFERD_ASSIGN_OR_RETURN(const int64_t code, NumberParameter("fail_code", INFERD_UNAUTHENTICATED));
  if (code == INFERD_OK) return base::OkStatus();
  const std::string message = TextParameter("fail_message");
  return {static_cast<base::StatusCode>(code), message.empty() ? "failed as the request asks" : message};
}

bool FakeExecution::IsToFail(int64_t number) const {
  const FakeOptions& options = model_->options;
  if (options.fail_execute_nth == number) return true;
  if (options.fail_execute_every > 0 && number % options.fail_execute_every == 0) return true;
  if (options.fail_execute_value >= 0 && HoldsValue(batch_, options.fail_execute_value)) return true;
  if (options.fail_execute_requests > 0 &&
      batch_->request_count >= static_cast<size_t>(options.fail_execute_requests)) {
    return true;
  }
  const bool chosen = options.fail_execute_nth > 0 || options.fail_execute_every > 0 ||
                      options.fail_execute_value >= 0 || options.fail_execute_requests > 0;
  return !chosen && !options.fail_execute.empty();
}

base::Status FakeExecution::Compute() {
  const Pause pause = [this](size_t request, int64_t ns) { return PauseRequest(request, ns); };
  switch (model_->options.behavior) {
    case Behavior::kRepeat: return Repeat(host_, model_, batch_, pause);
    case Behavior::kSquare: return Square(host_, model_, batch_, pause);
    case Behavior::kSequence:
    case Behavior::kDynaSequence: return instance_->accumulators->Run(host_, model_, batch_);
    case Behavior::kImplicitState: return ImplicitState(host_, model_, batch_);
    case Behavior::kIterativeSequence: return instance_->countdowns.Run(host_, model_, batch_);
    default: break;
  }
  const auto compute = model_->options.behavior == Behavior::kAddSub ? AddSub : Identity;
  const bool together = model_->options.respond == Respond::kAll && !RepeatsRaggedInputs(model_, batch_);
  if (together) return compute(host_, model_, Part::WholeBatch(batch_));
  for (size_t i = 0; i < batch_->request_count; ++i) {
    const size_t request = model_->options.respond == Respond::kReverse ? batch_->request_count - 1 - i : i;
    INFERD_RETURN_IF_ERROR(compute(host_, model_, Part::OneRequest(batch_, request)));
  }
  return base::OkStatus();
}

// Significant parameters are the same for every request of a batch; see the model's significant parameters.
base::Result<int64_t> FakeExecution::NumberParameter(std::string_view name, int64_t max) const {
  inferd_parameter parameter = {};
  parameter.struct_size = sizeof(parameter);
  if (host_->find_parameter(batch_, 0, {name.data(), name.size()}, &parameter) == 0) return 0;
  const bool fits =
      parameter.kind == INFERD_PARAMETER_INT64 && parameter.int64_value >= 0 && parameter.int64_value <= max;
  if (fits) return parameter.int64_value;
  if (parameter.kind == INFERD_PARAMETER_UINT64 && parameter.uint64_value <= static_cast<uint64_t>(max)) {
    return static_cast<int64_t>(parameter.uint64_value);
  }
  return std::unexpected(
      base::InvalidArgument("parameter '" + std::string(name) + "' must be a number from 0 to " + std::to_string(max)));
}

std::string FakeExecution::TextParameter(std::string_view name) const {
  inferd_parameter parameter = {};
  parameter.struct_size = sizeof(parameter);
  const bool found = host_->find_parameter(batch_, 0, {name.data(), name.size()}, &parameter) != 0;
  if (!found || parameter.kind != INFERD_PARAMETER_TEXT) return "";
  return {parameter.text_value.data, parameter.text_value.size};
}

bool FakeExecution::PauseAll(int64_t ms) {
  const auto end = steady_clock::now() + milliseconds(ms);
  for (auto now = steady_clock::now(); now < end; now = steady_clock::now()) {
    if (AllCancelled()) return false;
    std::this_thread::sleep_for(std::min<steady_clock::duration>(end - now, kLookEvery));
  }
  return true;
}

bool FakeExecution::PauseRequest(size_t request, int64_t ns) {
  const auto end = steady_clock::now() + std::min<steady_clock::duration>(nanoseconds(ns), milliseconds(kDelayMaxMs));
  const auto wanted = [this, request] {
    const bool gone = host_->is_cancelled(batch_, request) != 0;
    cancelled_ = cancelled_ || gone;
    return !gone;
  };
  for (auto now = steady_clock::now(); now < end; now = steady_clock::now()) {
    if (!wanted()) return false;
    std::this_thread::sleep_for(std::min<steady_clock::duration>(end - now, kLookEvery));
  }
  if (!model_->options.floods) kit::WaitForResponseRoom(*host_, batch_, request);
  return wanted();
}

bool FakeExecution::AllCancelled() const {
  if (model_->options.misbehavior == Misbehavior::kDeaf) return false;
  return kit::AllCancelled(*host_, *batch_);
}

void PauseWhile(const std::atomic<bool>& wanted, int64_t ns) {
  const auto end = steady_clock::now() + std::min<steady_clock::duration>(nanoseconds(ns), milliseconds(kDelayMaxMs));
  for (auto now = steady_clock::now(); now < end && wanted; now = steady_clock::now()) {
    std::this_thread::sleep_for(std::min<steady_clock::duration>(end - now, kLookEvery));
  }
}

}  // namespace inferd::fake
