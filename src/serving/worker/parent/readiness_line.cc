#include "serving/worker/parent/readiness_line.h"

#include <poll.h>

#include <chrono>
#include <utility>

#include "base/system/poll_until.h"
#include "serving/worker/control/model_message.h"

namespace inferd::worker {

namespace {

// Longer than engines give a model that does not answer.
constexpr std::chrono::seconds kReadinessPatience{8};
constexpr std::chrono::seconds kHalfMessagePatience{1};

}  // namespace

base::Result<std::shared_ptr<ReadinessLine>> ReadinessLine::Open(ControlSocket& model,
                                                                 ControlSocket::Clock::time_point deadline) {
  INFERD_ASSIGN_OR_RETURN(auto sockets, ControlSocket::MakePair());
  const auto opened = Order(model, kReadinessOrder, sockets.second.descriptor(), deadline);
  if (!opened.has_value()) return std::unexpected(opened.error());
  return std::make_shared<ReadinessLine>(std::move(sockets.first));
}

base::Status ReadinessLine::Ask() {
  if (!asked_) INFERD_RETURN_IF_ERROR(socket_.Send("ready?"));
  asked_ = true;
  if (!base::PollUntil(socket_.descriptor(), POLLIN, std::chrono::steady_clock::now() + kReadinessPatience)) {
    return base::Unavailable("the model's worker process does not say in time whether it is ready");
  }
  INFERD_ASSIGN_OR_RETURN(const ControlMessage reply, socket_.ReceiveWithin(kHalfMessagePatience));
  asked_ = false;
  const auto said = DecodeReply(reply.text);
  return said.has_value() ? base::OkStatus() : said.error();
}

}  // namespace inferd::worker
