#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace inferd::ctl {

// The parsed output of `inferd --list-engines`.
struct EngineList {
  struct Format {
    std::string name;                // "ONNX"
    std::vector<std::string> files;  // "*.onnx", "*.xml with *.bin"
  };
  struct Engine {
    std::string name, version;
    std::vector<std::string> devices;
    std::vector<Format> formats;
    std::string install;  // the command that installs it, if it is missing
  };

  std::string directory;
  std::vector<Engine> engines, missing;
  std::vector<std::string> problems;  // libraries that do not open
};

// INVALID_ARGUMENT if `printed` is not such an output.
base::Result<EngineList> ParseEngineList(std::string_view printed);

}  // namespace inferd::ctl
