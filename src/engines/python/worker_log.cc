#include "engines/python/worker_log.h"

#include "base/text/utf8.h"
#include "engines/python/message/value_parts.h"

namespace inferd::python {

void WorkerLog::Write(int32_t level, std::string_view text, Clock::time_point now) {
  if (host_.log_enabled(&host_, level) == 0) return;
  if (now - window_begun_ >= kWindow) {
    EndWindow();
    window_begun_ = now;
  }
  const std::string line = base::Shortened(text, kLineBytesMax);
  if (left_out_ > 0 || lines_ >= kLinesMax || bytes_ + line.size() > kBytesMax) {
    if (left_out_++ == 0) {
      Warn("writes more than " + std::to_string(kLinesMax) + " lines or " + std::to_string(kBytesMax) +
           " bytes into the log in " + std::to_string(kWindow.count()) + " s: what follows in that time is left out");
    }
    return;
  }
  ++lines_;
  bytes_ += line.size();
  host_.log(&host_, level, ToText(line));
}

void WorkerLog::EndWindow() {
  if (left_out_ > 0) Warn("wrote " + std::to_string(left_out_) + " lines that were left out of the log");
  lines_ = bytes_ = left_out_ = 0;
}

void WorkerLog::Warn(const std::string& what) const {
  const std::string line = (instance_.empty() ? "a model that is loaded" : "model instance " + instance_) + " " + what;
  host_.log(&host_, INFERD_LOG_WARNING, ToText(line));
}

}  // namespace inferd::python
