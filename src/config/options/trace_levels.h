#pragma once

#include <string_view>

#include "config/options/trace_options.h"

namespace inferd::config {

// A level of traces in Triton's form: a list of names. MIN and MAX are older names of TIMESTAMPS.
class TraceLevels final {
 public:
  // Returns false if it is not a level.
  bool Add(std::string_view name) {
    if (name == "TENSORS") return tensors_ = true;
    if (name == "TIMESTAMPS" || name == "MIN" || name == "MAX") return timestamps_ = true;
    return name == "OFF" && (off_ = true);
  }
  bool empty() const { return !off_ && !any(); }
  // True if OFF is combined with another level.
  bool contradicts() const { return off_ && any(); }
  TraceLevel level() const {
    if (tensors_) return timestamps_ ? TraceLevel::kAll : TraceLevel::kTensors;
    return timestamps_ ? TraceLevel::kTimestamps : TraceLevel::kOff;
  }

 private:
  bool any() const { return tensors_ || timestamps_; }

  bool off_ = false;
  bool timestamps_ = false;
  bool tensors_ = false;
};

}  // namespace inferd::config
