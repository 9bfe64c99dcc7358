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

// One response of a stream, ready to be sent: a message, or, if `status` is an error, the stream's end.
struct StreamResponse {
  net::grpc::Message message;
  base::Status status = {};
  core::ResponseFlow::Place place = {};  // until it is sent
};

// Puts the responses of many requests, of which each has any number, into the order of the requests, whatever the order
// in which they become ready. Not thread-safe.
class ResponseQueue {
 public:
  // Takes a place behind all others for the responses of a request; returns the request's number.
  uint64_t OpenRequest();
  // Takes the place of its next response; returns the response's number, counted within the request.
  uint64_t OpenResponse(uint64_t request);
  // Each of them once.
  void Put(uint64_t request, uint64_t response, StreamResponse ready);
  // It has no more of them than were opened.
  void CloseRequest(uint64_t request);

  // Whether there is a next response, in order.
  bool ready() const;
  // It; nullopt: it is not ready.
  std::optional<StreamResponse> Next();

  // Requests that are open, or have responses left.
  size_t requests() const { return requests_.size(); }

 private:
  struct Request {
    bool empty() const { return left == responses.size(); }

    // Mostly one. Those at the front have left; once all have, the room is used again. nullopt: not ready yet.
    boost::container::small_vector<std::optional<StreamResponse>, 1> responses;
    size_t left = 0;
    uint64_t first = 0;  // the number of responses[0]
    bool closed = false;
  };

  Request& At(uint64_t request) { return requests_[static_cast<size_t>(request - first_)]; }
  void DropDone();

  std::deque<Request> requests_;
  uint64_t first_ = 0;  // the number of the first of them
};

}  // namespace inferd::oip_grpc
