#pragma once

#include <cstddef>
#include <cstdint>

#include "data/wire/writer.h"
#include "serving/core/request/infer_request.h"

namespace inferd::oip_grpc {

// Writes `parameters` as the map<string, InferParameter> of the message that `out` is writing.
void WriteParameters(wire::Writer& out, uint32_t number, const core::Parameters& parameters);

// No less than what WriteParameters writes.
size_t ParametersSizeMax(const core::Parameters& parameters);

}  // namespace inferd::oip_grpc
