#pragma once

#include <functional>
#include <memory>
#include <stop_token>
#include <string>

#include "base/metrics/registry.h"
#include "kserve/kubernetes/client/client.h"
#include "kserve/kubernetes/watch/object_cache.h"

namespace inferd::cluster {

// Why an object is not as it is wanted.
struct WriteFailure {
  bool transient = false;  // another try may mend it: there was no answer, or the object has changed meanwhile
  std::string reason;      // "NotOwned", or the API server's: "Forbidden"
  std::string message;     // names the object
};
template <typename T>
using WriteResult = std::expected<T, WriteFailure>;

// What a write was.
enum class Written { kUnchanged, kApplied, kDeleted };

// Writes objects of InferenceServices and InferenceGraphs by server-side apply, and only those that are not as they are
// wanted. Thread-safe; calls block.
class ObjectWriter final {
 public:
  // Whether this process may write now: it leads.
  using Gate = std::function<bool()>;

  // All outlive it.
  ObjectWriter(kubernetes::Client& client, Gate may_write, metrics::Registry& metrics);

  // `owner`: the document of what it is for. `live`: the object as it was last heard of; null: of none.
  //
  // An object that another controls is left alone (NotOwned). One of an earlier owner of that name is deleted, and made
  // anew.
  WriteResult<Written> Write(const manifest::Value& owner, const manifest::Value& wanted, const manifest::Value* live,
                             const std::stop_token& stop);
  // Only if it is that very one still. OK: it is gone, or going.
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

// How many objects were written, of those with that result: "applied", "deleted", "failed", "status".
std::shared_ptr<metrics::Counter> WritesCounter(metrics::Registry& metrics, const char* result);

// "Deployment \"iris-predictor-default\"".
std::string TitleOf(const manifest::Value& object);

}  // namespace inferd::cluster
