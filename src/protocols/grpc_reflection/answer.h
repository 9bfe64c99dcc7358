#pragma once

#include "protocols/grpc_reflection/schema.h"
#include "reflection/reflection.pb.h"

namespace inferd::grpc_reflection {

// Returns the answer to one question. An unknown name is an error in the answer, not of the call. Pure.
::grpc::reflection::v1::ServerReflectionResponse Answer(const Schema& schema,
                                                        const ::grpc::reflection::v1::ServerReflectionRequest& request);

}  // namespace inferd::grpc_reflection
