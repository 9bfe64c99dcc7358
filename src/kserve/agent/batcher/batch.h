#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/buffer.h"
#include "kserve/agent/batcher/batch_form.h"
#include "kserve/agent/batcher/batch_room.h"
#include "net/http/http.h"

namespace inferd::agent {

// Returns the size of a body's rows in bytes.
size_t BytesOfRows(const BatchedBody& body);

// A request of a batch, and the client that waits for its response.
struct BatchCaller {
  uint64_t id = 0;  // identifies it for Leave
  BatchedBody body;
  base::BufferSlice bytes;  // the buffer that the body's lists refer to
  net::Reply reply;
  BatchRoom::Place place;
  bool gone = false;  // the client has disconnected, but the rows stay
};

// A batch of requests. Their rows have the order in which they were added, in Body() and in Answer(). Loop-bound.
class Batch final {
 public:
  // `frame` and `target` are common to all requests. `form` must live forever.
  Batch(const BatchForm& form, std::string target, std::string frame)
      : form_(form), target_(std::move(target)), frame_(std::move(frame)) {}

  // Must not be called after Body().
  void Add(BatchCaller caller);
  // A client has disconnected. Before Body(), its rows are removed. Returns false if the batch has no such request.
  bool Leave(uint64_t id);

  // True if no client waits for a response.
  bool empty() const { return waiting_ == 0; }
  size_t callers() const { return callers_.size(); }
  size_t instances() const { return instances_; }
  uint64_t bytes() const { return bytes_; }
  const std::string& target() const { return target_; }

  // Returns the combined request body. From then on, its rows are fixed. May be called again.
  base::BufferSlice Body();

  // Sends each client its rows, in the protocol's form. INVALID_ARGUMENT if the text is no response, or has another
  // number of rows; then no client is answered.
  base::Status Answer(const base::Buffer& answer);
  // Sends all clients the same error.
  void Fail(int status, std::string_view message);
  // Splits the batch into one batch for each request whose client still waits. This batch is empty afterwards.
  std::vector<std::unique_ptr<Batch>> TakeApart();

 private:
  const BatchForm& form_;
  const std::string target_;
  const std::string frame_;
  std::vector<BatchCaller> callers_;
  size_t waiting_ = 0;  // number of entries of callers_ that are not gone
  size_t instances_ = 0;
  uint64_t bytes_ = 0;
  bool formed_ = false;  // its rows are fixed
};

}  // namespace inferd::agent
