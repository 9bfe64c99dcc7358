#pragma once

#include <string>
#include <vector>

#include "base/status.h"
#include "bench/harness/model_call.h"
#include "bench/harness/programs.h"
#include "bench/harness/scratch_repository.h"

namespace inferd::bench {

// A running inferd with one model in a given configuration, and a prepared call of that model.
class ServedModel final {
 public:
  struct Options {
    std::string programs;  // the folder
    std::string file;      // the .onnx
    std::string config;    // config.pbtxt
    Wire wire = Wire::kBinary;
    bool floor = false;     // start the floors, too
    std::string library{};  // the model's name in bench::Cases(); if not empty, start the library floor, too
  };

  static base::Result<ServedModel> Start(const Options& options);

  const LoadTarget& server() const { return call_.server; }
  // Only if Options asked for it.
  const LoadTarget& floor() const { return *call_.floor; }
  const std::optional<LoadTarget>& library_floor() const { return call_.library_floor; }

 private:
  ServedModel(ScratchRepository repository, Programs programs, PreparedCall call)
      : repository_(std::move(repository)), programs_(std::move(programs)), call_(std::move(call)) {}

  ScratchRepository repository_;
  Programs programs_;  // declared after the repository, so that they end before it
  PreparedCall call_;
};

}  // namespace inferd::bench
