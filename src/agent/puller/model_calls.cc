#include "agent/puller/model_calls.h"

#include <chrono>

#include "base/text/percent.h"

namespace inferd::agent {

namespace {

constexpr size_t kAnswerBytesMax = 1 << 20;
constexpr size_t kShownBytesMax = 500;

}  // namespace

ModelCalls::ModelCalls(uint16_t component_port)
    : client_(*net::HttpClient::Create({.url = "http://127.0.0.1:" + std::to_string(component_port),
                                        .connect_timeout = std::chrono::seconds(5),
                                        .timeout = std::chrono::seconds(600),
                                        .body_bytes_max = kAnswerBytesMax})) {}

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

}  // namespace inferd::agent
