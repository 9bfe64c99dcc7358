#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "kserve/apiserver/logs/log_source.h"

namespace inferd::apiserver {

// A log's text with the time before each line (Kubernetes: timestamps=true): "2026-11-26T15:04:05.000000000Z the line".
// `begin`: its place. `line_begins`: its first byte is the first one of a line; else that line had its time before.
// `moments`: by their places; without any, the text stays as it is. Thread-safe.
std::string WithTimes(std::string_view text, uint64_t begin, bool line_begins, const std::vector<LogMoment>& moments);

}  // namespace inferd::apiserver
