#pragma once

#include <string>
#include <vector>

#include "base/status.h"
#include "ctl/input_value.h"
#include "net/client/http_client.h"

namespace inferd::ctl {

enum class Wire { kJson, kBinary };

// The options of an inference, in addition to its inputs.
struct InferOptions {
  std::string model;
  std::string version;
  std::string id;
  std::vector<std::string> outputs;  // all if empty
  int classes = 0;                   // if > 0: the top classes of each output (the classification extension)
  Wire wire = Wire::kJson;
};

struct InferAnswer {
  std::string model_name, model_version, id;
  std::vector<NamedTensor> outputs;
};

// Encodes an inference request of Predict V2, with its binary tensor data extension for kBinary. INVALID_ARGUMENT if
// kJson is used for BYTES that are not UTF-8.
base::Result<net::ClientRequest> EncodeInfer(const InferOptions& options, const std::vector<NamedTensor>& inputs);

// Decodes a response of either form. INTERNAL if it violates Predict V2.
base::Result<InferAnswer> DecodeInfer(const net::ClientResponse& response);

}  // namespace inferd::ctl
