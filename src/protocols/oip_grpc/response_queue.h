#pragma once

#include <boost/container/deque.hpp>
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
// have any number of responses. A request can be taken out of the order: its responses wait for no ordered request, and
// no ordered request waits for them. The responses of all such requests leave in the order in which they were opened.
// If an ordered and an unordered response are ready, the two kinds take turns. Not thread-safe.
class ResponseQueue {
 public:
  // Appends a place for the responses of a request. Returns the request's number.
  uint64_t OpenRequest();
  // Takes a request out of the order. Call at most once for a request, before OpenResponse(). Returns the number that
  // stands for the request from now on. Unordered requests share this number.
  uint64_t MakeUnordered(uint64_t request);
  // Appends a place for the request's next response. Returns the response's number within the request.
  uint64_t OpenResponse(uint64_t request);
  // Call once for each response.
  void Put(uint64_t request, uint64_t response, StreamResponse ready);
  // The request has no further responses than those that were opened.
  void CloseRequest(uint64_t request);

  // True if a response may be sent: the next one in order, or the next one of the unordered requests.
  bool ready() const { return ordered_ready() || unordered_ready(); }
  // Returns the next response, or nullopt if it is not ready.
  std::optional<StreamResponse> Next();

  // Returns the number of requests that are open, or have responses left.
  size_t requests() const { return requests_.size() - moved_ + unordered_requests_; }

 private:
  struct Request {
    bool empty() const { return left == responses.size(); }

    // Usually one. Those at the front were sent; when all are sent, the memory is reused. nullopt if not ready yet.
    boost::container::small_vector<std::optional<StreamResponse>, 1> responses;
    size_t left = 0;
    uint64_t first = 0;  // number of responses[0]
    bool closed = false;
    bool moved = false;  // out of the order; it only keeps the numbers of later requests
  };
  // A response of an unordered request.
  struct Slot {
    std::optional<StreamResponse> response;  // nullopt if not ready yet
    size_t closed = 0;                       // requests that have no responses behind this one
  };
  static constexpr uint64_t kUnordered = UINT64_MAX;

  bool ordered_ready() const {
    if (requests_.empty()) return false;
    const Request& front = requests_.front();
    return !front.empty() && front.responses[front.left].has_value();
  }
  bool unordered_ready() const { return !unordered_.empty() && unordered_.front().response.has_value(); }
  std::optional<StreamResponse> NextUnordered();
  Request& At(uint64_t request) { return requests_[static_cast<size_t>(request - first_)]; }
  void DropDone();

  std::deque<Request> requests_;
  uint64_t first_ = 0;                       // number of the first one
  size_t moved_ = 0;                         // those of requests_ that are `moved`
  boost::container::deque<Slot> unordered_;  // allocates nothing while it is unused
  uint64_t first_unordered_ = 0;             // number of the first one
  size_t unordered_requests_ = 0;            // open, or with a response left; counts until later ones have gone, too
  bool unordered_next_ = false;              // the last response was an ordered one
};

}  // namespace inferd::oip_grpc
