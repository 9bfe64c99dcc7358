#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "kserve/apiserver/logs/log_source.h"

namespace inferd::apiserver {

// Returns a log's text with the time before each line (Kubernetes: timestamps=true): "2026-11-26T15:04:05.000000000Z
// the line". `begin` is the place of the text. `line_begins` is true if its first byte begins a line. Otherwise that
// line already has its time. `moments` are sorted by place. Without moments, the text is unchanged. Thread-safe.
std::string WithTimes(std::string_view text, uint64_t begin, bool line_begins, const std::vector<LogMoment>& moments);

}  // namespace inferd::apiserver
