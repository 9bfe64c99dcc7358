#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "ctl/request_headers.h"
#include "data/tensor/data_type.h"
#include "data/tensor/shape.h"
#include "net/client/http_client.h"

namespace inferd::ctl {

// One input or output, as a model's metadata has it; -1 is a dimension of any size.
struct TensorSignature {
  std::string name;
  tensor::DataType datatype = tensor::DataType::kInvalid;
  tensor::Shape shape;
};

struct ModelSignature {
  std::string name;
  std::string platform;
  std::vector<std::string> versions;
  std::vector<TensorSignature> inputs;
  std::vector<TensorSignature> outputs;
};

struct IndexRow {
  std::string name, version, state, reason;
};

struct ServerInfo {
  std::string name, version;
  std::vector<std::string> extensions;
};

// A server that speaks Predict V2 over HTTP: ours or another's. Blocking; not thread-safe.
//
// Errors: what the server answers with an error status becomes the Status that HTTP code stands for, with the server's
// own text; UNAVAILABLE also if it cannot be reached.
class V2Server final {
 public:
  // Every request carries `headers`, behind its own.
  static base::Result<V2Server> Open(net::HttpClient::Options options, HeaderList headers = {});

  base::Result<net::ClientResponse> Call(const net::ClientRequest& request);
  base::Result<std::string> Get(const std::string& path);
  base::Result<std::string> Post(const std::string& path, std::string json);
  // Whether a health path answers 200.
  base::Result<bool> Healthy(const std::string& path);

  base::Result<ServerInfo> Info();
  base::Result<ModelSignature> Model(const std::string& name, const std::string& version);
  base::Result<std::vector<IndexRow>> Index(bool ready_only);

  // `request` with the headers that every request carries.
  net::ClientRequest WithHeaders(net::ClientRequest request) const;

  const std::string& url() const { return client_->url(); }

 private:
  V2Server(std::unique_ptr<net::HttpClient> client, HeaderList headers)
      : client_(std::move(client)), headers_(std::move(headers)) {}

  std::unique_ptr<net::HttpClient> client_;
  HeaderList headers_;
};

// "/v2/models/M" or "/v2/models/M/versions/V", percent-encoded.
std::string ModelPath(std::string_view name, std::string_view version);

}  // namespace inferd::ctl
