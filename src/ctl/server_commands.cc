#include <fstream>
#include <iterator>
#include <map>
#include <ostream>

#include "base/base64.h"
#include "ctl/commands.h"
#include "ctl/table.h"
#include "json/writer.h"

namespace inferd::ctl {

namespace {

using base::Result;
using base::Status;

Result<std::string> ReadFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return std::unexpected(base::NotFound("cannot read the file '" + path + "'"));
  return std::string(std::istreambuf_iterator<char>(file), {});
}

std::string Joined(const std::vector<std::string>& texts, std::string_view separator) {
  std::string joined;
  for (const std::string& text : texts) {
    if (!joined.empty()) joined += separator;
    joined += text;
  }
  return joined;
}

void AddTensors(Table& table, const char* kind, const std::vector<TensorSignature>& tensors) {
  for (const TensorSignature& tensor : tensors) {
    table.Add({kind, tensor.name, std::string(tensor::DataTypeName(tensor.datatype)), tensor.shape.ToString()});
  }
}

}  // namespace

Status ShowStatus(V2Server& server, std::ostream& out) {
  INFERD_ASSIGN_OR_RETURN(const ServerInfo info, server.Info());
  INFERD_ASSIGN_OR_RETURN(const bool live, server.Healthy("/v2/health/live"));
  INFERD_ASSIGN_OR_RETURN(const bool ready, server.Healthy("/v2/health/ready"));
  out << "server      " << server.url() << "\n"
      << "name        " << info.name << " " << info.version << "\n"
      << "live        " << (live ? "yes" : "no") << "\n"
      << "ready       " << (ready ? "yes" : "no") << "\n"
      << "extensions  " << Joined(info.extensions, ", ") << "\n";
  // The index is an extension that other servers may lack.
  const auto rows = server.Index(false);
  if (!rows.has_value()) return base::OkStatus();
  std::map<std::string, size_t> states;
  for (const IndexRow& row : *rows) ++states[row.state.empty() ? "UNKNOWN" : row.state];
  out << "models      " << rows->size() << " versions";
  for (const auto& [state, count] : states) out << ", " << count << " " << state;
  out << "\n";
  return base::OkStatus();
}

Status ShowModels(V2Server& server, bool ready_only, std::ostream& out) {
  INFERD_ASSIGN_OR_RETURN(const std::vector<IndexRow> rows, server.Index(ready_only));
  Table table({"MODEL", "VERSION", "STATE", "REASON"});
  for (const IndexRow& row : rows) table.Add({row.name, row.version, row.state, row.reason});
  out << table.ToString();
  return base::OkStatus();
}

Status ShowModel(V2Server& server, const std::string& name, const std::string& version, std::ostream& out) {
  INFERD_ASSIGN_OR_RETURN(const ModelSignature model, server.Model(name, version));
  INFERD_ASSIGN_OR_RETURN(const bool ready, server.Healthy(ModelPath(name, version) + "/ready"));
  out << "model     " << model.name << "\n"
      << "platform  " << model.platform << "\n"
      << "versions  " << Joined(model.versions, ", ") << "\n"
      << "ready     " << (ready ? "yes" : "no") << "\n\n";
  Table table({"", "NAME", "DATATYPE", "SHAPE"});
  AddTensors(table, "input", model.inputs);
  AddTensors(table, "output", model.outputs);
  out << table.ToString();
  return base::OkStatus();
}

Status ShowConfig(V2Server& server, const std::string& model, const std::string& version, std::ostream& out) {
  INFERD_ASSIGN_OR_RETURN(const std::string json, server.Get(ModelPath(model, version) + "/config"));
  out << PrettyJson(json) << "\n";
  return base::OkStatus();
}

Status Load(V2Server& server, const LoadArguments& arguments, std::ostream& out) {
  json::Writer writer;
  writer.BeginObject();
  writer.Key("parameters");
  writer.BeginObject();
  if (!arguments.config_file.empty()) {
    INFERD_ASSIGN_OR_RETURN(const std::string config, ReadFile(arguments.config_file));
    writer.Member("config", config);
  }
  for (const std::string& file : arguments.files) {
    const size_t equals = file.find('=');
    if (equals == std::string::npos) {
      return base::InvalidArgument("--file '" + file + "': expected VERSION/PATH=FILE, as in 1/model.onnx=new.onnx");
    }
    INFERD_ASSIGN_OR_RETURN(const std::string bytes, ReadFile(file.substr(equals + 1)));
    writer.Key("file:" + file.substr(0, equals));
    std::string text(base::Base64Size(bytes.size()), '\0');
    base::EncodeBase64(bytes, text.data());
    writer.String(text);
  }
  writer.EndObject();
  writer.EndObject();
  const std::string path = "/v2/repository/models/" + PercentEncoded(arguments.model) + "/load";
  INFERD_RETURN_IF_ERROR([&] {
    const auto answer = server.Post(path, writer.TakeString());
    return answer.has_value() ? base::OkStatus() : answer.error();
  }());
  out << "loaded " << arguments.model << "\n";
  return base::OkStatus();
}

Status Unload(V2Server& server, const std::string& model, bool dependents, std::ostream& out) {
  const std::string path = "/v2/repository/models/" + PercentEncoded(model) + "/unload";
  const auto answer = server.Post(path, dependents ? R"({"parameters":{"unload_dependents":true}})" : "{}");
  if (!answer.has_value()) return answer.error();
  out << "unloaded " << model << "\n";
  return base::OkStatus();
}

}  // namespace inferd::ctl
