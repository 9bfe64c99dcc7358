#include "frontends/tfs_http/call.h"

#include <string>
#include <utility>

namespace inferd::tfs_http {

Call::Call(std::shared_ptr<const Environment> environment, const net::RequestHead& head, int64_t received_ns,
           net::Reply reply)
    : environment_(std::move(environment)), reply_(std::move(reply)) {
  if (!options().access_log) return;
  access_ = v2::MakeAccessRecord(received_ns, head.method_text, head.target, head.peer,
                                 head.Find("traceparent").value_or(""));
}

void Call::SetModel(std::string_view model, std::string_view version) {
  if (access_ == nullptr) return;
  access_->model = model;
  access_->version = version;
}

void Call::Send(net::HttpResponse response) {
  AddCorsHeaders(options(), response);
  if (access_ != nullptr) {
    v2::LogAccess(environment_->logger, *access_, std::to_string(response.status), environment_->clock.NowNs());
  }
  reply_.Send(std::move(response));
}

void AddCorsHeaders(const Options& options, net::HttpResponse& response) {
  if (!options.cors) return;
  response.headers.emplace_back("Access-Control-Allow-Origin", "*");
  response.headers.emplace_back("Access-Control-Allow-Methods", "POST, GET");
  response.headers.emplace_back("Access-Control-Allow-Headers", "Content-Type");
}

void LogRefusal(const Environment& environment, const net::RequestHead& head, int status) {
  if (!environment.options.access_log) return;
  environment.logger.Info(
      "access",
      {{"method", head.method_text}, {"target", head.target}, {"status", std::to_string(status)}, {"peer", head.peer}});
}

}  // namespace inferd::tfs_http
