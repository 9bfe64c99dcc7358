#include "storage/source/answer.h"

#include <algorithm>
#include <array>

#include "base/text/percent.h"

namespace inferd::storage {

namespace {

// Shorter values are words, such as a version's number.
constexpr size_t kHeaderBytesMin = 8;
// Secret parameters of URLs and forms of storages and their identity services.
constexpr std::array<std::string_view, 8> kSecretParameters = {
    "assertion", "client_assertion",     "client_secret",  "delegation", "WebIdentityToken",
    "sig",       "X-Amz-Security-Token", "X-Amz-Signature"};

// `text` has the form "name=value&name=value".
void AddSecretParameters(std::string_view text, std::vector<std::string>& secrets) {
  while (!text.empty()) {
    const std::string_view field = text.substr(0, text.find('&'));
    text.remove_prefix(std::min(field.size() + 1, text.size()));
    const size_t equals = std::min(field.find('='), field.size());
    if (std::ranges::find(kSecretParameters, field.substr(0, equals)) == kSecretParameters.end()) continue;
    const std::string value(field.substr(std::min(equals + 1, field.size())));
    secrets.push_back(base::PercentDecoded(value));
    secrets.push_back(value);
  }
}

}  // namespace

std::vector<std::string> SecretsIn(const FetchRequest& request) {
  std::vector<std::string> secrets;
  for (const auto& [name, value] : request.headers) {
    // Drops the scheme of "Bearer TOKEN".
    const std::string credential = value.substr(value.rfind(' ') + 1);
    if (credential.size() >= kHeaderBytesMin) secrets.push_back(credential);
  }
  const size_t query = std::min(request.url.find('?'), request.url.size());
  AddSecretParameters(std::string_view(request.url).substr(std::min(query + 1, request.url.size())), secrets);
  AddSecretParameters(request.body, secrets);
  return secrets;
}

base::Result<std::string> FetchAnswer(const FetchClient& client, const FetchRequest& request, const std::string& name,
                                      const std::function<std::string(std::string_view body)>& explain,
                                      const std::stop_token& stop) {
  constexpr int kOkStatus = 200;
  std::string answer;
  int status = 0;
  const auto on_head = [&](const ResponseHead& head) -> base::Result<bool> {
    status = head.status;
    return true;
  };
  const auto on_body = [&](std::string_view bytes) -> base::Status {
    if (bytes.size() > kAnswerBytesMax - answer.size()) {
      return base::ResourceExhausted(name + ": the answer has more than " + std::to_string(kAnswerBytesMax) + " bytes");
    }
    answer += bytes;
    return {};
  };
  INFERD_RETURN_IF_ERROR(client.Fetch(request, {.head = on_head, .body = on_body}, stop));
  if (status == kOkStatus) return answer;
  std::string why = base::Masked(explain(answer), SecretsIn(request));
  if (!why.empty()) why = " (" + why + ")";
  return std::unexpected(
      StatusOfResponse(status, name + ": the server answered with status " + std::to_string(status) + why));
}

}  // namespace inferd::storage
