#include "config/ovms/model_list.h"

#include <map>
#include <set>
#include <string>
#include <utility>

#include "config/base_path.h"
#include "config/served_name.h"
#include "data/json/read.h"
#include "data/json/writer.h"

namespace inferd::config {
namespace {

constexpr int64_t kRequestsMax = 1024;

// The fields of one model as they are read.
struct ModelFields {
  std::string name;
  std::string base_path;
  VersionPolicy version_policy;
  int64_t requests = 0;  // executed concurrently; 0 if not set
  std::map<std::string, std::string> parameters;
};

base::Status NotServed(std::string_view field) {
  return base::Unimplemented("field '" + std::string(field) + "' is not served");
}

// Reads a value that is a text, or converts it to one.
base::Result<std::string> ReadScalar(json::Reader& reader) {
  INFERD_ASSIGN_OR_RETURN(const json::ValueType type, reader.Peek());
  switch (type) {
    case json::ValueType::kString: {
      INFERD_ASSIGN_OR_RETURN(const std::string_view text, reader.ReadString());
      return std::string(text);
    }
    case json::ValueType::kBool: {
      INFERD_ASSIGN_OR_RETURN(const bool flag, reader.ReadBool());
      return flag ? "YES" : "NO";
    }
    case json::ValueType::kNumber: {
      INFERD_ASSIGN_OR_RETURN(const std::string_view number, reader.ReadRaw());
      return std::string(number);
    }
    default: return std::unexpected(reader.Error("a text, a number, true or false is expected"));
  }
}

// Reads an object, or a text that contains one, as on that server's command line.
template <typename Member>
base::Status ReadObjectOrText(json::Reader& reader, Member member) {
  INFERD_ASSIGN_OR_RETURN(const json::ValueType type, reader.Peek());
  if (type != json::ValueType::kString) {
    return json::ReadObject(reader, [&](std::string_view key) { return member(reader, key); });
  }
  INFERD_ASSIGN_OR_RETURN(const std::string_view text, reader.ReadString());
  return json::ReadWholeObject(text, member);
}

base::Status ReadVersions(json::Reader& reader, VersionPolicy* policy) {
  policy->kind = VersionPolicyKind::kSpecific;
  return json::ReadObject(reader, [&](std::string_view key) -> base::Status {
    if (key != "versions") return reader.Error("'versions' is expected");
    return json::ReadArray(reader, [&]() -> base::Status {
      INFERD_ASSIGN_OR_RETURN(const int64_t version, reader.ReadInt64());
      if (version < 0) return reader.Error("a version is 0 or more");
      policy->specific.push_back(version);
      return base::OkStatus();
    });
  });
}

base::Status ReadLatest(json::Reader& reader, VersionPolicy* policy) {
  return json::ReadObject(reader, [&](std::string_view key) -> base::Status {
    if (key != "num_versions") return reader.Error("'num_versions' is expected");
    INFERD_ASSIGN_OR_RETURN(const int64_t number, reader.ReadInt64());
    if (number < 1 || number > INT32_MAX) return reader.Error("num_versions is 1 or more");
    policy->latest = static_cast<uint32_t>(number);
    return base::OkStatus();
  });
}

base::Status ReadPolicy(json::Reader& reader, VersionPolicy* policy) {
  return ReadObjectOrText(reader, [policy](json::Reader& in, std::string_view key) -> base::Status {
    *policy = {};
    if (key == "specific") return ReadVersions(in, policy);
    if (key == "latest") return ReadLatest(in, policy);
    if (key != "all") return in.Error("'all', 'latest' or 'specific' is expected");
    policy->kind = VersionPolicyKind::kAll;
    return in.SkipValue();
  });
}

// The engine parses shapes: an object stays unparsed text.
base::Status ReadShape(json::Reader& reader, ModelFields* model) {
  INFERD_ASSIGN_OR_RETURN(const json::ValueType type, reader.Peek());
  if (type == json::ValueType::kObject) {
    INFERD_ASSIGN_OR_RETURN(const std::string_view text, reader.ReadRaw());
    model->parameters["SHAPE"] = text;
    return base::OkStatus();
  }
  INFERD_ASSIGN_OR_RETURN(model->parameters["SHAPE"], ReadScalar(reader));
  return base::OkStatus();
}

// Reads a setting that has an effect only if it is true.
base::Status ReadFalse(std::string_view key, json::Reader& reader) {
  INFERD_ASSIGN_OR_RETURN(const bool flag, reader.ReadBool());
  return flag ? NotServed(key) : base::OkStatus();
}

base::Status ReadRequests(json::Reader& reader, ModelFields* model) {
  INFERD_ASSIGN_OR_RETURN(model->requests, reader.ReadInt64());
  if (model->requests >= 0 && model->requests <= kRequestsMax) return base::OkStatus();
  return base::InvalidArgument("nireq must be from 0 to " + std::to_string(kRequestsMax) + ", got " +
                               std::to_string(model->requests));
}

base::Status ReadMember(std::string_view key, json::Reader& reader, ModelFields* model) {
  if (key == "name") return json::ReadText(reader, model->name);
  if (key == "base_path") return json::ReadText(reader, model->base_path);
  if (key == "model_version_policy") return ReadPolicy(reader, &model->version_policy);
  if (key == "nireq") return ReadRequests(reader, model);
  if (key == "shape") return ReadShape(reader, model);
  if (key == "batch_size" || key == "target_device") {
    INFERD_ASSIGN_OR_RETURN(model->parameters[key == "batch_size" ? "BATCH_SIZE" : "TARGET_DEVICE"],
                            ReadScalar(reader));
    return base::OkStatus();
  }
  if (key == "plugin_config") {
    return ReadObjectOrText(reader, [model](json::Reader& in, std::string_view property) -> base::Status {
      const std::string name(property);
      INFERD_ASSIGN_OR_RETURN(model->parameters[name], ReadScalar(in));
      return base::OkStatus();
    });
  }
  if (key == "stateful" || key == "low_latency_transformation") return ReadFalse(key, reader);
  // Skips settings of states, which do not exist here, and of a cache that the operator enables elsewhere.
  if (key == "idle_sequence_cleanup" || key == "max_sequence_number" || key == "allow_cache") return reader.SkipValue();
  for (const std::string_view known : {"layout", "mean", "scale", "color_format", "precision"}) {
    if (key == known) return NotServed(key);
  }
  return base::InvalidArgument("there is no field '" + std::string(key) + "'");
}

std::string ConfigOf(const ModelFields& model) {
  json::Writer writer;
  writer.BeginObject();
  writer.Key("backend");
  writer.String("openvino");
  if (model.requests > 0) {
    writer.Key("instance_group");
    writer.BeginArray();
    writer.BeginObject();
    writer.Key("count");
    writer.Int(model.requests);
    writer.EndObject();
    writer.EndArray();
  }
  writer.Key("parameters");
  writer.BeginObject();
  for (const auto& [name, value] : model.parameters) {
    writer.Key(json::KeyText(name));
    writer.BeginObject();
    writer.Key("string_value");
    writer.String(value);
    writer.EndObject();
  }
  writer.EndObject();
  writer.EndObject();
  return writer.TakeString();
}

class ListReader final {
 public:
  explicit ListReader(const std::filesystem::path& file) : folder_(std::filesystem::absolute(file).parent_path()) {}

