// Drives src/kserve/kubernetes for tests: does what lines of JSON on its standard input say, one after the other, and
// answers each with one or more lines.
//
//   kubernetes_client [--kubeconfig FILE] [--context NAME] [--pod-files FOLDER]
//
//   {"call":"get","resource":{"group":"","version":"v1","kind":"Pod","plural":"pods"},"namespace":"a","name":"p"}
//   {"result":{...}}                    or
//   {"error":{"code":404,"reason":"NotFound","message":"...","status":"NOT_FOUND"}}
//
// Calls: event (told of an object), elect (a LeaderElection of a lease of 3 s, which prints {"told":"LEADS"} and
// {"told":"ENDS"}), get, list, create, update, apply, patch, delete, increment (of an annotation, by Modify), follow (a
// ListWatch on a thread of its own, which prints {"told":"ADDED","object":{...}} from then on), document.

#include <cstdio>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <list>
#include <map>
#include <mutex>
#include <string>
#include <thread>

#include "base/clock.h"
#include "data/manifest/fields.h"
#include "data/manifest/print.h"
#include "data/manifest/read.h"
#include "data/manifest/value_path.h"
#include "kserve/kubernetes/access/cluster_access.h"
#include "kserve/kubernetes/client/client.h"
#include "kserve/kubernetes/coordination/event_recorder.h"
#include "kserve/kubernetes/coordination/leader_election.h"
#include "kserve/kubernetes/watch/list_watch.h"

namespace inferd::support {
namespace {

using kubernetes::ApiError;
using kubernetes::ApiResult;
using kubernetes::Client;
using kubernetes::ObjectName;
using kubernetes::Resource;
using manifest::TextAt;
using manifest::Value;

void Print(const Value& line) {
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  std::cout << manifest::ToJson(line) << std::endl;
}

Value ErrorValue(const ApiError& error) {
  return Value::Map({{"code", Value::Int(error.code)},
                     {"reason", Value::String(error.reason)},
                     {"message", Value::String(error.message)},
                     {"details", error.details},
                     {"status", Value::String(std::string(base::StatusCodeName(error.status)))}});
}

void Answer(const ApiResult<Value>& result) {
  Print(result.has_value() ? Value::Map({{"result", *result}}) : Value::Map({{"error", ErrorValue(result.error())}}));
}

// A resource that is followed until the end.
class Follower final : public kubernetes::ObjectSink {
 public:
  Follower(Client& client, Resource resource, kubernetes::Selection selection, int64_t watch_time_s)
      : list_watch_(
            client, std::move(resource), std::move(selection), *this,
            {.watch_time = std::chrono::seconds(watch_time_s),
             .retry = {.first_pause = std::chrono::milliseconds(100), .pause_max = std::chrono::milliseconds(500)}}),
        thread_([this](const std::stop_token& stop) { list_watch_.Run(stop); }) {}

  void OnList(kubernetes::ObjectList list) override { Tell("LIST", Value::List(std::move(list.items))); }
  void OnEvent(kubernetes::WatchEvent event) override {
    const char* const names[] = {"ADDED", "MODIFIED", "DELETED", "BOOKMARK"};
    Tell(names[static_cast<int>(event.type)], std::move(event.object));
  }
  void OnError(const ApiError& error) override { Tell("ERROR", ErrorValue(error)); }

 private:
  static void Tell(const char* what, Value object) {
    Print(Value::Map({{"told", Value::String(what)}, {"object", std::move(object)}}));
  }

  kubernetes::ListWatch list_watch_;
  std::jthread thread_;
};

// A candidate until the end.
class Candidate final {
 public:
  Candidate(Client& client, ObjectName lease, const std::string& identity, const base::Clock& clock)
      : lease_(client, std::move(lease)),
        election_(
            lease_,
            {.identity = identity, .lease_time = std::chrono::seconds(3), .pause = std::chrono::milliseconds(200)},
            clock),
        thread_([this](const std::stop_token& stop) {
          election_.Run(stop, [](bool leads) {
            Print(Value::Map({{"told", Value::String(leads ? "LEADS" : "ENDS")}, {"object", Value()}}));
          });
        }) {}

 private:
  kubernetes::ClusterLease lease_;
  kubernetes::LeaderElection election_;
  std::jthread thread_;
};

struct Request {
  explicit Request(const Value& line)
      : resource({.group = TextAt(line, {"resource", "group"}),
                  .version = TextAt(line, {"resource", "version"}),
                  .kind = TextAt(line, {"resource", "kind"}),
                  .plural = TextAt(line, {"resource", "plural"}),
                  .namespaced = line.Find("cluster_wide") == nullptr}),
        name({.namespace_name = TextAt(line, {"namespace"}), .name = TextAt(line, {"name"})}),
        selection({.namespace_name = name.namespace_name,
                   .label_selector = TextAt(line, {"labels"}),
                   .field_selector = TextAt(line, {"fields"})}),
        write({.subresource = TextAt(line, {"subresource"}),
               .field_manager = TextAt(line, {"manager"}),
               .dry_run = line.Find("dry_run") != nullptr}) {
    if (const Value* found = line.Find("object")) object = *found;
  }

