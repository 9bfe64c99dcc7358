// The openvino engine: IR, TensorFlow Lite and Paddle, and, if configured, ONNX and TensorFlow, on the CPU through
// OpenVINO's C++ API.

#include <memory>
#include <openvino/core/except.hpp>
#include <openvino/core/version.hpp>
#include <openvino/runtime/core.hpp>
#include <string>

#include "engines/kit/engine_table.h"
#include "engines/openvino/error_text.h"
#include "engines/openvino/ov_instance.h"
#include "engines/openvino/ov_model.h"
#include "inferd/engine_abi.h"

namespace inferd::openvino {

namespace {

// Returns the release in "2026.4.1-22982-...".
std::string ReleaseOf(const ov::Version& version) {
  const std::string build = version.buildNumber;
  return build.substr(0, build.find('-'));
}

class OpenvinoEngine final {
 public:
  using Model = OvModel;
  using Instance = OvInstance;

  static base::Result<std::unique_ptr<OpenvinoEngine>> Start(const inferd_host* host) {
    const std::string version = ReleaseOf(ov::get_openvino_version());
    // The library's classes have the layout of the headers of the same release.
    if (version != INFERD_OPENVINO_VERSION) {
      return std::unexpected(base::FailedPrecondition("libopenvino is of release " + version +
                                                      ", and the engine was built for " + INFERD_OPENVINO_VERSION));
    }
    try {
      return std::unique_ptr<OpenvinoEngine>(new OpenvinoEngine(host, version));
    } catch (const ov::Exception& exception) {
      return std::unexpected(base::Unavailable(ErrorText(exception.what())));
    }
  }

  const inferd_host* host() const { return host_; }
  const char* name() const { return "openvino"; }
  const char* version() const { return version_.c_str(); }
  const char* default_model_filename() const { return "model.xml"; }

  base::Result<std::unique_ptr<OvModel>> Load(const inferd_load& load) { return OvModel::Load(host_, &core_, load); }
  base::Result<std::unique_ptr<OvInstance>> CreateInstance(OvModel* model) { return OvInstance::Create(model); }

 private:
  OpenvinoEngine(const inferd_host* host, std::string version) : host_(host), version_(std::move(version)) {}

  const inferd_host* host_;
  const std::string version_;
  ov::Core core_;  // thread-safe
};

}  // namespace

}  // namespace inferd::openvino

const inferd_engine* inferd_engine_v1(const inferd_host* host, inferd_error* error) {
  return inferd::kit::EngineTable<inferd::openvino::OpenvinoEngine>::Open(host, error);
}
