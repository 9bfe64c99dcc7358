#include "server/start/greeting.h"

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text/percent.h"
#include "base/text/printable.h"

namespace inferd::server {

namespace {

constexpr size_t kGreetedModelsMax = 8;
constexpr size_t kGreetedNameBytesMax = 64;
// A longer command does not fit on a terminal.
constexpr int64_t kElementsMax = 128;

std::string AddressOf(const config::ListenerOptions& listener, uint16_t port) {
  const bool is_any = listener.address.empty() || listener.address == "0.0.0.0" || listener.address == "::";
  const bool is_ipv6 = !is_any && listener.address.contains(':');
  const std::string host = is_any ? "localhost" : is_ipv6 ? "[" + listener.address + "]" : listener.address;
  return host + ":" + std::to_string(port);
}

std::string UrlOf(const config::ListenerOptions& listener, uint16_t port) {
  return (listener.tls.certificate_file.empty() ? "http://" : "https://") + AddressOf(listener, port);
}

// Returns false if a shell or a JSON text would need the name to be escaped.
bool IsPlain(std::string_view name) {
  return !name.empty() && name.size() <= kGreetedNameBytesMax && std::ranges::all_of(name, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("_-.:/ ").contains(c);
  });
}

std::string_view ExampleElement(tensor::DataType type) {
  if (type == tensor::DataType::kBytes) return "\"text\"";
  return type == tensor::DataType::kBool ? "false" : "0";
}

// Returns an input of a request as JSON, with 1 for each dimension of any size. Empty if it is too long, or cannot be
// written as JSON.
std::string InputJson(const core::TensorSpec& spec) {
  tensor::Shape shape = spec.shape;
  for (size_t i = 0; i < shape.rank(); ++i) shape[i] = shape[i] < 0 ? 1 : shape[i];
  const auto count = shape.ElementCount();
  const bool is_text = tensor::IsPredictV2(spec.datatype) && spec.datatype != tensor::DataType::kFp16 &&
                       spec.datatype != tensor::DataType::kBf16;
  if (!is_text || spec.unknown_rank || !IsPlain(spec.name) || !count.has_value() || *count > kElementsMax) return "";
  std::string data;
  for (int64_t i = 0; i < *count; ++i) data.append(i == 0 ? "" : ",").append(ExampleElement(spec.datatype));
  return R"({"name":")" + spec.name + R"(","datatype":")" + std::string(tensor::DataTypeName(spec.datatype)) +
         R"(","shape":)" + shape.ToString() + R"(,"data":[)" + data + "]}";
}

// Returns the command's request. Empty if it is too long.
std::string RequestJson(const core::ModelMetadata& model) {
  std::string inputs;
  for (const core::TensorSpec& spec : model.inputs) {
    if (spec.optional || spec.alternative) continue;
    const std::string input = InputJson(spec);
    if (input.empty()) return "";
    inputs += (inputs.empty() ? "" : ",") + input;
  }
  return inputs.empty() ? "" : R"({"inputs":[)" + inputs + "]}";
}

std::string CommandFor(const std::string& url, bool is_tls, const core::ModelMetadata& model) {
  const std::string request = RequestJson(model);
  if (!request.empty() && request.size() <= 2 * kElementsMax + 4 * kGreetedNameBytesMax) {
    const std::string curl = is_tls ? "curl -sk " : "curl -s ";
    return curl + url + "/v2/models/" + base::PercentEncoded(model.name) + "/infer -d '" + request + "'";
  }
  return "inferctl --url " + url + " infer " + model.name + " --fill ones";
}

}  // namespace

std::string Greeting(const config::ServerOptions& options, const OpenPorts& ports, const core::Catalog& catalog) {
  std::vector<std::string> ready;
  std::string names;
  size_t shown = 0;
  for (std::string& model : catalog.ModelNames()) {
    if (!catalog.ModelReady(model, "").ok()) continue;
    if (shown++ < kGreetedModelsMax)
      names += (names.empty() ? "" : ", ") + base::Printable(model, kGreetedNameBytesMax);
    ready.push_back(std::move(model));
  }
  if (ready.empty()) return "";
  if (shown > kGreetedModelsMax) names += " and " + std::to_string(shown - kGreetedModelsMax) + " more";
  std::string text = "\nReady: " + names + "\n";
  if (ports.http != 0) text += "  HTTP     " + UrlOf(options.http, ports.http) + "\n";
  if (ports.grpc != 0) text += "  gRPC     " + AddressOf(options.grpc, ports.grpc) + "\n";
  if (ports.metrics != 0) text += "  metrics  " + UrlOf(options.metrics, ports.metrics) + "/metrics\n";
  const auto first = std::ranges::find_if(ready, IsPlain);
  if (ports.http == 0 || first == ready.end()) return text;
  const auto metadata = catalog.Metadata(*first, "");
  if (!metadata.has_value()) return text;
  const bool is_tls = !options.http.tls.certificate_file.empty();
  return text + "Try:\n  " + CommandFor(UrlOf(options.http, ports.http), is_tls, *metadata) + "\n\n";
}

}  // namespace inferd::server
