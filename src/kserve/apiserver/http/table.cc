#include "kserve/apiserver/http/table.h"

#include <ctime>
#include <functional>
#include <utility>
#include <vector>

#include "data/manifest/value_path.h"

namespace inferd::apiserver {

namespace {

using manifest::Kind;
using manifest::Text;
using manifest::Value;

using Cell = std::function<Value(const Value& object, int64_t now_s)>;

struct Column {
  std::string_view name;
  std::string_view type;  // JSON type
  Cell cell;
};

// Returns the value of a cell. null, shown as empty, if there is none.
Value OrNull(const Value* value) {
  if (value == nullptr || value->is(Kind::kMap) || value->is(Kind::kList)) return {};
  return value->is(Kind::kBool) ? Text(value->boolean() ? "true" : "false") : *value;
}

Cell Field(std::initializer_list<std::string_view> keys) {
  return [path = std::vector<std::string_view>(keys)](const Value& object, int64_t) {
    const Value* value = &object;
    for (const std::string_view key : path) value = value == nullptr ? nullptr : value->Find(key);
    return OrNull(value);
  };
}

// Returns a field of a list's first item, or of the first item whose `key` is `wanted`.
Cell ItemField(std::initializer_list<std::string_view> list, std::string_view field, std::string_view key = "",
               std::string_view wanted = "") {
  return [path = std::vector<std::string_view>(list), field, key, wanted](const Value& object, int64_t) {
    const Value* value = &object;
    for (const std::string_view step : path) value = value == nullptr ? nullptr : value->Find(step);
    if (value == nullptr) return Value();
    for (const Value& item : value->items()) {
      const Value* const own = key.empty() ? nullptr : item.Find(key);
      const std::string text = own == nullptr         ? ""
                               : own->is(Kind::kBool) ? (own->boolean() ? "true" : "false")
                                                      : own->text();
      if (key.empty() || text == wanted) return OrNull(item.Find(field));
    }
    return Value();
  };
}

Cell Count(std::string_view key) {
  return [key](const Value& object, int64_t) {
    const Value* const map = object.Find(key);  // or a list
    return Value::Int(map == nullptr ? 0 : static_cast<int64_t>(map->members().size() + map->items().size()));
  };
}

Cell Age(std::initializer_list<std::string_view> keys) {
  return [path = std::vector<std::string_view>(keys)](const Value& object, int64_t now_s) {
    const Value* value = &object;
    for (const std::string_view key : path) value = value == nullptr ? nullptr : value->Find(key);
    return Text(AgeOf(value == nullptr ? "" : value->text(), now_s));
  };
}

Value EventObject(const Value& event, int64_t) {
  std::string kind = TextAt(event, {"involvedObject", "kind"});
  for (char& c : kind) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return Text(kind + "/" + TextAt(event, {"involvedObject", "name"}));
}

Value PodReady(const Value& pod, int64_t) {
  const Value* const containers = FieldAt(pod, {"status", "containerStatuses"});
  size_t ready = 0;
  if (containers != nullptr) {
    for (const Value& container : containers->items()) {
      const Value* const own = container.Find("ready");
      ready += own != nullptr && own->boolean() ? 1 : 0;
    }
  }
  return Text(std::to_string(ready) + "/" + std::to_string(containers == nullptr ? 0 : containers->items().size()));
}

// Returns the reason why the pod's container waits, or the pod's phase.
Value PodStatus(const Value& pod, int64_t) {
  const Value* const containers = FieldAt(pod, {"status", "containerStatuses"});
  if (FieldAt(pod, {"metadata", "deletionTimestamp"}) != nullptr) return Text("Terminating");
  if (containers != nullptr && !containers->items().empty()) {
    const std::string waits = TextAt(containers->items().front(), {"state", "waiting", "reason"});
    if (!waits.empty()) return Text(waits);
  }
  return OrNull(FieldAt(pod, {"status", "phase"}));
}

std::vector<Column> OwnColumns(std::string_view kind) {
  const Cell ready = ItemField({"status", "conditions"}, "status", "type", "Ready");
  const Cell url = Field({"status", "url"});
  const Column age{"Age", "date", Age({"metadata", "creationTimestamp"})};
  if (kind == "InferenceService") {
    return {{"URL", "string", url},
            {"Ready", "string", ready},
            {"Prev", "integer", ItemField({"status", "components", "predictor", "traffic"}, "percent", "tag", "prev")},
            {"Latest", "integer",
             ItemField({"status", "components", "predictor", "traffic"}, "percent", "latestRevision", "true")},
            {"PrevRolledoutRevision", "string",
             ItemField({"status", "components", "predictor", "traffic"}, "revisionName", "tag", "prev")},
            {"LatestReadyRevision", "string",
             ItemField({"status", "components", "predictor", "traffic"}, "revisionName", "latestRevision", "true")},
            age};
  }
  if (kind == "ServingRuntime" || kind == "ClusterServingRuntime") {
    return {{"Disabled", "boolean", Field({"spec", "disabled"})},
            {"ModelType", "string", ItemField({"spec", "supportedModelFormats"}, "name")},
            {"Containers", "string", ItemField({"spec", "containers"}, "name")},
            age};
  }
  if (kind == "InferenceGraph" || kind == "TrainedModel") {
    return {{"URL", "string", url}, {"Ready", "string", ready}, age};
  }
  if (kind == "ConfigMap") return {{"Data", "integer", Count("data")}, age};
  if (kind == "Secret") return {{"Type", "string", Field({"type"})}, {"Data", "integer", Count("data")}, age};
  if (kind == "ServiceAccount") return {{"Secrets", "integer", Count("secrets")}, age};
  if (kind == "Namespace") return {{"Status", "string", Field({"status", "phase"})}, age};
  if (kind == "Pod") {
    return {{"Ready", "string", PodReady},
            {"Status", "string", PodStatus},
            {"Restarts", "integer", ItemField({"status", "containerStatuses"}, "restartCount")},
            age};
  }
  if (kind == "Revision") {
    return {{"Config Name", "string", Field({"metadata", "labels", "serving.knative.dev/configuration"})},
            {"Generation", "string", Field({"metadata", "labels", "serving.knative.dev/configurationGeneration"})},
            age};
  }
  return {age};
}

std::vector<Column> ColumnsOf(const ResourceType& type) {
  if (type.kind == "Event") {
    return {{"Last Seen", "string", Age({"lastTimestamp"})},
            {"Type", "string", Field({"type"})},
            {"Reason", "string", Field({"reason"})},
            {"Object", "string", EventObject},
            {"Message", "string", Field({"message"})}};
  }
  std::vector<Column> columns = {{"Name", "string", Field({"metadata", "name"})}};
  for (Column& column : OwnColumns(type.kind)) columns.push_back(std::move(column));
  return columns;
}

Value Partial(const Value& object) {
  Value partial = Value::Map({{"kind", Text("PartialObjectMetadata")}, {"apiVersion", Text("meta.k8s.io/v1")}});
  if (const Value* const metadata = object.Find("metadata"); metadata != nullptr) partial.Set("metadata", *metadata);
  return partial;
}

}  // namespace

std::string AgeOf(const std::string& time, int64_t now_s) {
  std::tm parts{};
  if (strptime(time.c_str(), "%Y-%m-%dT%H:%M:%S", &parts) == nullptr) return {};
  const int64_t seconds = std::max<int64_t>(now_s - timegm(&parts), 0);
  const auto both = [](int64_t a, char a_unit, int64_t b, char b_unit) {
    return std::to_string(a) + a_unit + (b == 0 ? "" : std::to_string(b) + b_unit);
  };
  const int64_t minutes = seconds / 60;
  const int64_t hours = seconds / 3600;
  const int64_t days = seconds / 86'400;
  if (seconds < 120) return std::to_string(seconds) + "s";
  if (minutes < 10) return both(minutes, 'm', seconds % 60, 's');
  if (minutes < 180) return std::to_string(minutes) + "m";
  if (hours < 8) return both(hours, 'h', minutes % 60, 'm');
  if (hours < 48) return std::to_string(hours) + "h";
  if (days < 8) return both(days, 'd', hours % 24, 'h');
  return std::to_string(days) + "d";
}

Value TableOf(const ResourceType& type, std::span<const Value> objects, TableObjects with, int64_t now_s) {
  const std::vector<Column> columns = ColumnsOf(type);
  Value definitions = Value::List();
  for (const Column& column : columns) {
    definitions.items().push_back(Value::Map({{"name", Text(column.name)},
                                              {"type", Text(column.type == "date" ? "string" : column.type)},
                                              {"format", Text(column.name == "Name" ? "name" : "")},
                                              {"description", Text("")},
                                              {"priority", Value::Int(0)}}));
  }
  Value rows = Value::List();
  for (const Value& object : objects) {
    Value cells = Value::List();
    for (const Column& column : columns) cells.items().push_back(column.cell(object, now_s));
    Value row = Value::Map({{"cells", std::move(cells)}});
    if (with != TableObjects::kNone) row.Set("object", with == TableObjects::kObject ? object : Partial(object));
    rows.items().push_back(std::move(row));
  }
  return Value::Map({{"kind", Text("Table")},
                     {"apiVersion", Text("meta.k8s.io/v1")},
                     {"metadata", Value::Map()},
                     {"columnDefinitions", std::move(definitions)},
                     {"rows", std::move(rows)}});
}

}  // namespace inferd::apiserver
