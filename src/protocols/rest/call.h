#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "base/clock.h"
#include "base/logging.h"
#include "net/http/http.h"
#include "protocols/rest/options.h"
#include "protocols/v2/access_record.h"

namespace inferd::rest {

// One request being answered: its reply, and what the access log will say about it. Move-only. Send is loop-bound; a
// call may be carried to other threads in between. `logger` and `clock` outlive it.
class Call {
 public:
  Call(const Options& options, base::Logger& logger, const base::Clock& clock, const net::RequestHead& head,
       int64_t received_ns, net::Reply reply);

  net::Reply& reply() { return reply_; }
  net::Loop& loop() const { return reply_.loop(); }
  const base::Clock& clock() const { return *clock_; }

  // For the access log; nothing is kept where it is off.
  void SetModel(std::string_view model, std::string_view version);
  // The version that answers.
  void SetVersion(std::string_view version);
  void SetRequestId(std::string_view id);
  // Of a failure whose answer does not have it as JSON.
  void SetError(std::string_view text);

  void Send(net::HttpResponse response);
  // The end of an answer that was begun as 200 and sent in pieces (reply()).
  void EndStream();

 private:
  base::Logger* logger_;
  const base::Clock* clock_;
  net::Reply reply_;
  std::unique_ptr<v2::AccessRecord> access_;  // null: the access log is off
};

// What a request's path names; empty: nothing.
struct NamedModel {
  std::string_view model = {};
  std::string_view version = {};
};

// One line of the access log for a request that was answered before its body was read.
void LogRefusal(const Options& options, base::Logger& logger, const net::RequestHead& head,
                const net::HttpResponse& response, const NamedModel& named = {});

}  // namespace inferd::rest
