#pragma once

#include <memory>
#include <string>
#include <vector>

#include "protocols/tfs_grpc/codec/session_request.h"
#include "protocols/tfs_grpc/model_call.h"

namespace inferd::tfs_grpc {

// One SessionRun call: Predict by the tensor names of the model's graph. If its feeds and fetches are inputs and
// outputs of one signature, it is queued and batched with the signature's requests. Otherwise, if Options allow it, it
// is a call of the graph.
class SessionCall final : public ModelCall {
 public:
  using ModelCall::ModelCall;

 private:
  base::Status Begin(const base::BufferSlice& message) override;
  bool ReadingIsBig(const base::BufferSlice& message) const override;
  base::Result<std::unique_ptr<core::InferRequest>> Read(const base::BufferSlice& message) override;
  bool EncodingIsBig(const core::InferResponse& response) const override;
  base::Result<net::grpc::Message> Encode(core::InferResponse&& response) override;

  // Pins the version for a call that no signature fits.
  base::Status CallGraph();

  // A fetched tensor: its index in the response, and the client's name for it.
  struct Fetch {
    size_t output = 0;
    std::string name;
  };

  SessionRequest request_;  // views into the message, valid until Read() is done
  SessionPlan plan_;
  std::vector<Fetch> fetches_;
};

}  // namespace inferd::tfs_grpc
