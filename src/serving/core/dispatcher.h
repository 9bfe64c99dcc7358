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

// What a request says of the version that it wants. A view.
struct VersionName {
  std::string_view model;
  std::string_view version;  // empty: the server chooses
};

// What a front-end may ask about the version that would answer, before it decodes the body: the tensors' types (for
// protocols whose wire does not say them) and labels. Keeps the version from being unloaded while it is held.
class PinnedModel {
 public:
  virtual ~PinnedModel() = default;
  virtual const ModelSignature& signature() const = 0;
  // signature(), and the alternative tensors behind its own.
  virtual const ModelSignature& accepted() const { return signature(); }
  // All that it can be asked, by InferRequest::signature; first, signature().
  virtual std::span<const ModelSignature* const> signatures() const = 0;
  // What metadata show besides.
  virtual std::span<const ModelSignature* const> shown_signatures() const { return {}; }
  virtual const std::string& version() const = 0;
  // Its configuration, for what that says to front-ends; null: it has none.
  virtual const config::ModelConfig* configuration() const { return nullptr; }
  // How many requests to it wait.
  virtual int64_t pending() const { return 0; }
  // Counts a request that its protocol refuses, so that Infer never gets it, among the version's failures. `total_ns`
  // since it came; `rows` as it says.
  virtual void CountRefused(int64_t total_ns, int64_t rows) const {
    static_cast<void>(total_ns);
    static_cast<void>(rows);
  }
  // Where the body of a request is best read to; null: anywhere. It lives as long as this, or a buffer of it.
  virtual InputMemory* input_memory() const { return nullptr; }
};

// A loop thread's way into the models: finds the version in this loop's own catalog snapshot (no lock, no allocation in
// proportion to the number of models), validates, and queues. Loop-bound: one per loop thread.
class Dispatcher {
 public:
  virtual ~Dispatcher() = default;

  // NOT_FOUND: no such model or version. UNAVAILABLE: known, not ready, with its reason.
  virtual base::Result<std::shared_ptr<const PinnedModel>> Find(std::string_view model, std::string_view version) = 0;

  // Whether the version is of those that are loaded when a request needs them. What Find does not have then is worth an
  // AwaitLoad.
  virtual bool LoadsOnDemand(std::string_view model, std::string_view version) = 0;

  // Which requests are traced; null: none is, ever.
  virtual Tracing* tracing() const { return nullptr; }

  // Has it loaded, or says why not. RESOURCE_EXHAUSTED: the server has all the requests that it may have.
  virtual void AwaitLoad(LoadDemand demand) = 0;

  // The version that a label names, ready or not. INVALID_ARGUMENT: the model, if there is one, has no such label.
  virtual base::Result<std::string> LabelledVersion(std::string_view model, std::string_view label) = 0;

  // The version that `pinned`, which Find gave, is, as one that takes and gives what `call` says and nothing else: for
  // Infer, in place of `pinned`. UNIMPLEMENTED: its engine cannot, or is in another process. NOT_FOUND: the graph has
  // no such tensor. RESOURCE_EXHAUSTED: the version was asked for too many different ones.
  virtual base::Result<std::shared_ptr<const PinnedModel>> CallGraph(std::shared_ptr<const PinnedModel> pinned,
                                                                     const GraphCall& call) {
    static_cast<void>(pinned);
    static_cast<void>(call);
    return std::unexpected(base::Unimplemented("graphs are not called here"));
  }

  // Answers exactly once with a final response, perhaps before it returns, on any thread. `pinned` is what Find gave
  // for this request's model and version, or null.
  virtual void Infer(std::shared_ptr<const PinnedModel> pinned, std::unique_ptr<InferRequest> request,
                     Completion completion) = 0;
};

}  // namespace inferd::core