  Resource resource;
  ObjectName name;
  kubernetes::Selection selection;
  kubernetes::WriteOptions write;
  Value object;
};

int64_t NumberAt(const Value& line, std::string_view key, int64_t otherwise) {
  return manifest::ParseInt64(TextAt(line, {key})).value_or(otherwise);
}

kubernetes::PatchType PatchTypeOf(const std::string& name) {
  if (name == "json") return kubernetes::PatchType::kJson;
  return name == "merge" ? kubernetes::PatchType::kMerge : kubernetes::PatchType::kStrategic;
}

ApiResult<Value> List(Client& client, const Request& request, const Value& line) {
  auto list = client.List(request.resource, request.selection, {.chunk = NumberAt(line, "chunk", 500)});
  if (!list.has_value()) return std::unexpected(list.error());
  return Value::Map(
      {{"resourceVersion", Value::String(list->resource_version)}, {"items", Value::List(std::move(list->items))}});
}

ApiResult<Value> Increment(Client& client, const Request& request) {
  return client.Modify(request.resource, request.name, [](Value& object) -> ApiResult<void> {
    Value& annotations = object.MapAt("metadata").MapAt("annotations");
    const int64_t before = manifest::ParseInt64(TextAt(annotations, {"count"})).value_or(0);
    annotations.Set("count", Value::String(std::to_string(before + 1)));
    return {};
  });
}

ApiResult<Value> Delete(Client& client, const Request& request, const Value& line) {
  auto deleted = client.Delete(request.resource, request.name,
                               {.uid = TextAt(line, {"uid"}),
                                .resource_version = TextAt(line, {"version"}),
                                .propagation = TextAt(line, {"propagation"})});
  if (!deleted.has_value()) return std::unexpected(deleted.error());
  return Value::Map();
}

ApiResult<Value> Event(kubernetes::EventRecorder& recorder, const Value& line) {
  auto recorded = recorder.Record(Request(line).object, "Warning", "Tested", TextAt(line, {"message"}));
  if (!recorded.has_value()) return std::unexpected(recorded.error());
  return Value::Map();
}

ApiResult<Value> Call(Client& client, const Value& line) {
  const Request request(line);
  const std::string& call = TextAt(line, {"call"});
  if (call == "get") return client.Get(request.resource, request.name);
  if (call == "list") return List(client, request, line);
  if (call == "create") return client.Create(request.resource, request.object, request.write);
  if (call == "update") return client.Update(request.resource, request.object, request.write);
  if (call == "patch")
    return client.Patch(request.resource, request.name, PatchTypeOf(TextAt(line, {"type"})), request.object,
                        request.write);
  if (call == "delete") return Delete(client, request, line);
  if (call == "increment") return Increment(client, request);
  if (call == "document") return client.GetDocument(TextAt(line, {"path"}));
  if (call == "apply") {
    return client.Apply(request.resource, request.object,
                        {.field_manager = request.write.field_manager,
                         .force = line.Find("force") != nullptr,
                         .subresource = request.write.subresource,
                         .dry_run = request.write.dry_run});
  }
  return std::unexpected(kubernetes::ErrorWithoutAnswer(base::Unimplemented("no such call: " + call)));
}

int Run(const kubernetes::AccessOptions& options) {
  auto access = kubernetes::FindClusterAccess(options, storage::ProcessEnvironment());
  if (!access.has_value()) {
    std::cerr << access.error().ToString() << std::endl;
    return 1;
  }
  const base::SystemClock clock;
  Client client(*access, {.requests_per_second = 1000, .burst = 1000, .user_agent = "kubernetes_client"}, clock);
  kubernetes::EventRecorder recorder(client, "kubernetes_client", clock);
  std::list<Follower> followers;
  std::list<Candidate> candidates;
  for (std::string text; std::getline(std::cin, text);) {
    const auto documents = manifest::ReadJson(text, "stdin");
    if (!documents.has_value() || documents->size() != 1) {
      std::cerr << "no JSON: " << text << std::endl;
      return 1;
    }
    const Value& line = documents->front();
    if (TextAt(line, {"call"}) == "follow") {
      const Request request(line);
      followers.emplace_back(client, request.resource, request.selection, NumberAt(line, "watch_time_s", 300));
    } else if (TextAt(line, {"call"}) == "elect") {
      candidates.emplace_back(client, Request(line).name, TextAt(line, {"identity"}), clock);
    } else if (TextAt(line, {"call"}) == "event") {
      Answer(Event(recorder, line));
    } else {
      Answer(Call(client, line));
    }
  }
  return 0;
}

}  // namespace
}  // namespace inferd::support

int main(int argc, char** argv) {
  inferd::kubernetes::AccessOptions options;
  const std::map<std::string, std::string*> known = {
      {"--kubeconfig", &options.kubeconfig}, {"--context", &options.context}, {"--pod-files", &options.pod_files}};
  for (int i = 1; i + 1 < argc; i += 2) *known.at(argv[i]) = argv[i + 1];
  return inferd::support::Run(options);
}
