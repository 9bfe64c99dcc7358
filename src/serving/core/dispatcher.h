#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "serving/core/graph_call.h"
#include "serving/core/model/model_signature.h"
#include "serving/core/request/infer_request.h"
#include "serving/core/request/infer_response.h"
#include "serving/core/request/input_memory.h"
#include "serving/core/request/load_demand.h"

namespace inferd::config {
struct ModelConfig;
}  // namespace inferd::config

namespace inferd::core {

class Tracing;

// The version that a request names. A view.
struct VersionName {
  std::string_view model;
  std::string_view version;  // empty if the server chooses
};

// The version that would answer a request, for a front-end that has not decoded the body yet: the tensors' types (for
// protocols whose wire does not say them), labels and so on. The version is not unloaded while this is held.
class PinnedModel {
 public:
  virtual ~PinnedModel() = default;
  virtual const ModelSignature& signature() const = 0;
  // Returns signature(), with the alternative tensors appended.
  virtual const ModelSignature& accepted() const { return signature(); }
  // Returns all signatures that a request can use, in the order of InferRequest::signature. The first is signature().
  virtual std::span<const ModelSignature* const> signatures() const = 0;
  // Returns further signatures that only metadata show.
  virtual std::span<const ModelSignature* const> shown_signatures() const { return {}; }
  virtual const std::string& version() const = 0;
  // Returns the version's configuration, for its settings of front-ends. Null if it has none.
  virtual const config::ModelConfig* configuration() const { return nullptr; }
  // Returns the number of requests that wait for this version.
  virtual int64_t pending() const { return 0; }
  // Counts a request that its protocol refuses, so that Infer never gets it, as a failure of the version. `total_ns` is
  // the time since the request arrived. `rows` is the number of rows in it.
  virtual void CountRefused(int64_t total_ns, int64_t rows) const {
    static_cast<void>(total_ns);
    static_cast<void>(rows);
  }
  // Returns the memory to read a request's body into. Null if any memory will do. It lives as long as this object or
  // any buffer of it.
  virtual InputMemory* input_memory() const { return nullptr; }
};

// A loop thread's access to the models: finds the version in this loop's own catalog snapshot (no lock, no allocation
// in proportion to the number of models), validates the request, and queues it. Loop-bound: one per loop thread.
class Dispatcher {
 public:
  virtual ~Dispatcher() = default;

  // Returns the version. NOT_FOUND if there is no such model or version. UNAVAILABLE, with the reason, if it is not
  // ready.
  virtual base::Result<std::shared_ptr<const PinnedModel>> Find(std::string_view model, std::string_view version) = 0;

  // Returns true if the version is loaded by the first request for it. If Find() has none then, the caller should call
  // AwaitLoad().
  virtual bool LoadsOnDemand(std::string_view model, std::string_view version) = 0;

  // Returns the object that decides which requests are traced. Null if no request ever is.
  virtual Tracing* tracing() const { return nullptr; }

  // Waits until the version is loaded, or has failed to load. RESOURCE_EXHAUSTED if the server has as many requests in
  // flight as it may.
  virtual void AwaitLoad(LoadDemand demand) = 0;

  // Returns the version that a label names, ready or not. INVALID_ARGUMENT if the model is unknown or has no such
  // label.
  virtual base::Result<std::string> LabelledVersion(std::string_view model, std::string_view label) = 0;

  // Returns `pinned`, which Find gave, as a version with the inputs and outputs of `call` alone. Pass it to Infer in
  // place of `pinned`. UNIMPLEMENTED if the engine cannot do it, or is in another process. NOT_FOUND if the graph has
  // no such tensor. RESOURCE_EXHAUSTED if the version already has too many different graph calls.
  virtual base::Result<std::shared_ptr<const PinnedModel>> CallGraph(std::shared_ptr<const PinnedModel> pinned,
                                                                     const GraphCall& call) {
    static_cast<void>(pinned);
    static_cast<void>(call);
    return std::unexpected(base::Unimplemented("graphs are not called here"));
  }

  // Answers exactly once with a final response, on any thread, perhaps before it returns. `pinned` is the result of
  // Find for this request's model and version, or null.
  virtual void Infer(std::shared_ptr<const PinnedModel> pinned, std::unique_ptr<InferRequest> request,
                     Completion completion) = 0;
};

}  // namespace inferd::core
