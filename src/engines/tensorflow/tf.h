#pragma once

#include <tensorflow/c/c_api.h>
#include <tensorflow/c/tf_tstring.h>

#include <memory>

#include "base/status.h"

// TensorFlow's C API: the function table, owners of its handles, and its errors as Status.
//
// The library is opened when the first model is loaded, and stays open: it takes half a second, and 300 MB that are
// never freed. A server without such models pays nothing.

namespace inferd::tensorflow {

// The functions of the library that are called: their names without TF_.
// clang-format off
#define INFERD_TF_FUNCTIONS(X)                                                                                   \
  X(Version)                                                                                                     \
  X(NewStatus) X(DeleteStatus) X(GetCode) X(Message)                                                             \
  X(NewBuffer) X(NewBufferFromString) X(DeleteBuffer)                                                            \
  X(TensorFromProto) X(NewTensor) X(AllocateTensor) X(DeleteTensor) X(TensorType) X(NumDims) X(Dim) X(TensorByteSize) X(TensorData) \
  X(NewGraph) X(DeleteGraph) X(NewImportGraphDefOptions) X(DeleteImportGraphDefOptions) X(GraphImportGraphDef)   \
  X(GraphOperationByName) X(GraphNextOperation) X(GraphGetTensorNumDims) X(GraphGetTensorShape)                  \
  X(OperationName) X(OperationOpType) X(OperationNumOutputs) X(OperationOutputType)                              \
  X(NewSessionOptions) X(DeleteSessionOptions) X(SetConfig)                                                      \
  X(NewSession) X(LoadSessionFromSavedModel) X(CloseSession) X(DeleteSession) X(SessionRun)                      \
  X(LoadLibrary) X(DeleteLibraryHandle) X(RegisterLogListener)
// clang-format on

struct TfApi {
#define INFERD_TF_FUNCTION(name) decltype(&TF_##name) name = nullptr;
  INFERD_TF_FUNCTIONS(INFERD_TF_FUNCTION)
#undef INFERD_TF_FUNCTION
};

// Sets environment variables that TensorFlow reads when it is opened. Call before the process has other threads.
void PrepareTf();

// Opens the library, once. UNAVAILABLE if it is missing, or is not TensorFlow 2. Thread-safe.
base::Status OpenTf();

// Valid after OpenTf().
const TfApi& Tf();

#define INFERD_TF_OWNER(Type)                                               \
  struct Type##Delete {                                                     \
    void operator()(TF_##Type* handle) const { Tf().Delete##Type(handle); } \
  };                                                                        \
  using Type##Owner = std::unique_ptr<TF_##Type, Type##Delete>;

INFERD_TF_OWNER(Status)
INFERD_TF_OWNER(Buffer)
INFERD_TF_OWNER(Tensor)
INFERD_TF_OWNER(Graph)
INFERD_TF_OWNER(ImportGraphDefOptions)
INFERD_TF_OWNER(SessionOptions)

#undef INFERD_TF_OWNER

// Ends the session's threads and frees its variables.
struct SessionDelete {
  void operator()(TF_Session* session) const;
};
using SessionOwner = std::unique_ptr<TF_Session, SessionDelete>;

// A status for passing to a call. Not thread-safe.
class TfStatus final {
 public:
  TfStatus() : status_(Tf().NewStatus()) {}
  TF_Status* get() const { return status_.get(); }
  // Returns the same code, with the message in one line.
  base::Status Take() const;

 private:
  StatusOwner status_;
};

}  // namespace inferd::tensorflow
