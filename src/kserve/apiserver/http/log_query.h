#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

#include "kserve/apiserver/http/api_path.h"
#include "kserve/apiserver/logs/log_source.h"
#include "kserve/apiserver/objects/api_error.h"

namespace inferd::apiserver {

// What a request for a pod's log asks for (Kubernetes: PodLogOptions, without the names of containers, of which there
// is one).
struct LogQuery {
  LogChoice choice;                   // previous; sinceSeconds or sinceTime
  std::optional<int64_t> tail_lines;  // tailLines
  std::optional<int64_t> bytes_max;   // limitBytes
  bool timestamps = false;            // before each line
};

// `now` is what sinceSeconds is counted from. Errors: a number or a time that is none, and both of the latter at once.
ApiResult<LogQuery> ReadLogQuery(const Query& query, std::chrono::system_clock::time_point now);

// What there is of it now. `ended`, too, where the chosen process is over. Errors: there is no such pod, or it had no
// process before.
ApiResult<LogPart> ReadChosenLog(const LogSource& source, const ApiPath& path, const LogQuery& query);

}  // namespace inferd::apiserver
