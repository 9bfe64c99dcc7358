#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

#include "kserve/apiserver/http/api_path.h"
#include "kserve/apiserver/logs/log_source.h"
#include "kserve/apiserver/objects/api_error.h"

namespace inferd::apiserver {

// The parameters of a request for a pod's log (Kubernetes: PodLogOptions, without container names, because a pod has
// only one container).
struct LogQuery {
  LogChoice choice;                   // previous; sinceSeconds or sinceTime
  std::optional<int64_t> tail_lines;  // tailLines
  std::optional<int64_t> bytes_max;   // limitBytes
  bool timestamps = false;            // with a time before each line
};

// Reads the parameters. sinceSeconds counts back from `now`. Errors: an invalid number or time, or both sinceSeconds
// and sinceTime.
ApiResult<LogQuery> ReadLogQuery(const Query& query, std::chrono::system_clock::time_point now);

// Returns the chosen part of the log as it is now. `ended` is true also if the chosen process has ended, or if
// limitBytes cuts the text. Errors: the pod does not exist, or had no previous process.
ApiResult<LogPart> ReadChosenLog(const LogSource& source, const ApiPath& path, const LogQuery& query);

}  // namespace inferd::apiserver
