#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/status.h"
#include "serving/core/request/infer_request.h"

namespace inferd::v2 {

// The most parameters that one object (a request, an input, an output) may carry.
inline constexpr size_t kParametersMax = 256;
// The most inputs, and the most requested outputs, of one request.
inline constexpr size_t kTensorsMax = 4096;

// What a request says about its response as a whole.
struct RequestSettings {
  bool binary_data_output = false;  // outputs are binary where they do not say otherwise
};

// Puts a parameter that Triton's extensions give a meaning to (priority, timeout in microseconds, binary_data_output,
// sequence_id, sequence_start, sequence_end) where it belongs, in `request` or `settings`. False: it has none, and is
// the model's.
//
// INVALID_ARGUMENT: a wrong type, a sequence_id of more than 128 bytes, or a name that starts with "triton_", which is
// reserved. `sequence_id` 0 or "" is no sequence, as in Triton.
base::Result<bool> TakeKnownParameter(std::string_view name, const core::ParameterValue& value,
                                      core::InferRequest& request, RequestSettings& settings);

// Takes all such parameters out of request.parameters, with the same errors. What is left is the model's.
base::Result<RequestSettings> TakeKnownParameters(core::InferRequest& request);

// Whether it is one of those, or reserved.
bool IsKnownParameter(std::string_view name);

// What a requested output says about its own form.
struct OutputSettings {
  bool binary = false;   // raw bytes behind the JSON (Triton's binary tensor extension)
  uint32_t classes = 0;  // > 0: this many classes in place of the tensor (Triton's classification extension)
  bool base64 = false;   // BYTES elements as base64 in JSON
  bool region = false;   // in a region of the client's shared memory: its bytes are not in the answer

  bool operator==(const OutputSettings&) const = default;
};

// Reads `binary_data`, `classification`, `content_type`, and whether a region is named, which goes with none of the
// first two. Names the output in errors.
base::Result<OutputSettings> ReadOutputSettings(const core::RequestedOutput& output, bool binary_default);

// Whether they are those of a tensor in a region of the client's shared memory (Triton's extension).
bool NamesRegion(const core::Parameters& parameters);

// Whether `parameters` asks for base64 text; INVALID_ARGUMENT if content_type is no string. Content types other than
// "base64" have no meaning here and are left to the model.
base::Result<bool> WantsBase64(const core::Parameters& parameters, std::string_view owner);

// An integer that is not negative, of either kind; nullopt: something else.
std::optional<uint64_t> AsUnsigned(const core::ParameterValue& value);

// Values as error texts show them: true, 12, 1.5, 'abc'.
std::string Describe(const core::ParameterValue& value);

}  // namespace inferd::v2
