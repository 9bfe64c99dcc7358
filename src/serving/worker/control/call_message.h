#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/status.h"
#include "serving/core/calls/server_calls.h"
#include "serving/worker/control/message.h"

namespace inferd::worker {

// What the models of a worker process ask of the server, on a socket of its own, and what they are answered. Each thing
// that is asked has a number, by which its answers are known.

struct CallOrder {
  core::CallOrigin origin;  // its channel, execution and request; the server knows the rest
  std::unique_ptr<core::InferRequest> request;
  bool many = false;
};
struct CancelOrder {};
struct TakenOrder {};
struct ReadyOrder {
  std::string model;
  std::string version;
};
struct OpenMetricOrder {
  core::CustomMetricSpec spec;
};
struct ChangeMetricOrder {
  uint64_t metric = 0;  // the number of its OpenMetricOrder
  core::CustomMetric::Change change = core::CustomMetric::Change::kRead;
  double value = 0;
};
struct CloseMetricOrder {};

struct ServerOrder {
  uint64_t number = 0;  // of a cancel, taken or close: of what that is about
  std::variant<CallOrder, CancelOrder, TakenOrder, ReadyOrder, core::LoadCall, core::UnloadCall, OpenMetricOrder,
               ChangeMetricOrder, CloseMetricOrder>
      order;
};

std::string EncodeServerOrder(const ServerOrder& order);
// INTERNAL: it cannot be read. Whether a request can be one at all is for the model to say.
base::Result<ServerOrder> DecodeServerOrder(std::string_view message);

// A response to a call, or the end of anything else.
struct ServerReply {
  uint64_t number = 0;
  bool submitted = true;
  double value = 0;  // of a metric
  core::InferResponse response;
};

std::string EncodeServerReply(const ServerReply& reply);
base::Result<ServerReply> DecodeServerReply(std::string_view message);

}  // namespace inferd::worker