  base::Result<ModelServerConfig> Read(std::string_view text) {
    json::Reader reader(text);
    INFERD_RETURN_IF_ERROR(json::ReadObject(reader, [&](std::string_view key) { return ReadTop(key, reader); }));
    INFERD_RETURN_IF_ERROR(reader.Finish());
    return std::move(result_);
  }

 private:
  base::Status ReadTop(std::string_view key, json::Reader& reader) {
    if (key == "model_config_list") {
      result_.models.emplace();
      return json::ReadArray(reader, [&] { return ReadEntry(reader); });
    }
    if (key == "monitoring") {
      result_.warnings.emplace_back(
          "monitoring of a config.json has no effect: the server's page of metrics has its own");
      return reader.SkipValue();
    }
    for (const std::string_view list :
         {"mediapipe_config_list", "pipeline_config_list", "custom_node_library_config_list"}) {
      if (key == list) return json::ReadArray(reader, [&] { return NotServed(list); });
    }
    return base::InvalidArgument("there is no field '" + std::string(key) + "'");
  }

  base::Status ReadEntry(json::Reader& reader) {
    return json::ReadObject(reader, [&](std::string_view key) -> base::Status {
      if (key != "config") return reader.Error("'config' is expected");
      ModelFields model;
      const base::Status read =
          json::ReadObject(reader, [&](std::string_view field) { return ReadMember(field, reader, &model); });
      INFERD_RETURN_IF_ERROR(read.WithContext(Place(model)));
      return Add(std::move(model)).WithContext(Place(model));
    });
  }

  std::string Place(const ModelFields& model) const {
    return "model_config_list[" + std::to_string(result_.models->size()) + "]" +
           (model.name.empty() ? "" : ", model '" + model.name + "'");
  }

  base::Status Add(const ModelFields& model) {
    if (model.name.empty()) return base::InvalidArgument("a model must have a name");
    INFERD_RETURN_IF_ERROR(CheckServedName(model.name));
    if (!names_.insert(model.name).second) return base::InvalidArgument("a model before it has the same name");
    if (model.base_path.empty()) return base::InvalidArgument("a model must have a base_path");
    std::string path = LocalPath(model.base_path);
    if (path.find("://") == std::string::npos) path = (folder_ / path).lexically_normal();
    INFERD_RETURN_IF_ERROR(CheckBasePath(model.name, path));
    result_.models->push_back({.name = model.name,
                               .base_path = std::move(path),
                               .platform = "openvino",
                               .version_policy = model.version_policy,
                               .config_json = ConfigOf(model)});
    return base::OkStatus();
  }

  const std::filesystem::path folder_;
  std::set<std::string> names_;
  ModelServerConfig result_;
};

}  // namespace

bool IsOvmsModelList(std::string_view text) {
  const size_t first = text.find_first_not_of(" \t\r\n");
  return first != std::string_view::npos && text[first] == '{';
}

base::Result<ModelServerConfig> ParseOvmsModelList(std::string_view text, const std::filesystem::path& file) {
  auto read = ListReader(file).Read(text);
  if (read.has_value()) return read;
  return std::unexpected(read.error().WithContext(file.string()));
}

}  // namespace inferd::config
