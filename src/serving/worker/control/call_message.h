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

// The requests of a worker process's models to the server, on a socket of their own, and the replies. Each request has
// a number, which its replies repeat.

struct CallOrder {
  core::CallOrigin origin;  // channel, execution and request; the server adds the rest
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
  uint64_t number = 0;  // of a cancel, taken or close: the number of its target
  std::variant<CallOrder, CancelOrder, TakenOrder, ReadyOrder, core::LoadCall, core::UnloadCall, OpenMetricOrder,
               ChangeMetricOrder, CloseMetricOrder>
      order;
};

std::string EncodeServerOrder(const ServerOrder& order);
// INTERNAL if it cannot be read. The called model decides whether a request is valid.
base::Result<ServerOrder> DecodeServerOrder(std::string_view message);

// A response to a call, or the result of any other order.
struct ServerReply {
  uint64_t number = 0;
  bool submitted = true;
  double value = 0;  // of a metric
  core::InferResponse response;
};

std::string EncodeServerReply(const ServerReply& reply);
base::Result<ServerReply> DecodeServerReply(std::string_view message);

}  // namespace inferd::worker
