#include "engines/onnxruntime/library/ort.h"

#include <string>

namespace inferd::onnxruntime {

namespace {

const OrtApi* api = nullptr;  // set once by OpenOrt, before anything else runs

base::StatusCode ToCode(OrtErrorCode code) {
  switch (code) {
    case ORT_NO_SUCHFILE: return base::StatusCode::kNotFound;
    case ORT_INVALID_ARGUMENT:
    case ORT_NO_MODEL:
    case ORT_INVALID_PROTOBUF:
    case ORT_INVALID_GRAPH: return base::StatusCode::kInvalidArgument;
    case ORT_NOT_IMPLEMENTED: return base::StatusCode::kUnimplemented;
    default: return base::StatusCode::kInternal;
  }
}

}  // namespace

base::Status OpenOrt() {
  // Requests the header's version: a newer library has it, an older one does not.
  api = OrtGetApiBase()->GetApi(ORT_API_VERSION);
  if (api != nullptr) return base::OkStatus();
  return base::FailedPrecondition("ONNX Runtime " + std::string(OrtVersion()) + " is too old: version 1." +
                                  std::to_string(ORT_API_VERSION) + " or newer is needed");
}

const OrtApi& Ort() { return *api; }

std::string_view OrtVersion() { return OrtGetApiBase()->GetVersionString(); }

base::Status ToStatus(OrtStatus* status) {
  if (status == nullptr) return base::OkStatus();
  std::string message = api->GetErrorMessage(status);
  message.resize(message.find_last_not_of(" \n") + 1);
  base::Status result(ToCode(api->GetErrorCode(status)), std::move(message));
  api->ReleaseStatus(status);
  return result;
}

}  // namespace inferd::onnxruntime
