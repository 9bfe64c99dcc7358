#include "serving/enginehost/calls/host_calls.h"

#include <utility>

#include "serving/enginehost/calls/call_values.h"
#include "serving/enginehost/model/abi_values.h"

namespace inferd::enginehost {

namespace {

base::Status NothingIsCalled() { return base::Unavailable("models are not called here"); }

template <typename Number, typename Map>
auto FindIn(const Map& map, Number number) {
  const auto found = map.find(number);
  return found == map.end() ? nullptr : found->second;
}

}  // namespace

void HostCalls::CallModel(core::CallOrigin origin, const inferd_model_call& call, Respond respond, void* arg,
                          uint64_t* number) {
  *number = 0;
  base::Status status = Begin(std::move(origin), call, respond, arg, number);
  if (!status.ok()) PassResponse(false, core::InferResponse{.status = std::move(status)}, respond, arg);
}

base::Status HostCalls::Begin(core::CallOrigin origin, const inferd_model_call& call, Respond respond, void* arg,
                              uint64_t* number) {
  core::ServerCalls* const server = server_.load();
  if (server == nullptr) return NothingIsCalled();
  INFERD_ASSIGN_OR_RETURN(auto request, ToRequest(call));
  uint64_t mine = 0;
  {
    const base::MutexLock lock(mutex_);
    if (calls_.size() >= kCallsMax) return base::ResourceExhausted("too many calls of models are under way");
    mine = *number = ++last_;
    calls_.emplace(mine, nullptr);
  }
  auto made = server->MakeCall(std::move(origin), std::move(request), call.decoupled != 0,
                               [this, respond, arg, mine](bool submitted, core::InferResponse&& response) {
                                 if (response.final) {
                                   const base::MutexLock lock(mutex_);
                                   calls_.erase(mine);
                                 }
                                 PassResponse(submitted, response, respond, arg);
                               });
  {
    const base::MutexLock lock(mutex_);
    calls_[mine] = made;
  }
  made->Begin();
  return base::OkStatus();
}

std::shared_ptr<core::ModelCall> HostCalls::FindCall(uint64_t number) {
  const base::MutexLock lock(mutex_);
  return FindIn(calls_, number);
}

void HostCalls::CancelCall(uint64_t number) {
  if (const auto call = FindCall(number)) call->Cancel();
}

void HostCalls::TakeResponse(uint64_t number) {
  if (const auto call = FindCall(number)) call->Taken();
}

void HostCalls::ControlModel(const inferd_model_control& control, Done done, void* arg) {
  const auto tell = [done, arg](const base::Status& status) {
    done(arg, static_cast<int32_t>(status.code()), ToText(status.message()));
  };
  core::ServerCalls* const server = server_.load();
  if (server == nullptr) return tell(NothingIsCalled());
  std::string model(ToView(control.model));
  switch (control.control) {
    case INFERD_CONTROL_READY: return server->ModelReady(std::move(model), std::string(ToView(control.version)), tell);
    case INFERD_CONTROL_LOAD: {
      core::LoadCall load{.model = std::move(model), .config_json = std::string(ToView(control.config_json))};
      for (size_t i = 0; i < control.file_count; ++i) {
        load.files.emplace_back(ToView(control.files[i].key), ToView(control.files[i].value));
      }
      return server->Load(std::move(load), tell);
    }
    case INFERD_CONTROL_UNLOAD:
      return server->Unload({.model = std::move(model), .unload_dependents = control.unload_dependents != 0}, tell);
    default: return tell(base::InvalidArgument("there is no such control of a model"));
  }
}

base::Result<uint64_t> HostCalls::OpenMetric(const inferd_metric& metric) {
  core::ServerCalls* const server = server_.load();
  if (server == nullptr) return std::unexpected(base::Unavailable("there is no page of metrics here"));
  INFERD_ASSIGN_OR_RETURN(const core::CustomMetricSpec spec, ToMetricSpec(metric));
  INFERD_ASSIGN_OR_RETURN(auto opened, server->OpenMetric(spec));
  const base::MutexLock lock(mutex_);
  if (metrics_.size() >= kMetricsMax) return std::unexpected(base::ResourceExhausted("too many metrics are open"));
  metrics_.emplace(++last_, std::move(opened));
  return last_;
}

base::Result<double> HostCalls::ChangeMetric(uint64_t number, int32_t change, double value) {
  if (change < INFERD_METRIC_READ || change > INFERD_METRIC_OBSERVE) {
    return std::unexpected(base::InvalidArgument("there is no such change of a metric"));
  }
  std::shared_ptr<core::CustomMetric> metric;
  {
    const base::MutexLock lock(mutex_);
    metric = FindIn(metrics_, number);
  }
  if (metric == nullptr) return std::unexpected(base::NotFound("the metric is not open"));
  return metric->Do(static_cast<core::CustomMetric::Change>(change), value);
}

void HostCalls::CloseMetric(uint64_t number) {
  std::shared_ptr<core::CustomMetric> closed;  // its destructor takes other locks
  const base::MutexLock lock(mutex_);
  const auto found = metrics_.find(number);
  if (found == metrics_.end()) return;
  closed = std::move(found->second);
  metrics_.erase(found);
}

}  // namespace inferd::enginehost
