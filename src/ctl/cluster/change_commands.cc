#include <unistd.h>

#include <iostream>
#include <iterator>
#include <ostream>
#include <string>
#include <thread>
#include <utility>

#include "ctl/cluster/cluster_commands.h"
#include "ctl/cluster/object_conditions.h"
#include "ctl/cluster/object_names.h"
#include "data/manifest/print.h"
#include "data/manifest/read.h"
#include "kserve/model/files/object_files.h"

namespace inferd::ctl {

namespace {

using manifest::Value;

constexpr std::chrono::milliseconds kAskEvery{200};

base::Status AddDocuments(std::vector<Value> documents, std::vector<Value>& objects) {
  for (Value& document : documents) {
    Value* const items = document.Find("items");
    if (!FieldText(document, {"kind"}).ends_with("List") || items == nullptr) {
      objects.push_back(std::move(document));
      continue;
    }
    for (Value& item : items->items()) objects.push_back(std::move(item));
  }
  return base::OkStatus();
}

base::Result<std::vector<Value>> ReadFiles(const std::vector<std::string>& paths) {
  std::vector<Value> objects;
  for (const std::string& path : paths) {
    if (path == "-") {
      const std::string text((std::istreambuf_iterator<char>(std::cin)), std::istreambuf_iterator<char>());
      INFERD_ASSIGN_OR_RETURN(std::vector<Value> documents, manifest::Read(text, "stdin"));
      INFERD_RETURN_IF_ERROR(AddDocuments(std::move(documents), objects));
      continue;
    }
    INFERD_ASSIGN_OR_RETURN(const std::vector<std::string> files, model::ManifestsOf(path));
    for (const std::string& file : files) {
      INFERD_ASSIGN_OR_RETURN(std::vector<Value> documents, manifest::ReadFile(file));
      INFERD_RETURN_IF_ERROR(AddDocuments(std::move(documents), objects));
    }
  }
  return objects;
}

// The path of a file's object, and its names in messages.
struct Place {
  std::string path;
  std::string name;       // "inferenceservice.serving.kserve.io/iris"
  std::string full_name;  // of the resource
  std::string own_name;
};

base::Result<Place> PlaceOf(ClusterApi& api, const Value& object, const std::string& namespace_name) {
  const std::string name = FieldText(object, {"metadata", "name"});
  INFERD_ASSIGN_OR_RETURN(const ApiResource resource,
                          api.FindKind(FieldText(object, {"apiVersion"}), FieldText(object, {"kind"})));
  if (name.empty())
    return std::unexpected(base::InvalidArgument("an object of kind " + resource.kind + " has no name"));
  const std::string own = FieldText(object, {"metadata", "namespace"});
  return Place{.path = resource.Path(own.empty() ? namespace_name : own, name),
               .name = resource.full_name() + "/" + name,
               .full_name = resource.full_name(),
               .own_name = name};
}

// Calls `done` repeatedly until it returns true. DEADLINE_EXCEEDED after `timeout`, with the reasons in the conditions
// of the object that `done` has read last.
base::Status AskUntil(std::chrono::milliseconds timeout, const std::string& name,
                      const std::function<base::Result<bool>(Value& object)>& done) {
  Value object;
  const auto until = std::chrono::steady_clock::now() + timeout;
  for (;;) {
    INFERD_ASSIGN_OR_RETURN(const bool is, done(object));
    if (is) return base::OkStatus();
    if (std::chrono::steady_clock::now() >= until) {
      const std::string why = FalseConditions(object);
      return base::DeadlineExceeded("timed out waiting for the condition on " + name + (why.empty() ? "" : ": " + why));
    }
    std::this_thread::sleep_for(kAskEvery);
  }
}

base::Status SayRollout(const Value& service, std::ostream& out) {
  const Value* traffic = service.Find("status");
  for (const std::string_view key : {"components", "predictor", "traffic"}) {
    traffic = traffic == nullptr ? nullptr : traffic->Find(key);
  }
  if (traffic == nullptr) return base::OkStatus();
  for (const Value& share : traffic->items()) {
    const std::string tag = FieldText(share, {"tag"});
    out << FieldText(share, {"revisionName"}) << " " << FieldText(share, {"percent"}) << " %"
        << (FieldText(share, {"latestRevision"}) == "true" ? " latest"
            : tag.empty()                                  ? ""
                                                           : " " + tag)
        << "\n";
  }
  return base::OkStatus();
}

}  // namespace

base::Status ApplyFiles(ClusterApi& api, const FileArguments& arguments, std::ostream& out) {
  INFERD_ASSIGN_OR_RETURN(const std::vector<Value> objects, ReadFiles(arguments.files));
  if (objects.empty()) return base::InvalidArgument("no objects passed to apply");
  std::vector<Place> places;
  for (const Value& object : objects) {
    INFERD_ASSIGN_OR_RETURN(Place place, PlaceOf(api, object, arguments.namespace_name));
    places.push_back(std::move(place));
  }
  for (size_t i = 0; i < objects.size(); ++i) {
    const Place& place = places[i];
    const auto before = api.Get(place.path);
    if (!before.has_value() && before.error().code() != base::StatusCode::kNotFound) return before.error();
    INFERD_ASSIGN_OR_RETURN(const Value after,
                            api.Send("PATCH", place.path + "?fieldManager=inferctl&force=true&fieldValidation=Strict",
                                     "application/apply-patch+yaml", manifest::ToJson(objects[i])));
    const bool same = before.has_value() && FieldText(*before, {"metadata", "resourceVersion"}) ==
                                                FieldText(after, {"metadata", "resourceVersion"});
    out << place.name << (!before.has_value() ? " created" : same ? " unchanged" : " configured") << "\n";
  }
  return base::OkStatus();
}

base::Status DeleteFiles(ClusterApi& api, const FileArguments& arguments, std::ostream& out) {
  INFERD_ASSIGN_OR_RETURN(const std::vector<Value> objects, ReadFiles(arguments.files));
  for (const Value& object : objects) {
    INFERD_ASSIGN_OR_RETURN(const Place place, PlaceOf(api, object, arguments.namespace_name));
    INFERD_ASSIGN_OR_RETURN(const Value deleted, api.Send("DELETE", place.path, "application/json", "{}"));
    out << place.full_name << " \"" << place.own_name << "\" deleted\n";
  }
  return base::OkStatus();
}

base::Status DeleteObjects(ClusterApi& api, const ObjectArguments& arguments, bool all, std::ostream& out) {
  INFERD_ASSIGN_OR_RETURN(NamedObjects objects, ResolveObjects(api, arguments));
  if (objects.names.empty()) {
    if (!all && arguments.selector.empty()) {
      return base::InvalidArgument("resource(s) were provided, but no name was specified");
    }
    INFERD_ASSIGN_OR_RETURN(const Value list, api.Get(objects.Path(arguments, "")));
    if (const Value* const items = list.Find("items"); items != nullptr) {
      for (const Value& item : items->items()) objects.names.push_back(FieldText(item, {"metadata", "name"}));
    }
  }
  for (const std::string& name : objects.names) {
    INFERD_ASSIGN_OR_RETURN(const Value deleted,
                            api.Send("DELETE", objects.Path(arguments, name), "application/json", "{}"));
    out << objects.resource.full_name() << " \"" << name << "\" deleted\n";
  }
  return base::OkStatus();
}

base::Status WaitForObjects(ClusterApi& api, const ObjectArguments& arguments, const std::string& what,
                            std::chrono::milliseconds timeout, std::ostream& out) {
  constexpr std::string_view kCondition = "condition=";
  if (what != "delete" && !what.starts_with(kCondition)) {
    return base::InvalidArgument("unrecognized condition: \"" + what +
                                 "\"; it must be delete or condition=TYPE[=STATUS]");
  }
  std::string type = what.starts_with(kCondition) ? what.substr(kCondition.size()) : "";
  std::string wanted = "True";
  if (const size_t equals = type.find('='); equals != std::string::npos) {
    wanted = type.substr(equals + 1);
    type.resize(equals);
  }
  INFERD_ASSIGN_OR_RETURN(const NamedObjects objects, ResolveObjects(api, arguments));
  if (objects.names.empty()) return base::InvalidArgument("the name of an object is needed");
  for (const std::string& name : objects.names) {
    const std::string full_name = objects.resource.full_name() + "/" + name;
    INFERD_RETURN_IF_ERROR(AskUntil(timeout, full_name, [&](Value& object) -> base::Result<bool> {
      auto answer = api.Get(objects.Path(arguments, name));
      const bool gone = !answer.has_value() && answer.error().code() == base::StatusCode::kNotFound;
      if (type.empty() && gone) return true;
      if (!answer.has_value()) return std::unexpected(answer.error());
      object = *std::move(answer);
      return !type.empty() && HasCondition(object, type, wanted);
    }));
    out << full_name << " condition met\n";
  }
  return base::OkStatus();
}

base::Status Rollout(ClusterApi& api, const std::string& what, const ObjectArguments& arguments,
                     std::chrono::milliseconds timeout, std::ostream& out) {
  ObjectArguments services = arguments;
  if (!services.words.empty() && services.words.front().find('/') == std::string::npos) {
    services.words.insert(services.words.begin(), "inferenceservice");
  }
  INFERD_ASSIGN_OR_RETURN(const NamedObjects objects, ResolveObjects(api, services));
  for (const std::string& name : objects.names) {
    const std::string path = objects.Path(services, name);
    const std::string full_name = objects.resource.full_name() + "/" + name;
    if (what != "status") {
      const bool promote = what == "promote";
      INFERD_ASSIGN_OR_RETURN(const Value patched,
                              api.Patch(path, std::string(R"({"spec":{"predictor":{"canaryTrafficPercent":)") +
                                                  (promote ? "null" : "0") + "}}}"));
      out << full_name << (promote ? " promoted" : " rolled back") << "\n";
      continue;
    }
    Value service;
    INFERD_RETURN_IF_ERROR(AskUntil(timeout, full_name, [&](Value& object) -> base::Result<bool> {
      INFERD_ASSIGN_OR_RETURN(service, api.Get(path));
      object = service;
      const std::string made = FieldText(service, {"status", "components", "predictor", "latestCreatedRevision"});
      return !made.empty() &&
             made == FieldText(service, {"status", "components", "predictor", "latestReadyRevision"}) &&
             FieldText(service, {"status", "observedGeneration"}) == FieldText(service, {"metadata", "generation"});
    }));
    INFERD_RETURN_IF_ERROR(SayRollout(service, out));
  }
  return base::OkStatus();
}

}  // namespace inferd::ctl
