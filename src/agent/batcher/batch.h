#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "agent/batcher/batch_form.h"
#include "base/buffer.h"
#include "net/http/http.h"

namespace inferd::agent {

// How many bytes a body's rows have.
size_t BytesOfRows(const BatchedBody& body);

// Requests that become one. Loop-bound.
class Batch final {
 public:
  // What its requests have in common. `form` lives for ever.
  Batch(const BatchForm& form, std::string target, std::string frame)
      : form_(form), target_(std::move(target)), frame_(std::move(frame)) {}

  // `body`: read from `bytes`, which are kept with it. `id` names it for Remove.
  void Add(uint64_t id, BatchedBody body, base::BufferSlice bytes, net::Reply reply);
  // Of a client that has gone.
  void Remove(uint64_t id);

  bool empty() const { return callers_.empty(); }
  size_t callers() const { return callers_.size(); }
  size_t instances() const { return instances_; }
  uint64_t bytes() const { return bytes_; }
  const std::string& target() const { return target_; }

  // The one request. Lets go of what came.
  base::BufferSlice TakeBody();

  // Answer all of them, each with its rows, in the protocol's form. An answer that is none, or has not as many rows, is
  // a failure.
  void Answer(const base::Buffer& answer);
  // Each gets the same.
  void Fail(int status, std::string_view message);

 private:
  struct Caller {
    uint64_t id = 0;
    base::BufferSlice bytes;  // those that the body's lists are in
    BatchedBody body;
    net::Reply reply;
  };

  const BatchForm& form_;
  const std::string target_;
  const std::string frame_;
  std::vector<Caller> callers_;
  size_t instances_ = 0;
  uint64_t bytes_ = 0;
};

}  // namespace inferd::agent
