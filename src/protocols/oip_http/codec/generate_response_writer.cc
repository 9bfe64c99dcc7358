#include "protocols/oip_http/codec/generate_response_writer.h"

#include <algorithm>
#include <string>
#include <string_view>

#include "data/json/writer.h"
#include "data/tensorjson/write.h"
#include "protocols/oip_http/codec/infer_response_writer.h"
#include "protocols/oip_http/codec/request/parameters_json.h"
#include "protocols/v2/carried_types.h"

namespace inferd::oip_http {

base::Result<net::HttpResponse> WriteGenerateResponse(const core::InferResponse& response, const Options& options) {
  INFERD_RETURN_IF_ERROR(v2::CheckCarried(response));
  const auto is_output = [&response](std::string_view name) {
    return std::ranges::any_of(response.outputs, [name](const auto& output) { return output.name == name; });
  };
  json::Writer writer(EstimateSize(response, {}).json_bytes);
  const auto write_text = [&](std::string_view name, const std::string& text) {
    if (!text.empty() && !is_output(name)) writer.Member(name, text);
  };
  writer.BeginObject();
  write_text("id", response.id);
  write_text("model_name", response.model_name);
  write_text("model_version", response.model_version);
  for (const auto& [name, value] : response.parameters) {
    if (is_output(name) || name == "id" || name == "model_name" || name == "model_version") continue;
    writer.Key(name);
    WriteParameterValue(writer, value);
  }
  for (const core::InferTensor& output : response.outputs) {
    writer.Key(output.name);
    const base::Status written = tensorjson::WriteData(writer, output.datatype, output.shape, output.data.bytes(),
                                                       {.nonfinite = options.nonfinite, .bare = true});
    if (!written.ok()) return std::unexpected(written.WithContext("output '" + output.name + "'"));
  }
  writer.EndObject();
  net::HttpResponse http;
  http.content_type = "application/json";
  http.body = writer.Take();
  return http;
}

}  // namespace inferd::oip_http
