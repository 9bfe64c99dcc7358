#include <malloc.h>

#include <new>
#include <system_error>
#include <utility>

#include "repository/batching_words.h"
#include "repository/manager_core.h"

// A version's way up and down: the part of the manager that runs on its pools.

namespace inferd::repository {

namespace {

// What was decided where the configuration does not say it.
void LogBatching(const core::ModelId& id, const config::ModelConfig& config, base::Logger& logger) {
  const std::initializer_list<base::LogField> model = {{"model", id.name, /*in_message=*/true},
                                                       {"version", id.version, /*in_message=*/true}};
  const config::BatchingDecision& decision = config.batching_decision;
  if (!decision.warning.empty()) logger.Warning(decision.warning, model);
  if (!ModelDecidedBatching(config)) return;
  logger.Info("requests to '" + config.name + (decision.batches ? "' share executions: " : "' are executed alone: ") +
                  decision.reason + (decision.probe_cost.empty() ? "" : " (" + decision.probe_cost + ")"),
              model);
}

void LogUnactedFields(const core::ModelId& id, const config::ModelConfig& config, base::Logger& logger) {
  for (const std::string& line : config.unacted_fields) {
    logger.Warning(line, {{"model", id.name}, {"version", id.version}});
  }
}

}  // namespace

class Manager::Core::EndNotice final {
 public:
  EndNotice(Core& core, const LoadJob& job) : core_(core), id_(job.id), dir_(job.version_dir), files_(job.keep_alive) {}
  ~EndNotice() {
    files_.reset();
    core_.VersionEnded({.id = id_, .dir = dir_});
  }
  EndNotice(const EndNotice&) = delete;
  EndNotice& operator=(const EndNotice&) = delete;

