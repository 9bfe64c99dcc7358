#include "protocols/mlflow_http/codec/answer.h"

#include <algorithm>
#include <string>
#include <vector>

#include "base/text/base64.h"
#include "base/text/printable.h"
#include "base/text/utf8.h"
#include "data/json/writer.h"
#include "data/tensor/bytes.h"
#include "data/tensorjson/nested_writer.h"
#include "protocols/v1/predict_writer.h"

namespace inferd::mlflow_http {

namespace {

using base::StatusCode;
using tensorjson::NestedWriter;

constexpr size_t kMessageBytesMax = 16 << 10;

bool IsTable(const core::InferResponse& response) {
  const core::ParameterValue* const type = core::FindParameter(response.parameters, "content_type");
  const auto* const text = type == nullptr ? nullptr : std::get_if<std::string>(type);
  return text != nullptr && *text == "pd";
}

// The values of an output in the response.
struct Values {
  base::Buffer encoded;  // elements in base64, if they are not text
  NestedWriter writer;
};

bool AllText(const tensor::PackedElements& elements) {
  for (const std::string_view element : elements) {
    if (!base::IsUtf8(element)) return false;
  }
  return true;
}

// Returns null if all elements are text.
base::Result<base::Buffer> EncodedElements(const core::InferTensor& output) {
  const tensor::PackedElements elements(output.data.bytes());
  if (output.datatype != tensor::DataType::kBytes || AllText(elements)) return base::Buffer();
  tensor::BytesPacker packer(output.data.size() * 2);
  std::string text;
  for (const std::string_view element : elements) {
    text.resize(base::Base64Size(element.size()));
    base::EncodeBase64(element, text.data());
    INFERD_RETURN_IF_ERROR(packer.Append(text));
  }
  return packer.Take();
}

base::Result<Values> ValuesOf(const core::InferTensor& output) {
  INFERD_ASSIGN_OR_RETURN(base::Buffer encoded, EncodedElements(output));
  const base::BufferSlice data = encoded ? base::BufferSlice(encoded) : output.data;
  auto writer = NestedWriter::Create(output.datatype, output.shape, data.bytes(), /*base64=*/false);
  if (!writer.has_value()) return std::unexpected(writer.error().WithContext("output '" + output.name + "'"));
  return Values{.encoded = std::move(encoded), .writer = *std::move(writer)};
}

base::Status WriteRecords(json::Writer& json, const core::InferResponse& response) {
  std::vector<Values> columns;
  int64_t rows = -1;
  for (const core::InferTensor& output : response.outputs) {
    INFERD_ASSIGN_OR_RETURN(Values column, ValuesOf(output));
    columns.push_back(std::move(column));
    const int64_t own = output.shape.rank() == 0 ? -1 : output.shape[0];
    if (own < 0 || (rows >= 0 && own != rows)) {
      return base::Internal("output '" + output.name + "' is no column of the table: " + output.shape.ToString());
    }
    rows = own;
  }
  json.BeginArray();
  for (int64_t row = 0; row < rows; ++row) {
    json.BeginObject();
    for (size_t i = 0; i < columns.size(); ++i) {
      json.Key(response.outputs[i].name);
      INFERD_RETURN_IF_ERROR(columns[i].writer.WriteNext(json));
    }
    json.EndObject();
  }
  json.EndArray();
  return {};
}

base::Status WriteValues(json::Writer& json, const core::InferResponse& response) {
  const bool several = response.outputs.size() != 1;
  if (several) json.BeginObject();
  for (const core::InferTensor& output : response.outputs) {
    if (several) json.Key(output.name);
    INFERD_ASSIGN_OR_RETURN(Values values, ValuesOf(output));
    const base::Status written = values.writer.WriteAll(json);
    if (!written.ok()) return written.WithContext("output '" + output.name + "'");
  }
  if (several) json.EndObject();
  return {};
}

struct Shown {
  std::string_view error_code;
  int http_status;
};

Shown ShownAs(const Options& options, StatusCode code) {
  switch (code) {
    case StatusCode::kInvalidArgument:
    case StatusCode::kFailedPrecondition: return {"BAD_REQUEST", 400};
    case StatusCode::kOutOfRange: return {"INVALID_PARAMETER_VALUE", 400};
    case StatusCode::kNotFound: return {"RESOURCE_DOES_NOT_EXIST", 404};
    case StatusCode::kPermissionDenied: return {"PERMISSION_DENIED", 403};
    case StatusCode::kUnauthenticated: return {"UNAUTHENTICATED", 401};
    case StatusCode::kResourceExhausted: return {"REQUEST_LIMIT_EXCEEDED", 429};
    case StatusCode::kUnimplemented: return {"NOT_IMPLEMENTED", 501};
    case StatusCode::kUnavailable: return {"TEMPORARILY_UNAVAILABLE", 503};
    case StatusCode::kDeadlineExceeded: return {"DEADLINE_EXCEEDED", 504};
    case StatusCode::kCancelled: return {"CANCELLED", 499};
    default: return {"INTERNAL_ERROR", net::HttpStatus(options.statuses, code)};
  }
}

net::HttpResponse Answer(int http_status, std::string_view error_code, std::string_view message,
                         std::string_view stack_trace) {
  json::Writer json;
  json.BeginObject();
  json.Member("error_code", error_code);
  json.Member("message", message);
  if (!stack_trace.empty()) json.Member("stack_trace", stack_trace);
  json.EndObject();
  net::HttpResponse answer = v1::JsonAnswer(std::move(json));
  answer.status = http_status;
  return answer;
}

}  // namespace

size_t EstimateText(const core::InferResponse& response) { return v1::EstimateText(response); }

base::Result<net::HttpResponse> WriteAnswer(const core::InferResponse& response) {
  json::Writer json(EstimateText(response));
  json.BeginObject();
  json.Key("predictions");
  INFERD_RETURN_IF_ERROR(IsTable(response) ? WriteRecords(json, response) : WriteValues(json, response));
  json.EndObject();
  return v1::JsonAnswer(std::move(json));
}

net::HttpResponse ErrorAnswer(int http_status, std::string_view error_code, std::string_view message) {
  return Answer(http_status, error_code, message, {});
}

net::HttpResponse ErrorAnswer(const Options& options, const base::Status& status, int64_t retry_after_ms) {
  // A client controls the length of the quotations in a message.
  const bool long_text = status.message().size() > kMessageBytesMax;
  const std::string message = long_text ? base::Printable(status.message(), kMessageBytesMax) : status.message();
  if (status.code() == StatusCode::kInternal || status.code() == StatusCode::kUnknown) {
    return Answer(400, "BAD_REQUEST",
                  "Encountered an unexpected error while evaluating the model. Verify that the serialized input "
                  "Dataframe is compatible with the model for inference.",
                  message);
  }
  const Shown shown = ShownAs(options, status.code());
  net::HttpResponse answer = Answer(shown.http_status, shown.error_code, message, {});
  if (shown.http_status == 429 || (shown.http_status == 503 && retry_after_ms > 0)) {
    const int64_t seconds = retry_after_ms > 0 ? (retry_after_ms + 999) / 1000 : options.retry_after_s;
    answer.headers.emplace_back("Retry-After", std::to_string(std::max<int64_t>(seconds, 1)));
  }
  if (shown.http_status == 401) answer.headers.emplace_back("WWW-Authenticate", "Bearer");
  return answer;
}

}  // namespace inferd::mlflow_http
