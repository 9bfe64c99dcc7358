#include "protocols/trtis/server_status.h"

#include <google/protobuf/util/json_util.h>

#include <algorithm>
#include <string>
#include <vector>

#include "config/model_config.pb.h"
#include "protocols/trtis/model_version.h"

namespace inferd::trtis {

namespace {

namespace nv = nvidia::inferenceserver;

void AddDuration(const core::DurationStat& stat, nv::StatDuration& message) {
  message.set_count(message.count() + stat.count);
  message.set_total_time_ns(message.total_time_ns() + stat.ns);
}

// Sets nothing if there were no requests.
template <typename Stats>
void SetRequests(const core::DurationStat& stat, Stats* (nv::ServerStatus::*field)(), nv::ServerStatus& status) {
  if (stat.count > 0) AddDuration(stat, *(status.*field)()->mutable_success());
}

nv::ModelReadyState StateOf(core::ModelState state) {
  switch (state) {
    case core::ModelState::kReady: return nv::MODEL_READY;
    case core::ModelState::kUnavailable: return nv::MODEL_UNAVAILABLE;
    case core::ModelState::kLoading: return nv::MODEL_LOADING;
    case core::ModelState::kUnloading: return nv::MODEL_UNLOADING;
    case core::ModelState::kUnknown: break;
  }
  return nv::MODEL_UNKNOWN;
}

// The messages share their numbers; fields that this protocol lacks are dropped.
bool ReadConfig(const std::string& json, nv::ModelConfig& config) {
  inference::ModelConfig full;
  if (!google::protobuf::util::JsonStringToMessage(json, &full).ok()) return false;
  if (!config.ParseFromString(full.SerializeAsString())) return false;
  config.DiscardUnknownFields();
  return true;
}

void AddStatistics(const core::ModelStatistics& statistics, nv::ModelVersionStatus& version) {
  for (const core::ModelStatistics::Requests& requests : statistics.requests) {
    nv::InferRequestStats& stats = (*version.mutable_infer_stats())[static_cast<uint32_t>(requests.rows)];
    if (requests.success.count > 0) {
      AddDuration(requests.success, *stats.mutable_success());
      AddDuration(requests.compute, *stats.mutable_compute());
      AddDuration(requests.queue, *stats.mutable_queue());
    }
    if (requests.fail.count > 0) AddDuration(requests.fail, *stats.mutable_failed());
  }
  version.set_model_execution_count(version.model_execution_count() + statistics.execution_count);
  version.set_model_inference_count(version.model_inference_count() + statistics.inference_count);
}

// Sets states, and adds to the counters.
void SetVersions(const std::vector<core::IndexEntry>& versions, const std::vector<core::ModelStatistics>& statistics,
                 nv::ModelStatus& shown) {
  for (const core::IndexEntry& entry : versions) {
    const auto number = VersionNumber(entry.version);
    if (number.has_value()) (*shown.mutable_version_status())[*number].set_ready_state(StateOf(entry.state));
  }
  for (const core::ModelStatistics& each : statistics) {
    const auto number = VersionNumber(each.version);
    if (!number.has_value()) continue;
    const auto version = shown.mutable_version_status()->find(*number);
    if (version != shown.mutable_version_status()->end()) AddStatistics(each, version->second);
  }
}

// An unreadable configuration still gets a name.
void SetConfig(const base::Result<std::string>& json, const std::string& model, nv::ModelConfig& config) {
  if (!json.has_value() || !ReadConfig(*json, config)) config.set_name(model);
}

// Adds models that were removed; all of them if `model` is empty.
void AddDeparted(const core::Catalog& catalog, std::string_view model, nv::ServerStatus& status) {
  for (const core::DepartedModel& departed : catalog.Departed(model)) {
    if (status.model_status().contains(departed.name)) continue;  // it still exists, or exists again
    nv::ModelStatus& shown = (*status.mutable_model_status())[departed.name];
    SetConfig(departed.config_json, departed.name, *shown.mutable_config());
    SetVersions(departed.versions, departed.statistics, shown);
  }
}

void AddModel(const core::Catalog& catalog, const std::string& model, nv::ServerStatus& status) {
  const auto versions = catalog.Versions(model);
  if (!versions.has_value()) return;
  nv::ModelStatus& shown = (*status.mutable_model_status())[model];
  const core::DepartedModel left = catalog.DepartedVersions(model);
  auto config = catalog.WrittenConfigJson(model);
  if (!config.has_value() && !left.config_json.empty()) config = left.config_json;  // its files were removed
  SetConfig(config, model, *shown.mutable_config());
  SetVersions(left.versions, left.statistics, shown);
  SetVersions(*versions, catalog.Statistics(model, "").value_or(std::vector<core::ModelStatistics>()), shown);
}

nv::ServerReadyState ReadyState(const StatusSources& sources) {
  if (sources.catalog.StartupFailed()) return nv::SERVER_FAILED_TO_INITIALIZE;
  const bool ready = sources.catalog.StartupTried() || sources.catalog.ServerReady();
  return ready ? nv::SERVER_READY : nv::SERVER_INITIALIZING;
}

void SetServerFields(const StatusSources& sources, nv::ServerStatus& status) {
  using Kind = ServerState::Kind;
  const ServerState& state = sources.state;
  status.set_id(state.server_id());
  status.set_version(state.version());
  status.set_uptime_ns(state.UptimeNs());
  SetRequests(state.Counted(Kind::kStatus), &nv::ServerStatus::mutable_status_stats, status);
  SetRequests(state.Counted(Kind::kProfile), &nv::ServerStatus::mutable_profile_stats, status);
  SetRequests(state.Counted(Kind::kHealth), &nv::ServerStatus::mutable_health_stats, status);
  status.set_ready_state(ReadyState(sources));
}

}  // namespace

base::Status MakeServerStatus(const StatusSources& sources, std::string_view model, nv::ServerStatus& status) {
  SetServerFields(sources, status);
  if (status.ready_state() != nv::SERVER_FAILED_TO_INITIALIZE) {
    const std::vector<std::string> names =
        model.empty() ? sources.catalog.ModelNames() : std::vector<std::string>{std::string(model)};
    for (const std::string& name : names) AddModel(sources.catalog, name, status);
    AddDeparted(sources.catalog, model, status);
  }
  return model.empty() || !status.model_status().empty() ? base::OkStatus() : UnknownModel(model);
}

}  // namespace inferd::trtis
