#pragma once

#include <memory>
#include <string_view>

#include "base/status.h"
#include "frontends/tfs_http/handler.h"
#include "net/http.h"
#include "v2/access_record.h"

namespace inferd::tfs_http {

// One request being answered: its reply, and what the access log will say about it. Move-only. Send and Fail are
// loop-bound; a call may be carried to other threads in between.
class Call {
 public:
  Call(std::shared_ptr<const Environment> environment, const net::RequestHead& head, int64_t received_ns,
       net::Reply reply);

  const Environment& environment() const { return *environment_; }
  const Options& options() const { return environment_->options; }
  net::Reply& reply() { return reply_; }
  net::Loop& loop() { return reply_.loop(); }

  // For the access log; nothing is kept where it is off.
  void SetModel(std::string_view model, std::string_view version);

  void Send(net::HttpResponse response);

 private:
  std::shared_ptr<const Environment> environment_;
  net::Reply reply_;
  std::unique_ptr<v2::AccessRecord> access_;  // null: the access log is off
};

// What every answer has, those to refused requests too: CORS headers, where they are on.
void AddCorsHeaders(const Options& options, net::HttpResponse& response);

// One line of the access log for a request that was answered before its body was read.
void LogRefusal(const Environment& environment, const net::RequestHead& head, int status);

}  // namespace inferd::tfs_http
