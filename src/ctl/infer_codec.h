#pragma once

#include <string>
#include <vector>

#include "base/status.h"
#include "ctl/input_value.h"
#include "net/client/http_client.h"

namespace inferd::ctl {

enum class Wire { kJson, kBinary };

// What is asked of the model, besides its inputs.
struct InferOptions {
  std::string model;
  std::string version;
  std::string id;
  std::vector<std::string> outputs;  // empty: all
  int classes = 0;                   // > 0: the top classes of each output (the classification extension)
  Wire wire = Wire::kJson;
};

struct InferAnswer {
  std::string model_name, model_version, id;
  std::vector<NamedTensor> outputs;
};

// Predict V2's inference request; with kBinary, the binary tensor data extension's. INVALID_ARGUMENT: BYTES that are
// not UTF-8 cannot go as JSON.
base::Result<net::ClientRequest> EncodeInfer(const InferOptions& options, const std::vector<NamedTensor>& inputs);

// An answer of either form. INTERNAL: it is not what Predict V2 says.
base::Result<InferAnswer> DecodeInfer(const net::ClientResponse& response);

}  // namespace inferd::ctl
