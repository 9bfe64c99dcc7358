#pragma once

#include <string>

#include "base/logging.h"
#include "base/status.h"
#include "serving/tracing/array_file.h"
#include "serving/tracing/export_queue.h"

namespace inferd::tracing {

// Encodes one trace as elements of a trace file's array: the request, its timestamps in order, and its tensors
// (Triton's trace format).
std::string TraceFileText(const TraceRecord& record);

// Writes Triton's trace files: FILE, or FILE.0, FILE.1 ... if traces have a log frequency. Each file is a complete JSON
// array after each export. A restarted server overwrites it.
class TraceFile final : public TraceExporter {
 public:
  TraceFile(std::string path, base::Logger& logger) : path_(std::move(path)), logger_(logger) {}

  bool Export(std::vector<TraceRecord> records) override;

 private:
  base::Status Append(const TraceRecord& record);

  const std::string path_;
  base::Logger& logger_;
  ArrayFile whole_;     // FILE
  ArrayFile numbered_;  // the current FILE.n
  uint64_t next_number_ = 0;
  bool failing_ = false;
};

}  // namespace inferd::tracing
