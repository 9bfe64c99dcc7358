// Fuzzes bodies of :predict and :classify against a strict DOM (Boost.JSON). For :predict, an accepted body must be
// JSON, its tensors must fit their shapes and have the DOM's values, and it must be the same request if it is written
// in its own format and read again. For :classify, an accepted body must be JSON, and its tensors must have a row per
// example. With tensorflow_model_server's lenient rules, a body that is accepted without them must be the same request.
// Input: verb, rules and model, then the body.

#include <boost/json/src.hpp>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>

#include "data/tensor/raw.h"
#include "fuzz/dom.h"
#include "fuzz/require.h"
#include "protocols/tfs_http/codec/example_reader.h"
#include "protocols/v1/predict_reader.h"
#include "protocols/v1/predict_writer.h"

namespace inferd::fuzz {
namespace {

namespace dom = boost::json;
using tensor::DataType;
using v1::BodyRules;

constexpr BodyRules kExact = {.trailing_bytes = true, .values = tensorjson::ValueRules::kLenient};

// Returns a signature with one input of a datatype, or with several inputs.
core::ModelSignature Signature(uint8_t choice) {
  constexpr DataType kTypes[] = {DataType::kBool,   DataType::kUint8, DataType::kUint16, DataType::kUint32,
                                 DataType::kUint64, DataType::kInt8,  DataType::kInt16,  DataType::kInt32,
                                 DataType::kInt64,  DataType::kFp16,  DataType::kFp32,   DataType::kFp64,
                                 DataType::kBytes,  DataType::kBf16};
  constexpr uint8_t kCount = sizeof kTypes / sizeof kTypes[0];
  if (choice % (kCount + 1) < kCount) {
    return {.inputs = {{.name = "x", .datatype = kTypes[choice % (kCount + 1)], .shape = {-1}}}, .outputs = {}};
  }
  return {.inputs = {{.name = "x", .datatype = DataType::kFp32, .shape = {-1, 2}},
                     {.name = "n_bytes", .datatype = DataType::kBytes, .shape = {-1}},
                     {.name = "o", .datatype = DataType::kInt64, .shape = {-1}, .optional = true}},
          .outputs = {}};
}

// Returns the number of values in a value that are no lists. {"b64": ..} counts as one.
size_t CountLeaves(const dom::value& value) {
  const dom::array* const array = value.if_array();
  if (array == nullptr) return 1;
  size_t count = 0;
  for (const dom::value& element : *array) count += CountLeaves(element);
  return count;
}

void CheckLoneInput(const core::InferTensor& input, const dom::object& body, bool row) {
  const dom::value& value = body.at(row ? "instances" : "inputs");
  const dom::object* const object = row ? value.as_array()[0].if_object() : value.if_object();
  if (object != nullptr && object->contains("x")) return;
  const auto count = input.shape.ElementCount();
  Require(count.has_value() && static_cast<size_t>(*count) == CountLeaves(value), "the count of elements differs");
}

// The bits of a NaN are not written. `nan` is true if there may be a NaN.
void CheckSame(const core::InferRequest& before, const core::InferRequest& after, bool nan) {
  Require(before.inputs.size() == after.inputs.size(), "read as something else");
  for (size_t i = 0; i < before.inputs.size(); ++i) {
    const core::InferTensor& a = before.inputs[i];
    const core::InferTensor& b = after.inputs[i];
    Require(a.name == b.name && a.shape == b.shape, "a name or shape differs");
    if (!nan) Require(a.data.view() == b.data.view(), "a tensor differs");
  }
}

void CheckAgain(const core::InferRequest& request, bool row, const core::ModelSignature& signature) {
  core::InferResponse response;
  response.outputs.assign(request.inputs.begin(), request.inputs.end());
  const auto written = v1::WritePredictions(response, row);
  // There is no base64 for strings of other names, and there are no rows of scalars.
  if (!written.has_value()) {
    Require(written.error().code() == base::StatusCode::kInvalidArgument, "written with another error");
    return;
  }
  std::string text;
  for (const base::BufferSlice& piece : written->body) text += piece.view();
  const std::string_view from = row ? "{\"predictions\":" : "{\"outputs\":";
  Require(text.starts_with(from), "written under another key");
  // A single output is written without its name. Reading accepts that, except for an object of several inputs of which
  // only one is given.
  if (signature.inputs.size() > 1 && request.inputs.size() == 1) return;
  text = (row ? "{\"instances\":" : "{\"inputs\":") + text.substr(from.size());
  const auto again = v1::ReadPredict(text, signature);
  // An empty batch has no list of instances.
  if (!again.has_value() && row && request.inputs[0].shape[0] == 0) return;
  Require(again.has_value(), "written, and not read");
  Require(again->row == row, "read as something else");
  CheckSame(request, *again->request, text.find("NaN") != std::string::npos);
}

// Checks that without the lenient rules the body is refused, or is the same request.
void CheckStrict(const core::ModelSignature& signature, std::string_view text,
                 const base::Result<v1::DecodedPredict>& decoded) {
  const auto strict = v1::ReadPredict(text, signature);
  if (!strict.has_value()) return;
  Require(decoded.has_value() && decoded->row == strict->row, "refused for a laxity");
  CheckSame(*strict->request, *decoded->request, false);
}

void Run(uint8_t choice, const BodyRules& rules, std::string_view text) {
  const core::ModelSignature signature = Signature(choice);
  const base::Status body = v1::CheckBody(text, rules);
  const auto decoded = v1::ReadPredict(text, signature, rules);
  if (rules.trailing_bytes) CheckStrict(signature, text, decoded);
  if (!decoded.has_value()) {
    RequireRefused(decoded.error());
    Require(body.ok() || body == decoded.error(), "the JSON's fault is not the one that is told");
    return;
  }
  Require(body.ok(), "read, and no JSON");
  const core::InferRequest& request = *decoded->request;
  Require(!request.inputs.empty(), "no input");
  for (const core::InferTensor& input : request.inputs) {
    Require(tensor::CheckRaw(input.datatype, input.shape, input.data.bytes()).ok(), "a tensor does not fit its shape");
  }
  const bool tokens = text.find("NaN") != std::string_view::npos || text.find("Inf") != std::string_view::npos;
  boost::system::error_code error;
  const dom::value parsed = ParseDom(text, 128, error);
  // RFC 8259 sets no limit for exponents, so a skipped number may have any.
  Require(!error || tokens || rules.trailing_bytes || error == dom::error::exponent_overflow, "accepted, and no JSON");
  if (!error && signature.inputs.size() == 1) CheckLoneInput(request.inputs[0], parsed.as_object(), decoded->row);
  CheckAgain(request, decoded->row, signature);
}

void RunExamples(uint8_t choice, const BodyRules& rules, std::string_view text) {
  const base::Status body = v1::CheckBody(text, rules);
  const auto request = tfs_http::ReadExamples(text, Signature(choice), {.body = rules, .tensor_bytes_max = 1 << 16});
  if (!request.has_value()) {
    const base::StatusCode code = request.error().code();
    Require(code == base::StatusCode::kInvalidArgument || code == base::StatusCode::kResourceExhausted,
            "refused as something else than bad input");
    Require(body.ok() || body == request.error(), "the JSON's fault is not the one that is told");
    return;
  }
  Require(body.ok(), "read, and no JSON");
  for (const core::InferTensor& input : (*request)->inputs) {
    Require(tensor::CheckRaw(input.datatype, input.shape, input.data.bytes()).ok(), "a tensor does not fit its shape");
    Require(input.shape[0] == (*request)->inputs[0].shape[0], "inputs differ in their examples");
  }
}

}  // namespace
}  // namespace inferd::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const auto choice = static_cast<uint8_t>(data[0] & 0x3F);
  const auto rules = (data[0] & 0x40) != 0 ? inferd::fuzz::kExact : inferd::v1::BodyRules();
  const std::string_view text(reinterpret_cast<const char*>(data + 1), size - 1);
  const auto run = (data[0] & 0x80) != 0 ? inferd::fuzz::RunExamples : inferd::fuzz::Run;
  run(choice, rules, text);
  return 0;
}
