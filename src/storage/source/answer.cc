#include "storage/source/answer.h"

namespace inferd::storage {

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
  std::string why = explain(answer);
  if (!why.empty()) why = " (" + why + ")";
  return std::unexpected(
      StatusOfResponse(status, name + ": the server answered with status " + std::to_string(status) + why));
}

}  // namespace inferd::storage
