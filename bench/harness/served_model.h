#pragma once

#include <string>
#include <vector>

#include "base/status.h"
#include "bench/harness/model_call.h"
#include "bench/harness/programs.h"
#include "bench/harness/scratch_repository.h"

namespace inferd::bench {

// A server of ours with one model in a configuration of its own, and a call of that model, ready to be sent.
class ServedModel final {
 public:
  struct Options {
    std::string programs;  // the folder
    std::string file;      // the .onnx
    std::string config;    // config.pbtxt
    Wire wire = Wire::kBinary;
    bool floor = false;     // beside it
    std::string library{};  // what bench::Cases() call it: with the floor, one that has the bare library, too
  };

  static base::Result<ServedModel> Start(const Options& options);

  const LoadTarget& server() const { return call_.server; }
  // Only where it was asked for.
  const LoadTarget& floor() const { return *call_.floor; }
  const std::optional<LoadTarget>& library_floor() const { return call_.library_floor; }

 private:
  ServedModel(ScratchRepository repository, Programs programs, PreparedCall call)
      : repository_(std::move(repository)), programs_(std::move(programs)), call_(std::move(call)) {}

  ScratchRepository repository_;
  Programs programs_;  // end before their repository does
  PreparedCall call_;
};

}  // namespace inferd::bench
