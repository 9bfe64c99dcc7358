#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include "base/status.h"
#include "protocols/tfs/request_metrics.h"

namespace inferd::tfs {

// A call that succeeded, on its way to a log.
struct LoggedCall {
  // The request and the answer, as the serialized messages of the gRPC API.
  struct Messages {
    std::string request;
    std::string response;
  };

  Api api = Api::kPredict;
  std::string model;
  std::string version;                                              // decimal: the one that answered
  std::string signature = {};                                       // empty: kServingDefault
  size_t bytes = 0;                                                 // what it holds until it is written, about
  std::move_only_function<base::Result<Messages>()> make_messages;  // called once, on the log's thread
};

// Logs a share of the calls of the models that have a log. Thread-safe.
class RequestLog {
 public:
  virtual ~RequestLog() = default;

  // Whether this call of a model is one of its share; asked once for each, before it is dispatched.
  virtual bool Draw(std::string_view model) = 0;
  // Takes a call that was drawn, or drops it where too many wait; waits for nothing.
  virtual void Write(LoggedCall call) = 0;
};

}  // namespace inferd::tfs
