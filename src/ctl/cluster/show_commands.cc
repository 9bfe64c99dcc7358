#include <ostream>
#include <string>
#include <utility>

#include "base/text/base64.h"
#include "ctl/cluster/cluster_commands.h"
#include "ctl/cluster/object_names.h"
#include "ctl/text/table.h"
#include "data/manifest/print.h"

namespace inferd::ctl {

namespace {

using manifest::Value;

std::string Upper(std::string text) {
  for (char& c : text) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return text;
}

// Prints the rows of one or several Tables. With `namespaces` there is a column for the namespace.
class Rows {
 public:
  explicit Rows(bool namespaces) : namespaces_(namespaces) {}

  void Add(const Value& table) {
    const Value* const columns = table.Find("columnDefinitions");
    if (heading_.empty() && columns != nullptr) {
      if (namespaces_) heading_.push_back("NAMESPACE");
      for (const Value& column : columns->items()) heading_.push_back(Upper(FieldText(column, {"name"})));
    }
    const Value* const rows = table.Find("rows");
    if (rows == nullptr) return;
    for (const Value& row : rows->items()) {
      std::vector<std::string> cells;
      if (namespaces_) cells.push_back(FieldText(row, {"object", "metadata", "namespace"}));
      if (const Value* const own = row.Find("cells"); own != nullptr) {
        for (const Value& cell : own->items()) cells.push_back(cell.text());
      }
      rows_.push_back(std::move(cells));
    }
  }

  bool empty() const { return rows_.empty(); }
  void Print(std::ostream& out) {
    Table table(heading_);
    for (std::vector<std::string>& row : rows_) table.Add(std::move(row));
    rows_.clear();
    out << table.ToString();
  }

