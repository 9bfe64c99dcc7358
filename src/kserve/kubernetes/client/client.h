#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "data/manifest/value.h"
#include "kserve/kubernetes/api/api_error.h"
#include "kserve/kubernetes/api/object_meta.h"
#include "kserve/kubernetes/api/resource.h"
#include "kserve/kubernetes/api/watch_decoder.h"
#include "kserve/kubernetes/client/sender.h"

namespace inferd::kubernetes {

// Selects objects of a resource.
struct Selection {
  std::string namespace_name{};  // all namespaces if empty
  std::string label_selector{};  // in kubectl's syntax
  std::string field_selector{};
};

struct ListOptions {
  int64_t chunk = 500;  // objects per answer; 0 for all
};

struct ObjectList {
  std::string resource_version;  // a watch continues after it
  std::vector<manifest::Value> items;
};

struct WatchOptions {
  std::string resource_version;             // only later changes are reported
  std::chrono::seconds time_limit{5 * 60};  // then the server ends the watch without an error
};

struct WriteOptions {
  std::string subresource{};    // "status" if only the status is written
  std::string field_manager{};  // owner of the written fields; if empty, derived from the user agent
  bool dry_run = false;         // the server only computes the result
};

struct ApplyOptions {
  std::string field_manager;
  bool force = false;  // take over fields of other managers
  std::string subresource{};
  bool dry_run = false;
};

enum class PatchType : uint8_t {
  kJson,       // RFC 6902
  kMerge,      // RFC 7386
  kStrategic,  // lists by their merge keys; for Kubernetes' own kinds only
};

struct DeleteOptions {
  std::string uid{};               // delete only the object with this uid
  std::string resource_version{};  // and only this version of it
  std::string propagation{};       // "Foreground", "Background", "Orphan"; the kind's default if empty
  std::optional<int64_t> grace_period_s{};
};

// A client that reads and writes objects of a cluster. Objects are documents, so that fields unknown to this program
// survive a change. Calls block; `stop` ends a call with CANCELLED within a second. Thread-safe.
class Client final {
 public:
  // The clock must outlive the client.
  Client(ClusterAccess access, SenderOptions options, const base::Clock& clock)
      : sender_(std::move(access), std::move(options), clock) {}

  ApiResult<manifest::Value> Get(const Resource& resource, const ObjectName& name, const std::stop_token& stop = {});
  // Lists objects in chunks that belong to one state of the server. If the server drops that state meanwhile (410), the
  // list starts again; the last attempt requests everything in one answer.
  ApiResult<ObjectList> List(const Resource& resource, const Selection& selection, const ListOptions& options = {},
                             const std::stop_token& stop = {});
  // Passes events to the sink, one by one. Returns OK when the server ends the watch, else the error. An error of the
  // sink ends the watch. ListWatch continues interrupted watches.
  ApiResult<void> Watch(const Resource& resource, const Selection& selection, const WatchOptions& options,
                        const WatchDecoder::Sink& sink, const std::stop_token& stop = {});

  // Creates the object, and returns the stored one. Namespace and name of this and the next calls are those of its
  // metadata.
  ApiResult<manifest::Value> Create(const Resource& resource, const manifest::Value& object,
                                    const WriteOptions& options = {}, const std::stop_token& stop = {});
  // Replaces the object. If it has a resourceVersion, a change since then is a conflict.
  ApiResult<manifest::Value> Update(const Resource& resource, const manifest::Value& object,
                                    const WriteOptions& options = {}, const std::stop_token& stop = {});
  // Server-side apply: sets the fields that this manager wants, and creates the object if necessary.
  ApiResult<manifest::Value> Apply(const Resource& resource, const manifest::Value& object, const ApplyOptions& options,
                                   const std::stop_token& stop = {});
  ApiResult<manifest::Value> Patch(const Resource& resource, const ObjectName& name, PatchType type,
                                   const manifest::Value& patch, const WriteOptions& options = {},
                                   const std::stop_token& stop = {});
  // Deletes the object. It may exist for longer because of its finalizers.
  ApiResult<void> Delete(const Resource& resource, const ObjectName& name, const DeleteOptions& options = {},
                         const std::stop_token& stop = {});

  // Reads the object, calls `change` and writes the result. After a conflict it repeats that, up to 10 times in total,
  // with short pauses. An unchanged object is not written. `change` may be called more than once.
  using Change = std::function<ApiResult<void>(manifest::Value& object)>;
  ApiResult<manifest::Value> Modify(const Resource& resource, const ObjectName& name, const Change& change,
                                    const WriteOptions& options = {}, const std::stop_token& stop = {});

  // Returns a document about the API, such as "/version" and "/apis/apps/v1".
  ApiResult<manifest::Value> GetDocument(const std::string& path, const std::stop_token& stop = {});

  // Returns the namespace for objects that name none. Empty if there is none.
  const std::string& default_namespace() const { return sender_.access().namespace_name; }

 private:
  ApiResult<manifest::Value> Call(ApiRequest request, const std::stop_token& stop);
  ApiResult<std::string> ListChunk(const Resource& resource, const Selection& selection, int64_t chunk,
                                   const std::string& from, ObjectList& list, const std::stop_token& stop);
  ApiResult<ObjectList> ListChunks(const Resource& resource, const Selection& selection, int64_t chunk,
                                   const std::stop_token& stop);

  Sender sender_;
};

}  // namespace inferd::kubernetes
