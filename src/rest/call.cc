#include "rest/call.h"

#include <string>
#include <utility>

namespace inferd::rest {

Call::Call(const Options& options, base::Logger& logger, const base::Clock& clock, const net::RequestHead& head,
           int64_t received_ns, net::Reply reply)
    : logger_(&logger), clock_(&clock), reply_(std::move(reply)) {
  if (!options.access_log) return;
  access_ = v2::MakeAccessRecord(received_ns, head.method_text, head.target, head.peer,
                                 head.Find("traceparent").value_or(""));
}

void Call::SetModel(std::string_view model, std::string_view version) {
  if (access_ == nullptr) return;
  access_->model = model;
  access_->version = version;
}

void Call::SetRequestId(std::string_view id) {
  if (access_ != nullptr) access_->id = id;
}

void Call::Send(net::HttpResponse response) {
  if (access_ != nullptr) v2::LogAccess(*logger_, *access_, std::to_string(response.status), clock_->NowNs());
  reply_.Send(std::move(response));
}

void LogRefusal(const Options& options, base::Logger& logger, const net::RequestHead& head, int status) {
  if (!options.access_log) return;
  logger.Info(
      "access",
      {{"method", head.method_text}, {"target", head.target}, {"status", std::to_string(status)}, {"peer", head.peer}});
}

}  // namespace inferd::rest
