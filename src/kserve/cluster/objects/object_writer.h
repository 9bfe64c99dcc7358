#pragma once

#include <functional>
#include <memory>
#include <stop_token>
#include <string>

#include "base/metrics/registry.h"
#include "kserve/kubernetes/client/client.h"
#include "kserve/kubernetes/watch/object_cache.h"

namespace inferd::cluster {

// The reason why an object was not written.
struct WriteFailure {
  bool transient = false;   // a retry may succeed: no answer, or the object has changed meanwhile
  std::string reason;       // "NotOwned", or the API server's: "Forbidden"
  std::string message;      // contains the object's name
  bool of_knative = false;  // an object of Knative has the name, and may go soon with its unwanted Knative Service
};
template <typename T>
using WriteResult = std::expected<T, WriteFailure>;

// The result of a write.
enum class Written { kUnchanged, kApplied, kDeleted };

// Writes objects of InferenceServices and InferenceGraphs by server-side apply. It skips objects that are already in
// their wanted state. Thread-safe; calls block.
class ObjectWriter final {
 public:
  // Returns true if this process may write now, because it leads.
  using Gate = std::function<bool()>;

  // All references must outlive the writer.
  ObjectWriter(kubernetes::Client& client, Gate may_write, metrics::Registry& metrics);

  // `owner` is the document of the object's owner. `live` is the last known state of the object, or null if none is
  // known.
  //
  // An object that another owner controls is not touched (NotOwned). An object of an earlier owner of the same name is
  // deleted; a later call creates it again. If `live` is null, a revision's Deployment is looked up first: one with
  // other pods is not overwritten (RevisionExists).
  WriteResult<Written> Write(const manifest::Value& owner, const manifest::Value& wanted, const manifest::Value* live,
                             const std::stop_token& stop);
  // Deletes exactly this object, by its uid. Succeeds if the object is gone or is being deleted.
  WriteResult<Written> Delete(const kubernetes::Resource& resource, const manifest::Value& live,
                              const std::stop_token& stop);

 private:
  WriteResult<Written> Apply(const manifest::Value& owner, const kubernetes::Resource& resource,
                             const manifest::Value& object, bool force, const std::stop_token& stop);
  WriteResult<Written> WriteOver(const manifest::Value& owner, const kubernetes::Resource& resource,
                                 const manifest::Value& object, const manifest::Value& live,
                                 const std::stop_token& stop);
  WriteFailure FailureOf(const kubernetes::ApiError& error, const manifest::Value& object) const;

  kubernetes::Client& client_;
  const Gate may_write_;
  const std::shared_ptr<metrics::Counter> applied_;
  const std::shared_ptr<metrics::Counter> deleted_;
  const std::shared_ptr<metrics::Counter> failed_;
};

// Returns the counter of written objects with that result: "applied", "deleted", "failed", "status".
std::shared_ptr<metrics::Counter> WritesCounter(metrics::Registry& metrics, const char* result);

// Returns for example "Deployment \"iris-predictor-default\"".
std::string TitleOf(const manifest::Value& object);

}  // namespace inferd::cluster
