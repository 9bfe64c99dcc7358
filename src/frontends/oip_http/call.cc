#include "frontends/oip_http/call.h"

#include <utility>

#include "frontends/oip_http/error_response.h"
#include "frontends/oip_http/infer_headers.h"

namespace inferd::oip_http {

struct Call::AccessRecord {
  int64_t received_ns = 0;
  std::string method;
  std::string target;
  std::string peer;
  std::string traceparent;
  std::string model;
  std::string version;
  std::string id;
};

void Call::DeleteRecord::operator()(AccessRecord* record) const { delete record; }

Call::Call(std::shared_ptr<const Environment> environment, const net::RequestHead& head, int64_t received_ns,
           net::Reply reply)
    : environment_(std::move(environment)), reply_(std::move(reply)) {
  if (!options().access_log) return;
  access_.reset(new AccessRecord{.received_ns = received_ns,
                                 .method = std::string(head.method_text),
                                 .target = std::string(head.target),
                                 .peer = std::string(head.peer),
                                 .traceparent = std::string(ReadTraceparent(head)),
                                 .model = {},
                                 .version = {},
                                 .id = {}});
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
  if (access_ != nullptr) LogAccess(response.status);
  reply_.Send(std::move(response));
}

void Call::Fail(const base::Status& status, int http_status, int64_t retry_after_ms) {
  Send(http_status != 0 ? ErrorResponse(http_status, status.message())
                        : ErrorResponse(options(), status, retry_after_ms));
}

void Call::LogAccess(int status) const {
  const int64_t duration_us = (environment_->clock.NowNs() - access_->received_ns) / 1000;
  environment_->logger.Info("access", {{"method", access_->method},
                                       {"target", access_->target},
                                       {"status", std::to_string(status)},
                                       {"duration_us", std::to_string(duration_us)},
                                       {"peer", access_->peer},
                                       {"model", access_->model},
                                       {"version", access_->version},
                                       {"request_id", access_->id},
                                       {"traceparent", access_->traceparent}});
}

void LogRefusal(const Environment& environment, const net::RequestHead& head, int status) {
  if (!environment.options.access_log) return;
  environment.logger.Info(
      "access",
      {{"method", head.method_text}, {"target", head.target}, {"status", std::to_string(status)}, {"peer", head.peer}});
}

}  // namespace inferd::oip_http
