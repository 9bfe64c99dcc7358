#pragma once

#include <cstddef>
#include <cstdint>

#include "data/wire/writer.h"
#include "serving/core/request/infer_request.h"

namespace inferd::oip_grpc {

// Writes `parameters` as a map<string, InferParameter> into the message that `out` is writing.
void WriteParameters(wire::Writer& out, uint32_t number, const core::Parameters& parameters);

// Returns an upper bound of the bytes that WriteParameters() writes.
size_t ParametersSizeMax(const core::Parameters& parameters);

}  // namespace inferd::oip_grpc
