#include "ctl/v2_server.h"

#include <utility>

#include "base/text/percent.h"
#include "base/text/utf8.h"
#include "data/json/read.h"
#include "data/json/reader.h"
#include "data/json/writer.h"

namespace inferd::ctl {

namespace {

using base::Result;
using base::Status;
using base::StatusCode;

StatusCode CodeOf(int http_status) {
  switch (http_status) {
    case 401: return StatusCode::kUnauthenticated;
    case 403: return StatusCode::kPermissionDenied;
    case 404: return StatusCode::kNotFound;
    case 409: return StatusCode::kAborted;
    case 413:
    case 429: return StatusCode::kResourceExhausted;
    case 501: return StatusCode::kUnimplemented;
    case 503: return StatusCode::kUnavailable;
    case 504: return StatusCode::kDeadlineExceeded;
    default: return http_status / 100 == 4 ? StatusCode::kInvalidArgument : StatusCode::kInternal;
  }
}

Status ReadTexts(json::Reader& reader, std::vector<std::string>& texts) {
  return json::ReadArray(reader, [&] { return json::ReadText(reader, texts.emplace_back()); });
}

Status ReadTensor(json::Reader& reader, TensorSignature& tensor) {
  return json::ReadObject(reader, [&](std::string_view key) -> Status {
    if (key == "name") return json::ReadText(reader, tensor.name);
    if (key == "datatype") {
      INFERD_ASSIGN_OR_RETURN(const std::string_view name, reader.ReadString());
      tensor.datatype = tensor::ParseDataType(name).value_or(tensor::DataType::kInvalid);
      return base::OkStatus();
    }
    if (key != "shape") return reader.SkipValue();
    return json::ReadArray(reader, [&]() -> Status {
      INFERD_ASSIGN_OR_RETURN(const int64_t dim, reader.ReadInt64());
      tensor.shape.Append(dim);
      return base::OkStatus();
    });
  });
}

Status ReadTensors(json::Reader& reader, std::vector<TensorSignature>& tensors) {
  return json::ReadArray(reader, [&] { return ReadTensor(reader, tensors.emplace_back()); });
}

Status ReadIndexRow(json::Reader& reader, IndexRow& row) {
  return json::ReadObject(reader, [&](std::string_view key) -> Status {
    if (key == "name") return json::ReadText(reader, row.name);
    if (key == "version") return json::ReadText(reader, row.version);
    if (key == "state") return json::ReadText(reader, row.state);
    if (key == "reason") return json::ReadText(reader, row.reason);
    return reader.SkipValue();
  });
}

// Returns the text of {"error": ...}, or else the beginning of the body.
std::string ErrorText(const std::string& body) {
  std::string text;
  json::Reader reader(body);
  const Status status = json::ReadObject(reader, [&](std::string_view key) -> Status {
    return key == "error" ? json::ReadText(reader, text) : reader.SkipValue();
  });
  constexpr size_t kShownMax = 500;
  return status.ok() && !text.empty() ? text : base::ReplaceMalformedUtf8(body.substr(0, kShownMax));
}

}  // namespace

Result<V2Server> V2Server::Open(net::HttpClient::Options options, HeaderList headers) {
  INFERD_ASSIGN_OR_RETURN(auto client, net::HttpClient::Create(std::move(options)));
  return V2Server(std::move(client), std::move(headers));
}

net::ClientRequest V2Server::WithHeaders(net::ClientRequest request) const {
  request.headers.insert(request.headers.end(), headers_.begin(), headers_.end());
  return request;
}

Result<net::ClientResponse> V2Server::Call(const net::ClientRequest& request) {
  INFERD_ASSIGN_OR_RETURN(net::ClientResponse response, client_->Call(WithHeaders(request)));
  if (response.status / 100 == 2) return response;
  std::string text = "HTTP " + std::to_string(response.status);
  if (!response.body.empty()) text += ": " + ErrorText(response.body);
  return std::unexpected(Status(CodeOf(response.status), std::move(text)));
}

Result<std::string> V2Server::Get(const std::string& path) {
  net::ClientRequest request;
  request.path = path;
  INFERD_ASSIGN_OR_RETURN(net::ClientResponse response, Call(request));
  return std::move(response.body);
}

Result<std::string> V2Server::Post(const std::string& path, std::string json) {
  net::ClientRequest request;
  request.method = "POST";
  request.path = path;
  request.headers = {{"Content-Type", "application/json"}};
  request.body = std::move(json);
  INFERD_ASSIGN_OR_RETURN(net::ClientResponse response, Call(request));
  return std::move(response.body);
}

Result<bool> V2Server::Healthy(const std::string& path) {
  net::ClientRequest request;
  request.path = path;
  INFERD_ASSIGN_OR_RETURN(const net::ClientResponse response, client_->Call(WithHeaders(std::move(request))));
  return response.status == 200;
}

Result<ServerInfo> V2Server::Info() {
  INFERD_ASSIGN_OR_RETURN(const std::string body, Get("/v2"));
  ServerInfo info;
  json::Reader reader(body);
  INFERD_RETURN_IF_ERROR(json::ReadObject(reader, [&](std::string_view key) -> Status {
    if (key == "name") return json::ReadText(reader, info.name);
    if (key == "version") return json::ReadText(reader, info.version);
    if (key == "extensions") return ReadTexts(reader, info.extensions);
    return reader.SkipValue();
  }));
  return info;
}

Result<ModelSignature> V2Server::Model(const std::string& name, const std::string& version) {
  INFERD_ASSIGN_OR_RETURN(const std::string body, Get(ModelPath(name, version)));
  ModelSignature model;
  json::Reader reader(body);
  INFERD_RETURN_IF_ERROR(json::ReadObject(reader, [&](std::string_view key) -> Status {
    if (key == "name") return json::ReadText(reader, model.name);
    if (key == "platform") return json::ReadText(reader, model.platform);
    if (key == "versions") return ReadTexts(reader, model.versions);
    if (key == "inputs") return ReadTensors(reader, model.inputs);
    if (key == "outputs") return ReadTensors(reader, model.outputs);
    return reader.SkipValue();
  }));
  return model;
}

Result<std::vector<IndexRow>> V2Server::Index(bool ready_only) {
  INFERD_ASSIGN_OR_RETURN(const std::string body,
                          Post("/v2/repository/index", ready_only ? R"({"ready":true})" : R"({"ready":false})"));
  std::vector<IndexRow> rows;
  json::Reader reader(body);
  INFERD_RETURN_IF_ERROR(json::ReadArray(reader, [&] { return ReadIndexRow(reader, rows.emplace_back()); }));
  return rows;
}

std::string ModelPath(std::string_view name, std::string_view version) {
  std::string path = "/v2/models/" + base::PercentEncoded(name);
  if (!version.empty()) path += "/versions/" + base::PercentEncoded(version);
  return path;
}

}  // namespace inferd::ctl
