#include "kserve/modelcalls/model_calls.h"

#include <chrono>
#include <string_view>

#include "base/text/percent.h"
#include "kserve/modelcalls/model_index.h"

namespace inferd::modelcalls {

namespace {

constexpr size_t kAnswerBytesMax = 16 << 20;
constexpr size_t kShownBytesMax = 500;

net::HttpClient::Options OptionsOf(const std::string& address, std::chrono::milliseconds timeout) {
  net::HttpClient::Options options = net::HttpClient::Options::At(address);
  options.timeout = timeout;
  options.body_bytes_max = kAnswerBytesMax;
  return options;
}

}  // namespace

ModelCalls::ModelCalls(const std::string& address, std::chrono::milliseconds timeout)
    : client_(*net::HttpClient::Create(OptionsOf(address, timeout))) {}

base::Status ModelCalls::Call(const std::string& name, const std::string& what) {
  const auto answer = client_->Call({.method = "POST",
                                     .path = "/v2/repository/models/" + base::PercentEncoded(name) + "/" + what,
                                     .headers = {{"Content-Type", "application/json"}},
                                     .body = "{}"});
  if (!answer.has_value()) return base::Unavailable(std::string(answer.error().message()));
  if (answer->status >= 200 && answer->status < 300) return base::OkStatus();
  const std::string text = what + ": the model server answered " + std::to_string(answer->status) + " " +
                           answer->body.substr(0, kShownBytesMax);
  return answer->status == 503 ? base::Unavailable(text) : base::FailedPrecondition(text);
}

base::Result<std::set<std::string>> ModelCalls::ListReady() {
  const auto answer = client_->Call({.method = "POST",
                                     .path = "/v2/repository/index",
                                     .headers = {{"Content-Type", "application/json"}},
                                     .body = R"({"ready":true})"});
  if (!answer.has_value()) return std::unexpected(base::Unavailable(std::string(answer.error().message())));
  if (answer->status >= 500 && answer->status != 501) {
    return std::unexpected(base::Unavailable("the model server answered " + std::to_string(answer->status)));
  }
  auto ready = answer->status == 200 ? ParseModelIndex(answer->body) : std::unexpected(base::InvalidArgument(""));
  if (!ready.has_value()) return std::unexpected(base::Unimplemented("the model server has no index of models"));
  return ready;
}

base::Result<bool> ModelCalls::IsReady(const std::string& name) {
  const auto answer = client_->Call({.path = "/v2/models/" + base::PercentEncoded(name) + "/ready"});
  if (!answer.has_value()) return std::unexpected(base::Unavailable(std::string(answer.error().message())));
  return answer->status == 200;
}

}  // namespace inferd::modelcalls
