#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "agent/batcher/predict_body.h"
#include "base/buffer.h"
#include "net/http/http.h"

namespace inferd::agent {

// Requests that become one. Loop-bound.
class Batch final {
 public:
  // `target` and `rest`: what its requests have in common.
  Batch(std::string target, std::string rest) : target_(std::move(target)), rest_(std::move(rest)) {}

  // `body`: read from `bytes`, which are kept with it. `id` names it for Remove.
  void Add(uint64_t id, const PredictBody& body, base::BufferSlice bytes, net::Reply reply);
  // Of a client that has gone.
  void Remove(uint64_t id);

  bool empty() const { return callers_.empty(); }
  size_t callers() const { return callers_.size(); }
  size_t instances() const { return instances_; }
  uint64_t bytes() const { return bytes_; }
  const std::string& target() const { return target_; }

  // The one request. Lets go of what came.
  base::BufferSlice TakeBody();

  // Answer all of them, each with its predictions: {"message":"","batchId":"<UUID>","predictions":[...]}, which share
  // `answer`. An answer that is none, or has not as many predictions as instances, is a failure.
  void Answer(const base::Buffer& answer);
  // The same form for each: the message, an empty batchId, and null for predictions.
  void Fail(int status, std::string_view message);

 private:
  struct Caller {
    uint64_t id = 0;
    size_t instances = 0;
    base::BufferSlice bytes;  // those that `text` is in
    std::string_view text;    // of its instances
    net::Reply reply;
  };

  const std::string target_;
  const std::string rest_;
  std::vector<Caller> callers_;
  size_t instances_ = 0;
  uint64_t bytes_ = 0;
};

}  // namespace inferd::agent
