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

// Which objects of a resource.
struct Selection {
  std::string namespace_name{};  // empty: of all
  std::string label_selector{};  // as kubectl takes them
  std::string field_selector{};
};

struct ListOptions {
  int64_t chunk = 500;  // objects of one answer; 0: all
};

struct ObjectList {
  std::string resource_version;  // behind which a watch goes on
  std::vector<manifest::Value> items;
};

struct WatchOptions {
  std::string resource_version;             // behind which changes are told
  std::chrono::seconds time_limit{5 * 60};  // then the server ends it, well
};

struct WriteOptions {
  std::string subresource{};    // "status": nothing but it is written
  std::string field_manager{};  // in whose name; empty: of the user agent
  bool dry_run = false;         // the server says what would be
};

struct ApplyOptions {
  std::string field_manager;
  bool force = false;  // fields that others manage become this one's
  std::string subresource{};
  bool dry_run = false;
};

enum class PatchType : uint8_t {
  kJson,       // RFC 6902
  kMerge,      // RFC 7386
  kStrategic,  // lists by their merge keys; of Kubernetes' own kinds alone
};

struct DeleteOptions {
  std::string uid{};               // delete it only if it is this one still
  std::string resource_version{};  // and as it was then
  std::string propagation{};       // "Foreground", "Background", "Orphan"; empty: what the kind has
  std::optional<int64_t> grace_period_s{};
};

// Objects of a Kubernetes cluster, read and written through its API. Objects are documents, so that what this program
// does not know of survives a change. Calls block; `stop` ends one with CANCELLED, within a second. Thread-safe.
class Client final {
 public:
  // The clock outlives it.
  Client(ClusterAccess access, SenderOptions options, const base::Clock& clock)
      : sender_(std::move(access), std::move(options), clock) {}

  ApiResult<manifest::Value> Get(const Resource& resource, const ObjectName& name, const std::stop_token& stop = {});
  // In chunks, all of one state of the server. Where the server does not keep that state for long enough (410), all is
  // asked for anew, the last time in one answer.
  ApiResult<ObjectList> List(const Resource& resource, const Selection& selection, const ListOptions& options = {},
                             const std::stop_token& stop = {});
  // Hands on what happens, one event after the other, until the server ends the watch, which is OK, or anything else
  // does. An error of the sink ends it. ListWatch takes it up again.
  ApiResult<void> Watch(const Resource& resource, const Selection& selection, const WatchOptions& options,
                        const WatchDecoder::Sink& sink, const std::stop_token& stop = {});

  // The object as the server has it now. These find an object's namespace and name in its metadata.
  ApiResult<manifest::Value> Create(const Resource& resource, const manifest::Value& object,
                                    const WriteOptions& options = {}, const std::stop_token& stop = {});
  // With the object's resourceVersion: a conflict if it has changed since; without: whatever it is.
  ApiResult<manifest::Value> Update(const Resource& resource, const manifest::Value& object,
                                    const WriteOptions& options = {}, const std::stop_token& stop = {});
  // Server-side apply: the object has what this manager wants of it, and is created where it is not there.
  ApiResult<manifest::Value> Apply(const Resource& resource, const manifest::Value& object, const ApplyOptions& options,
                                   const std::stop_token& stop = {});
  ApiResult<manifest::Value> Patch(const Resource& resource, const ObjectName& name, PatchType type,
                                   const manifest::Value& patch, const WriteOptions& options = {},
                                   const std::stop_token& stop = {});
  // The object may be there for longer, for its finalizers.
  ApiResult<void> Delete(const Resource& resource, const ObjectName& name, const DeleteOptions& options = {},
                         const std::stop_token& stop = {});

  // Reads the object, has it changed and writes it, and all of that again where it has changed meanwhile, 10 times at
  // most, after short pauses. A change that leaves it as it was is not written. `change` may be called more than once.
  using Change = std::function<ApiResult<void>(manifest::Value& object)>;
  ApiResult<manifest::Value> Modify(const Resource& resource, const ObjectName& name, const Change& change,
                                    const WriteOptions& options = {}, const std::stop_token& stop = {});

  // What the API says of itself, as "/version" and "/apis/apps/v1".
  ApiResult<manifest::Value> GetDocument(const std::string& path, const std::stop_token& stop = {});

  // Of objects where none is said; empty: none.
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
