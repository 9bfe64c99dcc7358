#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include "base/status.h"
#include "protocols/tfs/request_metrics.h"

namespace inferd::tfs {

// A successful call that is to be logged.
struct LoggedCall {
  // The request and the response, as serialized messages of the gRPC API.
  struct Messages {
    std::string request;
    std::string response;
  };

  Api api = Api::kPredict;
  std::string model;
  std::string version;         // decimal: the one that answered
  std::string signature = {};  // kServingDefault if empty
  size_t bytes = 0;            // approximate memory that it holds until it is written
  std::move_only_function<base::Result<Messages>()> make_messages;  // called once, on the log's thread
};

// Logs a share of the calls of models that have a log. Thread-safe.
class RequestLog {
 public:
  virtual ~RequestLog() = default;

  // Decides, by the model's sampling rate, whether this call is logged. Call once for each call, before it is
  // dispatched.
  virtual bool Draw(std::string_view model) = 0;
  // Takes a sampled call, or drops it if too many wait. Never blocks.
  virtual void Write(LoggedCall call) = 0;
};

}  // namespace inferd::tfs
