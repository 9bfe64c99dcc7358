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

// One request in progress: its reply, and its record for the access log. Move-only. Send() is loop-bound; the call may
// be moved to other threads in between. `logger` and `clock` must outlive it.
class Call {
 public:
  Call(const Options& options, base::Logger& logger, const base::Clock& clock, const net::RequestHead& head,
       int64_t received_ns, net::Reply reply);

  net::Reply& reply() { return reply_; }
  net::Loop& loop() const { return reply_.loop(); }
  const base::Clock& clock() const { return *clock_; }

  // For the access log; keeps nothing if it is off.
  void SetModel(std::string_view model, std::string_view version);
  // Sets the version that answers.
  void SetVersion(std::string_view version);
  void SetRequestId(std::string_view id);
  // For a failure whose response does not contain it as JSON.
  void SetError(std::string_view text);

  void Send(net::HttpResponse response);
  // Ends a response that was started with this status and streamed (reply()).
  void EndStream(int http_status);

 private:
  base::Logger* logger_;
  const base::Clock* clock_;
  net::Reply reply_;
  std::unique_ptr<v2::AccessRecord> access_;  // null if the access log is off
};

// The model that a request's path names; empty members if none.
struct NamedModel {
  std::string_view model = {};
  std::string_view version = {};
};

// Logs one access line for a request that was answered before its body was read.
void LogRefusal(const Options& options, base::Logger& logger, const net::RequestHead& head,
                const net::HttpResponse& response, const NamedModel& named = {});

}  // namespace inferd::rest