 private:
  const bool namespaces_;
  std::vector<std::string> heading_;
  std::vector<std::vector<std::string>> rows_;
};

// Prints the object, or all objects of a list as one value.
void PrintValue(const Value& value, const std::string& output, std::ostream& out) {
  if (output == "json") {
    out << PrettyJson(manifest::ToJson(value)) << "\n";
  } else {
    out << manifest::ToYaml(value);
  }
}

base::Result<std::vector<Value>> ReadObjects(ClusterApi& api, const NamedObjects& objects,
                                             const ObjectArguments& arguments) {
  std::vector<Value> read;
  for (const std::string& name : objects.names) {
    INFERD_ASSIGN_OR_RETURN(Value object, api.Get(objects.Path(arguments, name)));
    // Like kubectl, omits managedFields, which readers do not need.
    if (Value* const metadata = object.Find("metadata"); metadata != nullptr) metadata->Remove("managedFields");
    read.push_back(std::move(object));
  }
  if (!objects.names.empty()) return read;
  INFERD_ASSIGN_OR_RETURN(Value list, api.Get(objects.Path(arguments, "")));
  if (Value* const items = list.Find("items"); items != nullptr) {
    for (Value& item : items->items()) {
      item.Set("apiVersion", Value::String(objects.resource.group_version));
      item.Set("kind", Value::String(objects.resource.kind));
      if (Value* const metadata = item.Find("metadata"); metadata != nullptr) metadata->Remove("managedFields");
      read.push_back(std::move(item));
    }
  }
  return read;
}

base::Status Print(const NamedObjects& objects, std::vector<Value> values, const std::string& output,
                   std::ostream& out) {
  if (output == "name") {
    for (const Value& value : values) {
      out << objects.resource.full_name() << "/" << FieldText(value, {"metadata", "name"}) << "\n";
    }
    return base::OkStatus();
  }
  if (objects.names.size() == 1) {
    PrintValue(values.front(), output, out);
    return base::OkStatus();
  }
  PrintValue(Value::Map({{"apiVersion", Value::String("v1")},
                         {"kind", Value::String("List")},
                         {"items", Value::List(std::move(values))}}),
             output, out);
  return base::OkStatus();
}

// Watches with repeated requests of at most one second each.
base::Status Watch(ClusterApi& api, const std::string& path, std::string revision, bool namespaces, std::ostream& out) {
  for (;;) {
    const std::string question = (path.find('?') == std::string::npos ? "?" : "&") +
                                 std::string("watch=true&allowWatchBookmarks=true&timeoutSeconds=1&resourceVersion=") +
                                 revision;
    INFERD_ASSIGN_OR_RETURN(const std::string text, api.GetText(path + question, "table"));
    INFERD_ASSIGN_OR_RETURN(const std::vector<Value> events, ReadSent(text));
    Rows rows(namespaces);
    for (const Value& event : events) {
      const Value* const object = event.Find("object");
      if (object == nullptr) continue;
      if (FieldText(event, {"type"}) == "ERROR") {
        return {base::StatusCode::kAborted, "Error from server: " + FieldText(*object, {"message"})};
      }
      std::string at = FieldText(*object, {"metadata", "resourceVersion"});
      if (const Value* const list = object->Find("rows"); list != nullptr && !list->items().empty()) {
        at = FieldText(list->items().front(), {"object", "metadata", "resourceVersion"});
      }
      if (!at.empty()) revision = at;
      rows.Add(*object);
    }
    if (rows.empty()) continue;
    rows.Print(out);
    out.flush();
  }
}

void PrintMap(const Value* map, std::string_view title, std::ostream& out) {
  out << title;
  if (map == nullptr || map->members().empty()) {
    out << "<none>\n";
    return;
  }
  bool first = true;
  for (const manifest::Member& member : map->members()) {
    out << (std::exchange(first, false) ? "" : std::string(title.size(), ' ')) << member.key << "="
        << member.value.text() << "\n";
  }
}

// Like `kubectl describe` for Secrets: prints the length of each value instead of the value.
void HideData(Value& secret) {
  Value* const data = secret.Find("data");
  if (data == nullptr || !data->is(manifest::Kind::kMap)) return;
  for (manifest::Member& member : data->members()) {
    member.value = Value::String(std::to_string(base::DecodedBase64(member.value.text()).size()) + " bytes");
  }
}

base::Status Describe(ClusterApi& api, const NamedObjects& objects, const Value& object, std::ostream& out) {
  const Value* const metadata = object.Find("metadata");
  const std::string name = FieldText(object, {"metadata", "name"});
  const std::string namespace_name = FieldText(object, {"metadata", "namespace"});
  out << "Name:         " << name << "\nNamespace:    " << namespace_name << "\n";
  PrintMap(metadata == nullptr ? nullptr : metadata->Find("labels"), "Labels:       ", out);
  PrintMap(metadata == nullptr ? nullptr : metadata->Find("annotations"), "Annotations:  ", out);
  out << "Kind:         " << objects.resource.kind << " (" << objects.resource.group_version
      << ")\nCreated:      " << FieldText(object, {"metadata", "creationTimestamp"}) << "\n";
  Value rest = object;
  for (const std::string_view key : {"apiVersion", "kind", "metadata"}) rest.Remove(key);
  if (objects.resource.kind == "Secret") HideData(rest);
  out << manifest::ToYaml(rest);
  if (namespace_name.empty()) return base::OkStatus();
  INFERD_ASSIGN_OR_RETURN(const ApiResource events, api.FindResource("events"));
  INFERD_ASSIGN_OR_RETURN(const Value table,
                          api.GetTable(events.Path(namespace_name) + "?fieldSelector=involvedObject.name%3D" + name +
                                       "%2CinvolvedObject.kind%3D" + objects.resource.kind));
  Rows rows(false);
  rows.Add(table);
  if (rows.empty()) {
    out << "Events:       <none>\n";
  } else {
    out << "Events:\n";
    rows.Print(out);
  }
  return base::OkStatus();
}

base::Result<std::vector<std::string>> PodsOf(ClusterApi& api, const ApiResource& resource,
                                              const ObjectArguments& arguments) {
  std::vector<std::string> pods;
  for (const std::string& word : arguments.words) {
    const size_t slash = word.find('/');
    if (slash == std::string::npos || word.starts_with("pod")) {
      pods.push_back(word.substr(slash == std::string::npos ? 0 : slash + 1));
      continue;
    }
    INFERD_ASSIGN_OR_RETURN(const Value list,
                            api.Get(resource.Path(arguments.namespace_name) +
                                    "?labelSelector=serving.kserve.io%2Finferenceservice%3D" + word.substr(slash + 1)));
    if (const Value* const items = list.Find("items"); items != nullptr) {
      for (const Value& pod : items->items()) pods.push_back(FieldText(pod, {"metadata", "name"}));
    }
  }
  return pods;
}

}  // namespace

base::Status GetObjects(ClusterApi& api, const GetArguments& arguments, std::ostream& out) {
  INFERD_ASSIGN_OR_RETURN(const NamedObjects objects, ResolveObjects(api, arguments.objects));
  if (!arguments.output.empty() && arguments.output != "wide") {
    INFERD_ASSIGN_OR_RETURN(std::vector<Value> values, ReadObjects(api, objects, arguments.objects));
    return Print(objects, std::move(values), arguments.output, out);
  }
  const bool namespaces = arguments.objects.all_namespaces && objects.resource.namespaced;
  Rows rows(namespaces);
  std::string revision;
  const std::vector<std::string> names = objects.names.empty() ? std::vector<std::string>{""} : objects.names;
  for (const std::string& name : names) {
    INFERD_ASSIGN_OR_RETURN(const Value table, api.GetTable(objects.Path(arguments.objects, name)));
    revision = FieldText(table, {"metadata", "resourceVersion"});
    rows.Add(table);
  }
  if (!rows.empty()) {
    rows.Print(out);
  } else if (!arguments.watch) {
    out << "No resources found" << (namespaces ? "." : " in " + arguments.objects.namespace_name + " namespace.")
        << "\n";
  }
  out.flush();
  if (!arguments.watch) return base::OkStatus();
  std::string path = objects.Path(arguments.objects, "");
  if (objects.names.size() == 1) path += "?fieldSelector=metadata.name%3D" + objects.names.front();
  if (revision.empty()) {
    INFERD_ASSIGN_OR_RETURN(const Value list, api.GetTable(path));
    revision = FieldText(list, {"metadata", "resourceVersion"});
  }
  return Watch(api, path, revision, namespaces, out);
}

base::Status DescribeObjects(ClusterApi& api, const ObjectArguments& arguments, std::ostream& out) {
  INFERD_ASSIGN_OR_RETURN(const NamedObjects objects, ResolveObjects(api, arguments));
  INFERD_ASSIGN_OR_RETURN(const std::vector<Value> values, ReadObjects(api, objects, arguments));
  bool first = true;
  for (const Value& value : values) {
    if (!std::exchange(first, false)) out << "\n\n";
    INFERD_RETURN_IF_ERROR(Describe(api, objects, value, out));
  }
  return base::OkStatus();
}

base::Status ShowLogs(ClusterApi& api, const LogArguments& arguments, std::ostream& out) {
  INFERD_ASSIGN_OR_RETURN(const ApiResource resource, api.FindResource("pods"));
  INFERD_ASSIGN_OR_RETURN(const std::vector<std::string> pods, PodsOf(api, resource, arguments.objects));
  if (pods.empty()) return base::NotFound("there is no pod");
  if (arguments.follow && pods.size() > 1) {
    return base::InvalidArgument("one pod can be followed, and there are " + std::to_string(pods.size()) + ": " +
                                 pods.front() + ", " + pods[1] + (pods.size() > 2 ? ", ..." : ""));
  }
  std::string question = std::string("?follow=") + (arguments.follow ? "true" : "false");
  if (arguments.tail >= 0) question += "&tailLines=" + std::to_string(arguments.tail);
  if (arguments.since_s > 0) question += "&sinceSeconds=" + std::to_string(arguments.since_s);
  if (arguments.previous) question += "&previous=true";
  for (const std::string& pod : pods) {
    if (pods.size() > 1) out << "==> " << pod << " <==\n";
    const std::string path = resource.Path(arguments.objects.namespace_name, pod) + "/log" + question;
    INFERD_RETURN_IF_ERROR(api.Stream(path, [&](std::string_view text) {
      out << text;
      out.flush();
    }));
  }
  return base::OkStatus();
}

}  // namespace inferd::ctl
