#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/status.h"
#include "serving/core/request/infer_request.h"

namespace inferd::v2 {

// The maximum number of parameters of one object (a request, an input, an output).
inline constexpr size_t kParametersMax = 256;
// The maximum number of inputs, and of requested outputs, of one request.
inline constexpr size_t kTensorsMax = 4096;

// A request's settings for its whole response.
struct RequestSettings {
  bool binary_data_output = false;  // outputs are binary unless they say otherwise
};

// Moves a parameter with a meaning in Triton's extensions (priority, timeout in microseconds, binary_data_output,
// sequence_id, sequence_start, sequence_end) to its place in `request` or `settings`. Returns false for other
// parameters, which are the model's.
//
// INVALID_ARGUMENT for a wrong type, a sequence_id of more than 128 bytes, and a name that starts with "triton_", which
// is reserved. `sequence_id` 0 or "" means no sequence, as in Triton.
base::Result<bool> TakeKnownParameter(std::string_view name, const core::ParameterValue& value,
                                      core::InferRequest& request, RequestSettings& settings);

// Removes all such parameters from request.parameters, with the same errors. The rest are the model's.
base::Result<RequestSettings> TakeKnownParameters(core::InferRequest& request);

// Returns true if the name is one of those, or reserved.
bool IsKnownParameter(std::string_view name);

// A requested output's settings for its own form.
struct OutputSettings {
  bool binary = false;   // raw bytes after the JSON (Triton's binary tensor extension)
  uint32_t classes = 0;  // > 0: this many classes in place of the tensor (Triton's classification extension)
  bool base64 = false;   // BYTES elements as base64 in JSON
  bool region = false;   // in a region of the client's shared memory: the response does not contain its bytes

  bool operator==(const OutputSettings&) const = default;
};

// Reads `binary_data`, `classification` and `content_type`, and whether a region is named, which excludes the first
// two. Errors name the output.
base::Result<OutputSettings> ReadOutputSettings(const core::RequestedOutput& output, bool binary_default);

// Returns true if the parameters name a region of the client's shared memory (Triton's extension).
bool NamesRegion(const core::Parameters& parameters);

// Returns true if `parameters` asks for base64 text. INVALID_ARGUMENT if content_type is not a string. Content types
// other than "base64" are left to the model.
base::Result<bool> WantsBase64(const core::Parameters& parameters, std::string_view owner);

// Returns a non-negative integer of either kind, or nullopt for anything else.
std::optional<uint64_t> AsUnsigned(const core::ParameterValue& value);

// Formats a value for error texts: true, 12, 1.5, 'abc'.
std::string Describe(const core::ParameterValue& value);

}  // namespace inferd::v2
