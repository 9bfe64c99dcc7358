#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>

#include "net/http/http.h"
#include "net/http/net_metrics.h"
#include "net/http2/stream/link.h"

namespace inferd::net::http2 {

// The accounting of a connection's requests: streams that are ready to deliver, requests in flight, and waiting bytes
// of complete responses. Loop-bound.
class Requests {
 public:
  explicit Requests(Link& link) : link_(link) {}

  // --- For the streams.
  // Marks the stream as ready to deliver.
  void Ready(int32_t id) { ready_.push_back(id); }
  // Notes that a request's head has arrived.
  void NoteHead(const RequestHead& head);
  // Begin(): a request is handed over. End(): it is answered, or its peer has gone.
  void Begin();
  void End();
  // Adds bytes of complete responses that wait for the peer's windows.
  void AddQueued(int64_t bytes) { queued_bytes_ += bytes; }

  // --- For the connection.
  size_t in_flight() const { return in_flight_; }
  // True if a stream is ready, and the peer accepts our output.
  bool deliverable() const {
    return !ready_.empty() && queued_bytes_ <= static_cast<int64_t>(link_.host.limits().write_high_water);
  }
  bool has_ready() const { return !ready_.empty(); }
  int32_t PopReady();
  void ClearReady() { ready_.clear(); }

 private:
  Link& link_;
  std::deque<int32_t> ready_;
  int64_t queued_bytes_ = 0;
  size_t in_flight_ = 0;
};

inline bool IsGrpcType(std::string_view content_type) { return content_type.starts_with("application/grpc"); }

inline void Requests::NoteHead(const RequestHead& head) {
  if (!link_.grpc) link_.grpc = IsGrpcType(head.Find("content-type").value_or(""));
}

inline void Requests::Begin() {
  ++in_flight_;
  link_.host.metrics().BeginRequest();
  link_.abuse.OnRequest();
}

inline void Requests::End() {
  --in_flight_;
  link_.host.metrics().EndRequest();
}

inline int32_t Requests::PopReady() {
  const int32_t id = ready_.front();
  ready_.pop_front();
  return id;
}

}  // namespace inferd::net::http2
