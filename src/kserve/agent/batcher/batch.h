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

// How many bytes a body's rows have.
size_t BytesOfRows(const BatchedBody& body);

// A request of a batch, and the client that waits for its answer.
struct BatchCaller {
  uint64_t id = 0;  // names it for Leave
  BatchedBody body;
  base::BufferSlice bytes;  // those that the body's lists are in
  net::Reply reply;
  BatchRoom::Place place;
  bool gone = false;  // its client has left, and its rows stay
};

// Requests that become one: their rows stand in the order in which they were added, in Body() as in Answer().
// Loop-bound.
class Batch final {
 public:
  // What its requests have in common. `form` lives for ever.
  Batch(const BatchForm& form, std::string target, std::string frame)
      : form_(form), target_(std::move(target)), frame_(std::move(frame)) {}

  // Only before Body().
  void Add(BatchCaller caller);
  // A client has left: before Body(), it takes its rows along. False: the batch has no such request.
  bool Leave(uint64_t id);

  // True if no client waits for an answer.
  bool empty() const { return waiting_ == 0; }
  size_t callers() const { return callers_.size(); }
  size_t instances() const { return instances_; }
  uint64_t bytes() const { return bytes_; }
  const std::string& target() const { return target_; }

  // Returns the one request, whose rows stay from now on. May be called again.
  base::BufferSlice Body();

  // Answers each client with its rows, in the protocol's form. INVALID_ARGUMENT: it is no answer, or has not as many
  // rows, and nobody was answered.
  base::Status Answer(const base::Buffer& answer);
  // Answers all clients with the same.
  void Fail(int status, std::string_view message);
  // Takes the batch apart: a batch for each request whose client still waits. This one is empty then.
  std::vector<std::unique_ptr<Batch>> TakeApart();

 private:
  const BatchForm& form_;
  const std::string target_;
  const std::string frame_;
  std::vector<BatchCaller> callers_;
  size_t waiting_ = 0;  // those of callers_ that are not gone
  size_t instances_ = 0;
  uint64_t bytes_ = 0;
  bool formed_ = false;  // its rows stay
};

}  // namespace inferd::agent
