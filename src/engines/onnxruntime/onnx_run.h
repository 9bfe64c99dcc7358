#pragma once

#include <utility>

#include "engines/onnxruntime/library/cancel_watch.h"
#include "engines/onnxruntime/onnx_model.h"

namespace inferd::onnxruntime {

// The options of one of an instance's runs. They are not shared, so that a run can be ended separately.
struct OnnxRun {
  OnnxRun(OnnxModel* of, RunOptionsOwner with) : model(of), options(std::move(with)), watched(options.get()) {
    model->watch().Add(&watched);
  }
  ~OnnxRun() { model->watch().Remove(&watched); }
  OnnxRun(const OnnxRun&) = delete;
  OnnxRun& operator=(const OnnxRun&) = delete;

  OnnxModel* const model;
  RunOptionsOwner options;
  WatchedRun watched;
};

}  // namespace inferd::onnxruntime
