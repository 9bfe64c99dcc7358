#pragma once

#include <cstddef>
#include <vector>

#include "base/status.h"
#include "inferd/engine_abi.h"

namespace inferd::kit {

// The only response to all requests of a batch. Reuses its arrays from batch to batch. Not thread-safe.
class BatchAnswer final {
 public:
  // Reserves room for the maximum number of outputs.
  void Reserve(size_t outputs) {
    outputs_.reserve(outputs);
    list_.reserve(outputs);
  }

  // Adds an empty output, to be filled before Send(). It is valid until Add() exceeds the reserved number.
  inferd_output& Add() {
    inferd_output& output = outputs_.emplace_back();
    output.struct_size = sizeof(output);
    return output;
  }

  size_t size() const { return outputs_.size(); }
  const inferd_output& operator[](size_t i) const { return outputs_[i]; }

  // Sends the response, which takes over outputs that have a `release`.
  void Send(const inferd_host& host, const inferd_batch& batch) {
    for (const inferd_output& output : outputs_) list_.push_back(&output);
    inferd_response response = {};
    response.struct_size = sizeof(response);
    response.outputs = list_.data();
    response.output_count = list_.size();
    response.final = 1;
    host.respond(&batch, INFERD_ALL_REQUESTS, &response);
  }

  // Sends the same failure to every request.
  static void Fail(const inferd_host& host, const inferd_batch& batch, const base::Status& status) {
    inferd_response response = {};
    response.struct_size = sizeof(response);
    response.code = static_cast<int32_t>(status.code());
    response.message = {status.message().data(), status.message().size()};
    response.final = 1;
    host.respond(&batch, INFERD_ALL_REQUESTS, &response);
  }

  void Clear() {
    outputs_.clear();
    list_.clear();
  }

 private:
  std::vector<inferd_output> outputs_;
  std::vector<const inferd_output*> list_;
};

}  // namespace inferd::kit
