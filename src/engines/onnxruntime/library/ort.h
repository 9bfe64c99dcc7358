#pragma once

#include <onnxruntime_c_api.h>

#include <memory>
#include <string_view>

#include "base/status.h"

// ONNX Runtime's C API: the function table, owners of its handles, and its errors as Status.

namespace inferd::onnxruntime {

// Finds the function table. FAILED_PRECONDITION if the library is older than the header of this build.
base::Status OpenOrt();

// Valid after OpenOrt().
const OrtApi& Ort();
std::string_view OrtVersion();

// Takes over `status`. Returns OK for null.
base::Status ToStatus(OrtStatus* status);

#define INFERD_ORT_OWNER(Type)                                                \
  struct Type##Release {                                                      \
    void operator()(Ort##Type* handle) const { Ort().Release##Type(handle); } \
  };                                                                          \
  using Type##Owner = std::unique_ptr<Ort##Type, Type##Release>;

INFERD_ORT_OWNER(Env)
INFERD_ORT_OWNER(Session)
INFERD_ORT_OWNER(SessionOptions)
INFERD_ORT_OWNER(RunOptions)
INFERD_ORT_OWNER(ThreadingOptions)
INFERD_ORT_OWNER(MemoryInfo)
INFERD_ORT_OWNER(TypeInfo)
INFERD_ORT_OWNER(TensorTypeAndShapeInfo)
INFERD_ORT_OWNER(Value)

#undef INFERD_ORT_OWNER

}  // namespace inferd::onnxruntime
