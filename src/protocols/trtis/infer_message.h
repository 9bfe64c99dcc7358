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

// grpc_service.proto's InferRequest and InferResponse, without their classes.

namespace inferd::trtis {

struct InferMessage {
  std::string model;
  std::string version;  // as core has it: decimal, or empty for the latest
  InferHeader header;
  boost::container::small_vector<base::BufferSlice, 2> raws;  // views
};

// `version` may be a string or, as releases 0.9 and 0.10 had it, an integer. INVALID_ARGUMENT: it is malformed, or
// ReadVersion's.
base::Result<InferMessage> ReadInferMessage(const base::BufferSlice& message);

// Where the first tensor of such a message starts, of which these are the first bytes.
size_t RawInputAt(std::span<const std::byte> beginning);

// `raws`: the outputs' bytes, one for each, empty where it has classes.
net::grpc::Message WriteInferAnswer(const RequestStatus& status, const Answer& answer,
                                    std::span<base::BufferSlice> raws);
// Of a failure.
net::grpc::Message WriteStatusAnswer(const RequestStatus& status);

}  // namespace inferd::trtis
