#include "serving/repository/load/load_runner.h"

#include <algorithm>
#include <new>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/system/allocator.h"
#include "serving/repository/load/batching_words.h"

namespace inferd::repository {

namespace {

// Logs whether requests share executions, if the configuration does not state it.
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

std::string_view TritonCode(base::StatusCode code) {
  switch (code) {
    case base::StatusCode::kInvalidArgument: return "Invalid argument";
    case base::StatusCode::kNotFound: return "Not found";
    case base::StatusCode::kUnavailable: return "Unavailable";
    case base::StatusCode::kUnimplemented: return "Unsupported";
    case base::StatusCode::kAlreadyExists: return "Already exists";
    case base::StatusCode::kCancelled: return "Cancelled";
    default: return "Internal";
  }
}

// In Triton, protobuf's own parser writes a line for each mistake in a config.pbtxt. It does not quote these lines.
void LogTextFormatErrors(std::string_view lines, base::Logger& logger) {
  constexpr std::string_view kFile = "/config.pbtxt:";
  constexpr std::string_view kHead = "[libprotobuf ERROR] Error parsing text-format inference.ModelConfig: ";
  while (!lines.empty()) {
    const std::string_view line = lines.substr(0, lines.find('\n'));
    lines.remove_prefix(std::min(line.size() + 1, lines.size()));
    const size_t file = line.find(kFile);
    if (file == std::string_view::npos) continue;
    logger.LogBare(base::LogLevel::kError, std::string(kHead).append(line.substr(file + kFile.size())));
  }
}

}  // namespace

class LoadRunner::EndNotice final {
 public:
  EndNotice(LoadRunner& runner, const LoadJob& job)
      : runner_(runner), id_(job.id), dir_(job.version_dir), files_(job.keep_alive) {}
  ~EndNotice() {
    files_.reset();
    runner_.Gone({.id = id_, .dir = dir_});
  }
  EndNotice(const EndNotice&) = delete;
  EndNotice& operator=(const EndNotice&) = delete;

 private:
  LoadRunner& runner_;
  const core::ModelId id_;
  const std::filesystem::path dir_;
  std::shared_ptr<const void> files_;
};

void LoadRunner::Start(LoadJob job) {
  job.keep_alive = std::make_shared<EndNotice>(*this, job);
  load_pool_.Post([this, job = std::move(job)]() mutable {
    Run(job);
    job = {};  // destroys the end notice, if nothing else holds it, before the load counts as done
    listener_.LoadDone();
  });
}

void LoadRunner::Run(const LoadJob& job) {
  const int64_t began_ns = clock_.NowNs();
  if (triton_words_) logger_.Info("loading: " + job.id.name + ":" + std::to_string(job.id.version));
  if (listener_.Stopping()) {
    return listener_.LoadEnded(job.id, std::unexpected(base::Unavailable("the server is shutting down")));
  }
  auto loaded = LoadNow(job);
  for (uint32_t left = repeats_; left > 0 && !loaded.has_value() && !listener_.Stopping(); --left) {
    logger_.Warning("loading '" + job.id.name + "' version " + std::to_string(job.id.version) +
                        " is tried again: " + loaded.error().message(),
                    {{"model", job.id.name, /*in_message=*/true}, {"version", job.id.version, /*in_message=*/true}});
    loaded = LoadNow(job);
  }
  metrics_.Ended({.id = job.id, .dir = job.version_dir},
                 loaded.has_value() ? base::StatusCode::kOk : loaded.error().code(), clock_.NowNs() - began_ns);
  Log(job.id, loaded);
  listener_.LoadEnded(job.id, std::move(loaded));
}

// Engines may run out of memory, threads or files. That fails this load and nothing else.
base::Result<std::shared_ptr<const core::ModelVersion>> LoadRunner::LoadNow(const LoadJob& job) const {
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

void LoadRunner::Log(const core::ModelId& id,
                     const base::Result<std::shared_ptr<const core::ModelVersion>>& loaded) const {
  const std::string shown = "'" + id.name + "' version " + std::to_string(id.version);
  const std::initializer_list<base::LogField> model = {{"model", id.name, /*in_message=*/true},
                                                       {"version", id.version, /*in_message=*/true}};
  if (!loaded.has_value()) {
    const std::string code = triton_words_ ? std::string(TritonCode(loaded.error().code())) + ": " : "";
    if (triton_words_) LogTextFormatErrors(loaded.error().message(), logger_);
    return logger_.Error("failed to load " + shown + ": " + code + loaded.error().message(), model);
  }
  logger_.Info(triton_words_ ? "successfully loaded '" + id.name + "'" : "loaded " + shown, model);
  LogBatching(id, (*loaded)->config(), logger_);
  LogUnactedFields(id, (*loaded)->config(), logger_);
}

void LoadRunner::Gone(const LoadMetrics::Version& load) {
  if (triton_words_) {
    logger_.Info("successfully unloaded '" + load.id.name + "' version " + std::to_string(load.id.version));
  }
  // Returns a model's memory to the system rather than keeping it for the next request. That walks all free memory, so
  // it is done once for versions that end together.
  const bool is_last = retire_pool_.queued() == 0 && load_pool_.queued() == 0;
  listener_.LoadGone(load);  // after this call, a manager that shuts down may end the pools
  if (is_last) base::ReturnFreeMemory();
}

}  // namespace inferd::repository
