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

// An input or output in a model's metadata. -1 is a variable dimension.
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

// A server that implements Predict V2 over HTTP: inferd or another. Blocking; not thread-safe.
//
// Errors: an HTTP error becomes the corresponding Status, with the server's own text. UNAVAILABLE also if the server
// cannot be reached.
class V2Server final {
 public:
  // Opens a client. `headers` are appended to every request's own.
  static base::Result<V2Server> Open(net::HttpClient::Options options, HeaderList headers = {});

  base::Result<net::ClientResponse> Call(const net::ClientRequest& request);
  base::Result<std::string> Get(const std::string& path);
  base::Result<std::string> Post(const std::string& path, std::string json);
  // Returns true if a health path answers 200.
  base::Result<bool> Healthy(const std::string& path);

  base::Result<ServerInfo> Info();
  base::Result<ModelSignature> Model(const std::string& name, const std::string& version);
  base::Result<std::vector<IndexRow>> Index(bool ready_only);

  // Returns the request with the headers of every request.
  net::ClientRequest WithHeaders(net::ClientRequest request) const;

  const std::string& url() const { return client_->url(); }

 private:
  V2Server(std::unique_ptr<net::HttpClient> client, HeaderList headers)
      : client_(std::move(client)), headers_(std::move(headers)) {}

  std::unique_ptr<net::HttpClient> client_;
  HeaderList headers_;
};

// Returns "/v2/models/M" or "/v2/models/M/versions/V", percent-encoded.
std::string ModelPath(std::string_view name, std::string_view version);

}  // namespace inferd::ctl
