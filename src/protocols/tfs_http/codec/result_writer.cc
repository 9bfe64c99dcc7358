#include "protocols/tfs_http/codec/result_writer.h"

#include <string_view>

#include "data/json/writer.h"
#include "data/tensorjson/nested_writer.h"
#include "protocols/tfs/results.h"

namespace inferd::tfs_http {

namespace {

// Writes `list` under the requested key, or under both.
net::HttpResponse ResultsResponse(std::string_view list, ResultKey key) {
  json::Writer writer(list.size() * 2 + 64);
  writer.BeginObject();
  if (key != ResultKey::kResults) {
    writer.Key("result");
    writer.Raw(list);
  }
  if (key != ResultKey::kResult) {
    writer.Key("results");
    writer.Raw(list);
  }
  writer.EndObject();
  net::HttpResponse http;
  http.content_type = "application/json";
  http.body = writer.Take();
  return http;
}

}  // namespace

base::Result<net::HttpResponse> WriteClassification(const core::InferResponse& response,
                                                    const core::ModelSignature& signature,
                                                    std::optional<int64_t> examples, ResultKey key) {
  INFERD_ASSIGN_OR_RETURN(const tfs::Classes found, tfs::FindClasses(response, signature, examples));
  json::Writer writer(found.rows * found.classes * 32 + 64);
  tfs::ClassCursor cursor(found);
  writer.BeginArray();
  for (size_t row = 0; row < found.rows; ++row) {
    writer.BeginArray();
    for (size_t i = 0; i < found.classes; ++i) {
      const auto [label, score] = cursor.Next();
      writer.BeginArray();
      writer.String(label);
      tensorjson::WriteNumber(writer, score);
      writer.EndArray();
    }
    writer.EndArray();
  }
  writer.EndArray();
  return ResultsResponse(writer.TakeString(), key);
}

base::Result<net::HttpResponse> WriteRegression(const core::InferResponse& response,
                                                const core::ModelSignature& signature, std::optional<int64_t> examples,
                                                ResultKey key) {
  INFERD_ASSIGN_OR_RETURN(const core::InferTensor* const values, tfs::FindValues(response, signature, examples));
  const auto count = static_cast<size_t>(values->shape.ElementCount().value_or(0));
  json::Writer writer(count * 16 + 64);
  writer.BeginArray();
  for (size_t i = 0; i < count; ++i) tensorjson::WriteNumber(writer, tfs::ValueAt(*values, i));
  writer.EndArray();
  return ResultsResponse(writer.TakeString(), key);
}

}  // namespace inferd::tfs_http
