#pragma once

#include <boost/container/small_vector.hpp>
#include <cstddef>
#include <span>
#include <string>

#include "base/buffer.h"
#include "base/status.h"
#include "net/grpc/responder.h"
#include "protocols/trtis/answer.h"
#include "protocols/trtis/infer_header.h"
#include "protocols/trtis/request_status.h"

// Readers and writers of grpc_service.proto's InferRequest and InferResponse without the generated classes.

namespace inferd::trtis {

struct InferMessage {
  std::string model;
  std::string version;  // in core's form: decimal, or empty for the latest
  InferHeader header;
  boost::container::small_vector<base::BufferSlice, 2> raws;  // views
};

// `version` may be a string or, as in releases 0.9 and 0.10, an integer. INVALID_ARGUMENT if it is malformed, or as for
// ReadVersion().
base::Result<InferMessage> ReadInferMessage(const base::BufferSlice& message);

// Returns the offset of the first tensor in a message with these first bytes.
size_t RawInputAt(std::span<const std::byte> beginning);

// `raws` has each output's bytes, empty for one with classes.
net::grpc::Message WriteInferAnswer(const RequestStatus& status, const Answer& answer,
                                    std::span<base::BufferSlice> raws);
// Returns the answer of a failed call.
net::grpc::Message WriteStatusAnswer(const RequestStatus& status);

}  // namespace inferd::trtis