 private:
  Core& core_;
  const core::ModelId id_;
  const std::filesystem::path dir_;
  std::shared_ptr<const void> files_;
};

void Manager::Core::Follow(const LoadPlan& plan, ModelRecord& record, Deferred& deferred) {
  for (auto& [version, entry] : record.versions) {
    if (std::exchange(entry.waits_to_replace, false)) entry.reason.clear();
  }
  for (const int64_t version : plan.load) QueueLoad(record, version);
  for (const int64_t version : plan.unload) EndServing(record, record.versions.at(version), deferred);
  for (const int64_t version : plan.wait) {
    VersionRecord& entry = record.versions.at(version);
    entry.waits_to_replace = true;
    entry.demanded = true;  // what replaces another does not wait for requests as well
    entry.reason = kWaitsToReplace;
  }
}

void Manager::Core::StartLoad(ModelRecord& record, int64_t version) {
  VersionRecord& entry = record.versions.at(version);
  const WantedVersion& wanted = record.wanted.at(version);
  entry.loading = true;
  entry.loading_content = wanted.content;
  entry.failed = false;
  ++entry.alive;
  ++busy_;
  LoadJob job = wanted.job;
  job.generation = ++generations_;
  job.keep_alive = std::make_shared<EndNotice>(*this, job);
  load_pool_.Post([this, job = std::move(job), content = wanted.content]() mutable {
    RunLoad(job, content);
    job = {};  // the end notice, if nothing else holds it, goes before the load counts as done
    base::MutexLock lock(mutex_);
    --busy_;
    changed_.NotifyAll();
  });
}

void Manager::Core::RunLoad(const LoadJob& job, const VersionContent& content) {
  const std::string version_text = std::to_string(job.id.version);
  const std::initializer_list<base::LogField> model = {{"model", job.id.name, /*in_message=*/true},
                                                       {"version", job.id.version, /*in_message=*/true}};
  const int64_t began_ns = services_.clock.NowNs();
  bool stopping = false;
  {
    base::MutexLock lock(mutex_);
    stopping = stopping_;
  }
  auto loaded = stopping ? base::Result<std::shared_ptr<const core::ModelVersion>>(
                               std::unexpected(base::Unavailable("the server is shutting down")))
                         : LoadNow(job);
  if (!stopping) {
    load_metrics_.Ended({.id = job.id, .dir = job.version_dir},
                        loaded.has_value() ? base::StatusCode::kOk : loaded.error().code(),
                        services_.clock.NowNs() - began_ns);
  }
  if (loaded.has_value()) {
    services_.logger.Info("loaded '" + job.id.name + "' version " + version_text, model);
    LogBatching(job.id, (*loaded)->config(), services_.logger);
    LogUnactedFields(job.id, (*loaded)->config(), services_.logger);
  } else if (!stopping) {
    services_.logger.Error(
        "failed to load '" + job.id.name + "' version " + version_text + ": " + loaded.error().message(), model);
  }

  Deferred deferred;
  {
    base::MutexLock lock(mutex_);
    ModelRecord& record = *records_.Change(job.id.name);
    VersionRecord& entry = record.versions.at(job.id.version);
    entry.loading = false;
    const bool wanted = record.wanted.contains(job.id.version) && !stopping_;
    if (loaded.has_value()) {
      std::shared_ptr<const core::ModelVersion> old = *std::move(loaded);
      if (wanted) {
        entry.serving.swap(old);
        entry.serving_content = content;
        entry.reason.clear();
        entry.failed_code = base::StatusCode::kOk;
        entry.failures = 0;
        entry.serving->NoteUse(services_.clock.NowNs());
      }
      // Let go of after the new snapshot is out.
      deferred.push_back([old = std::move(old)] {});
    } else {
      if (entry.failed_content != content) entry.failures = 0;
      ++entry.failures;
      NoteFailure(entry, content, loaded.error());
    }
    if (stopping_) {
      Publish();
    } else {
      Advance(record, deferred);
      Conclude(deferred);
    }
    changed_.NotifyAll();
  }
  for (auto& task : deferred) task();
}

// What engines, threads and files need may run out, which is this load's failure and nothing else's.
base::Result<std::shared_ptr<const core::ModelVersion>> Manager::Core::LoadNow(const LoadJob& job) {
  try {
    return loader_.Load(job, retire_pool_);
  } catch (const std::bad_alloc&) {
    return std::unexpected(base::ResourceExhausted("the server has no memory for it"));
  } catch (const std::system_error& error) {
    return std::unexpected(
        base::ResourceExhausted("the system refuses what it needs, a thread perhaps: " + std::string(error.what())));
  } catch (const std::exception& error) {
    return std::unexpected(base::Internal("loading threw an exception: " + std::string(error.what())));
  }
}

void Manager::Core::NoteFailure(VersionRecord& version, const VersionContent& content,
                                const base::Status& status) const {
  version.demanded = false;
  version.failed = true;
  version.failed_ns = services_.clock.NowNs();
  version.failed_content = content;
  version.failed_code = status.code();
  version.reason = status.message();
}

void Manager::Core::RetryFailed(ModelRecord& record) const {
  for (auto& [version, entry] : record.versions) {
    const bool due = services_.clock.NowNs() - entry.failed_ns >= options_.load_retry_ms * 1'000'000;
    if (entry.failed && entry.failures <= options_.load_retries && due) entry.failed = false;
  }
}

void Manager::Core::EndServing(const ModelRecord& record, VersionRecord& version, Deferred& deferred) {
  const std::string& version_text = version.serving->version();
  services_.logger.Info("unloading '" + record.name + "' version " + version_text,
                        {{"model", record.name, /*in_message=*/true},
                         {"version", base::LogValue::NumberIn(version_text), /*in_message=*/true}});
  version.failed = false;
  version.failed_code = base::StatusCode::kOk;
  version.reason = "unloading";
  deferred.push_back([old = std::move(version.serving)] {});
  version.serving = nullptr;
}

void Manager::Core::VersionEnded(const LoadMetrics::Version& ended) {
  const core::ModelId& id = ended.id;
  Deferred deferred;
  {
    base::MutexLock lock(mutex_);
    ModelRecord& record = *records_.Change(id.name);
    VersionRecord& entry = record.versions.at(id.version);
    --entry.alive;
    if (entry.alive == 0 && entry.serving == nullptr && !entry.Pending() && !entry.failed) {
      entry.reason = "unloaded";
      load_metrics_.ForgetVersion(ended);
    }
    if (!stopping_ && record.Replaces()) Advance(record, deferred);
    NoteNotLoaded(record);
    record.Prune();
    ForgetIfGone(id.name);
    if (stopping_) {
      records_.Settle();
    } else {
      Conclude(deferred);
    }
    changed_.NotifyAll();
  }
  for (auto& task : deferred) task();
  // A model's memory goes back to the system, not to the next request. That walks all that is free, so it is done once
  // for versions that end together.
  if (retire_pool_.queued() == 0 && load_pool_.queued() == 0) malloc_trim(0);
}

}  // namespace inferd::repository
