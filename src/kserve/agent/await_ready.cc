#include "kserve/agent/await_ready.h"

#include <string>
#include <thread>

#include "net/client/http_client.h"

namespace inferd::agent {

base::Status AwaitReady(uint16_t port, std::chrono::milliseconds time) {
  constexpr std::chrono::milliseconds kPause{50};
  const auto until = std::chrono::steady_clock::now() + time;
  INFERD_ASSIGN_OR_RETURN(const auto client, net::HttpClient::Create({.url = "http://127.0.0.1:" + std::to_string(port),
                                                                      .connect_timeout = std::chrono::seconds(1),
                                                                      .timeout = std::chrono::seconds(5)}));
  for (;;) {
    const auto answer = client->Call({.path = "/", .headers = {{"K-Network-Probe", "queue"}}});
    if (answer.has_value() && answer->status == 200) return base::OkStatus();
    if (std::chrono::steady_clock::now() + kPause >= until) break;
    std::this_thread::sleep_for(kPause);
  }
  return base::DeadlineExceeded("the agent on port " + std::to_string(port) + " is not ready");
}

}  // namespace inferd::agent
