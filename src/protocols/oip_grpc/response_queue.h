#pragma once

#include <boost/container/small_vector.hpp>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>

#include "base/status.h"
#include "net/grpc/responder.h"
#include "serving/core/request/response_flow.h"

namespace inferd::oip_grpc {

// One response of a stream, ready to be sent: a message or, if `status` is an error, the stream's end.
struct StreamResponse {
  net::grpc::Message message;
  base::Status status = {};
  core::ResponseFlow::Place place = {};  // kept until it is sent
};

// Orders the responses of many requests by request, whatever the order in which they become ready. Each request may
// have any number of responses. Not thread-safe.
class ResponseQueue {
 public:
  // Appends a place for the responses of a request. Returns the request's number.
  uint64_t OpenRequest();
  // Appends a place for the request's next response. Returns the response's number within the request.
  uint64_t OpenResponse(uint64_t request);
  // Call once for each response.
  void Put(uint64_t request, uint64_t response, StreamResponse ready);
  // The request has no further responses than those that were opened.
  void CloseRequest(uint64_t request);

  // True if the next response, in order, is ready.
  bool ready() const;
  // Returns the next response, or nullopt if it is not ready.
  std::optional<StreamResponse> Next();

  // Returns the number of requests that are open, or have responses left.
  size_t requests() const { return requests_.size(); }

 private:
  struct Request {
    bool empty() const { return left == responses.size(); }

    // Usually one. Those at the front were sent; when all are sent, the memory is reused. nullopt if not ready yet.
    boost::container::small_vector<std::optional<StreamResponse>, 1> responses;
    size_t left = 0;
    uint64_t first = 0;  // number of responses[0]
    bool closed = false;
  };

  Request& At(uint64_t request) { return requests_[static_cast<size_t>(request - first_)]; }
  void DropDone();

  std::deque<Request> requests_;
  uint64_t first_ = 0;  // number of the first one
};

}  // namespace inferd::oip_grpc
