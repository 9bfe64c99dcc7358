#include "protocols/rest/call.h"

#include <string>
#include <utility>

#include "protocols/rest/error_response.h"

namespace inferd::rest {

Call::Call(const Options& options, base::Logger& logger, const base::Clock& clock, const net::RequestHead& head,
           int64_t received_ns, net::Reply reply)
    : logger_(&logger), clock_(&clock), reply_(std::move(reply)) {
  if (!options.access_log) return;
  access_ = v2::MakeAccessRecord(received_ns, head.method_text, head.target, head.peer,
                                 head.Find("traceparent").value_or(""), head.request_id);
}

void Call::SetModel(std::string_view model, std::string_view version) {
  if (access_ == nullptr) return;
  access_->model = model;
  access_->version = version;
}

void Call::SetVersion(std::string_view version) {
  if (access_ != nullptr) access_->version = version;
}

void Call::SetRequestId(std::string_view id) {
  if (access_ != nullptr) access_->id = id;
}

void Call::SetError(std::string_view text) {
  if (access_ != nullptr) access_->error = text;
}

void Call::Send(net::HttpResponse response) {
  if (access_ != nullptr) {
    if (access_->error.empty()) access_->error = ErrorText(response);
    v2::LogAccess(*logger_, *access_, response.status, clock_->NowNs());
  }
  reply_.Send(std::move(response));
}

void Call::EndStream(int http_status) {
  if (access_ != nullptr) v2::LogAccess(*logger_, *access_, http_status, clock_->NowNs());
  reply_.End();
}

void LogRefusal(const Options& options, base::Logger& logger, const net::RequestHead& head,
                const net::HttpResponse& response, const NamedModel& named) {
  if (!options.access_log) return;
  const std::string error = ErrorText(response);
  logger.Info("access", {{"method", head.method_text},
                         {"target", head.target},
                         {"status", response.status},
                         {"peer", head.peer},
                         {named.model.empty() ? "" : "model", named.model},
                         {named.version.empty() ? "" : "version", base::LogValue::NumberIn(named.version)},
                         {head.request_id.empty() ? "" : "x_request_id", head.request_id},
                         {error.empty() ? "" : "error", error}});
}

}  // namespace inferd::rest
