#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "net/http2/stream/stream.h"
#include "net/http2/stream/stream_context.h"

namespace inferd::net::http2 {

// The streams of one connection, which it owns, by their identifiers. Loop-bound.
class StreamTable {
 public:
  explicit StreamTable(StreamContext& context) : context_(context) {}

  Stream& Begin(int32_t id);
  // Returns nullptr if there is none.
  Stream* Find(int32_t id) {
    const auto found = streams_.find(id);
    return found == streams_.end() ? nullptr : found->second.get();
  }
  // Removes the stream from the table and returns it. Null if there is none.
  std::unique_ptr<Stream> Take(int32_t id);
  void Clear();

  // Lets ready streams deliver, in the order in which they became ready, as long as the peer accepts our output.
  void DeliverReady() {
    if (context_.requests.has_ready()) DeliverInOrder();
  }

  bool empty() const { return streams_.empty(); }
  size_t size() const { return streams_.size(); }
  // Iterates over pairs of identifier and stream.
  auto begin() const { return streams_.begin(); }
  auto end() const { return streams_.end(); }

 private:
  void DeliverInOrder();

  StreamContext& context_;
  boost::unordered_flat_map<int32_t, std::unique_ptr<Stream>> streams_;
};

}  // namespace inferd::net::http2
