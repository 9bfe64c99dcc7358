#pragma once

#include "protocols/grpc_reflection/schema.h"
#include "reflection/reflection.pb.h"

namespace inferd::grpc_reflection {

// The answer to one question; what is not known is an error in it, not of the call. Pure.
::grpc::reflection::v1::ServerReflectionResponse Answer(const Schema& schema,
                                                        const ::grpc::reflection::v1::ServerReflectionRequest& request);

}  // namespace inferd::grpc_reflection
