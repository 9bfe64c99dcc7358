// Fuzzes infer requests in JSON against a strict DOM (Boost.JSON). An accepted body must be JSON with the same content
// for both, and our reader must refuse what the DOM refuses. The same tensors in binary form must be the same request.

#include <algorithm>
#include <boost/json/src.hpp>
#include <cstdint>
#include <string>
#include <string_view>

#include "fuzz/dom.h"
#include "fuzz/fuzz_region.h"
#include "fuzz/v2_requests.h"
#include "protocols/v2/region_tensors.h"

namespace inferd::fuzz {
namespace {

namespace dom = boost::json;

std::string_view Text(const dom::value& value) { return {value.as_string().data(), value.as_string().size()}; }

void CheckInput(const core::InferTensor& input, const dom::object& object) {
  Require(Text(object.at("name")) == input.name, "an input's name differs");
  Require(Text(object.at("datatype")) == tensor::DataTypeName(input.datatype), "an input's datatype differs");
  const dom::array& shape = object.at("shape").as_array();
  Require(shape.size() == input.shape.rank(), "an input's rank differs");
  for (size_t i = 0; i < shape.size(); ++i) {
    Require(shape[i].to_number<int64_t>() == input.shape[i], "an input's dimension differs");
  }
  Require(object.contains("data") != v2::NamesRegion(input.parameters), "accepted without data, or with more");
  if (!object.contains("data")) return;
  Require(tensor::CheckRaw(input.datatype, input.shape, input.data.bytes()).ok(),
          "accepted, and does not fit its shape");
}

void CheckAgainstDom(const core::InferRequest& request, const dom::value& parsed) {
  const dom::object& object = parsed.as_object();
  const dom::value* const id = object.if_contains("id");
  Require((id == nullptr ? std::string_view() : Text(*id)) == request.id, "the id differs");
  const dom::array& inputs = object.at("inputs").as_array();
  Require(inputs.size() == request.inputs.size(), "the inputs' count differs");
  for (size_t i = 0; i < inputs.size(); ++i) CheckInput(request.inputs[i], inputs[i].as_object());
  const dom::value* const outputs = object.if_contains("outputs");
  Require((outputs == nullptr ? 0 : outputs->as_array().size()) == request.outputs.size(),
          "the outputs' count differs");
  for (size_t i = 0; i < request.outputs.size(); ++i) {
    Require(Text(outputs->as_array()[i].as_object().at("name")) == request.outputs[i].name, "an output's name differs");
  }
}

// Checks that tensors in the client's shared memory lie in its region, or are refused.
void CheckRegions(core::InferRequest& request) {
  static FuzzRegion region;
  const auto tensors = v2::RegionTensors::Attach(request, &region.registry(), "");
  if (!tensors.has_value()) {
    const base::StatusCode code = tensors.error().code();
    return Require(code == base::StatusCode::kInvalidArgument || code == base::StatusCode::kNotFound,
                   "a region is refused as something else than the client's fault");
  }
  for (const core::InferTensor& input : request.inputs) {
    Require(!v2::NamesRegion(input.parameters), "a place is left");
    for (const std::byte byte : input.data.bytes()) region.Touch(byte);
  }
  for (const core::RequestedOutput& output : request.outputs) {
    Require(output.memory.size() <= FuzzRegion::kBytes, "an output is larger than its region");
  }
  Require(*tensors == nullptr || !region.registry().Unregister("r").ok(), "a region in use was unregistered");
}

void Run(std::string_view text) {
  const auto decoded = oip_http::ReadInferRequest(SliceOf(text), text.size(), false, "m");
  if (!decoded.has_value()) {
    const base::StatusCode code = decoded.error().code();
    Require(code == base::StatusCode::kInvalidArgument || code == base::StatusCode::kUnimplemented,
            "refused as something else than the client's fault");
    Require(!decoded.error().message().empty(), "refused without a reason");
    return;
  }
  // Only our reader accepts NaN and Infinity.
  const bool tokens = text.find("NaN") != std::string_view::npos || text.find("Infinity") != std::string_view::npos;
  boost::system::error_code error;
  const dom::value parsed = ParseDom(text, 128, error);
  // RFC 8259 sets no limit for exponents, so a skipped number may have any.
  Require(!error || tokens || error == dom::error::exponent_overflow, "accepted, and no JSON");
  if (!error) CheckAgainstDom(*decoded->request, parsed);
  const bool in_regions =
      std::ranges::any_of(decoded->request->inputs, v2::NamesRegion, &core::InferTensor::parameters) ||
      std::ranges::any_of(decoded->request->outputs, v2::NamesRegion, &core::RequestedOutput::parameters);
  if (in_regions) return CheckRegions(*decoded->request);
  CheckBothForms(*decoded->request);
}

}  // namespace
}  // namespace inferd::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  inferd::fuzz::Run({reinterpret_cast<const char*>(data), size});
  return 0;
}
