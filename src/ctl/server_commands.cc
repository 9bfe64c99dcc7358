#include <map>
#include <optional>
#include <ostream>
#include <set>

#include "base/text/base64.h"
#include "base/text/percent.h"
#include "ctl/commands.h"
#include "ctl/text/file_text.h"
#include "ctl/text/json_texts.h"
#include "ctl/text/metric_samples.h"
#include "ctl/text/table.h"
#include "data/json/writer.h"
#include "data/tensorjson/write.h"

namespace inferd::ctl {

namespace {

using base::Result;
using base::Status;

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

void WriteTensors(json::Writer& writer, json::KeyText key, const std::vector<TensorSignature>& tensors) {
  writer.Key(key);
  writer.BeginArray();
  for (const TensorSignature& tensor : tensors) {
    writer.BeginObject();
    tensorjson::WriteTensorHead(writer, tensor.name, tensor.datatype, tensor.shape);
    writer.EndObject();
  }
  writer.EndArray();
}

// Writes only the members that the server sent.
void WriteRows(json::Writer& writer, const std::vector<IndexRow>& rows) {
  writer.BeginArray();
  for (const IndexRow& row : rows) {
    writer.BeginObject();
    writer.Member("name", row.name);
    if (!row.version.empty()) writer.Member("version", row.version);
    if (!row.state.empty()) writer.Member("state", row.state);
    if (!row.reason.empty()) writer.Member("reason", row.reason);
    writer.EndObject();
  }
  writer.EndArray();
}

// Prints the models without a ready version, and why; they keep a server from being ready.
void AddModelsNotReady(const std::vector<IndexRow>& rows, std::ostream& out) {
  constexpr size_t kShownMax = 20;
  std::set<std::string> ready;
  for (const IndexRow& row : rows) {
    if (row.state == "READY") ready.insert(row.name);
  }
  size_t shown = 0;
  for (const IndexRow& row : rows) {
    if (ready.contains(row.name)) continue;
    if (++shown > kShownMax) continue;
    const std::string version = row.version.empty() ? "" : " version " + row.version;
    out << "not ready   " << row.name << version << ": " << (row.state.empty() ? "UNKNOWN" : row.state)
        << (row.reason.empty() ? "" : ", " + row.reason) << "\n";
  }
  if (shown > kShownMax) out << "not ready   and " << shown - kShownMax << " more (inferctl models)\n";
}

// A version's sequences. All loads of the version count together.
struct SequencesRow {
  std::string model;
  std::string version;
  int64_t slots = 0;
  int64_t active = 0;
  int64_t backlog = 0;
  int64_t waiting = 0;  // requests
};

// Reads the server's metrics, with one call for all models. Empty if the server has no such metrics.
std::vector<SequencesRow> ReadSequences(V2Server& server) {
  const Result<std::string> page = server.Get("/metrics");
  if (!page.has_value()) return {};
  std::map<std::pair<std::string, std::string>, SequencesRow> rows;
  const auto read = [&](std::string_view metric, int64_t SequencesRow::* member) {
    for (const MetricSample& sample : FindSamples(*page, metric)) {
      const auto model = sample.labels.find("model");
      const auto version = sample.labels.find("version");
      if (model == sample.labels.end() || version == sample.labels.end()) continue;
      SequencesRow& row = rows[{model->second, version->second}];
      row.model = model->second;
      row.version = version->second;
      row.*member = static_cast<int64_t>(sample.value);
    }
  };
  read("inferd_sequence_slots", &SequencesRow::slots);
  read("inferd_sequences_active", &SequencesRow::active);
  read("inferd_sequences_backlog", &SequencesRow::backlog);
  read("inferd_sequence_requests_waiting", &SequencesRow::waiting);
  std::vector<SequencesRow> list;
  for (auto& [key, row] : rows) list.push_back(std::move(row));
  return list;
}

void WriteSequences(json::Writer& writer, const std::vector<SequencesRow>& rows) {
  writer.Key("sequences");
  writer.BeginArray();
  for (const SequencesRow& row : rows) {
    writer.BeginObject();
    writer.Member("model", row.model);
    writer.Member("version", row.version);
    writer.Member("slots", row.slots);
    writer.Member("active", row.active);
    writer.Member("backlog", row.backlog);
    writer.Member("waiting", row.waiting);
    writer.EndObject();
  }
  writer.EndArray();
}

struct ServerState {
  std::string url;
  ServerInfo info;
  bool live = false;
  bool ready = false;
  std::vector<SequencesRow> sequences;
  std::optional<std::vector<IndexRow>> rows;  // the index is an extension that other servers may lack
};

void WriteJson(const ServerState& state, const Output& out) {
  json::Writer writer;
  writer.BeginObject();
  writer.Member("server", state.url);
  writer.Member("name", state.info.name);
  writer.Member("version", state.info.version);
  writer.Member("live", state.live);
  writer.Member("ready", state.ready);
  WriteTexts(writer, "extensions", state.info.extensions);
  if (state.rows.has_value()) {
    writer.Key("models");
    WriteRows(writer, *state.rows);
  }
  if (!state.sequences.empty()) WriteSequences(writer, state.sequences);
  writer.EndObject();
  out.Write(writer);
}

void WriteText(const ServerState& state, std::ostream& out) {
  out << "server      " << state.url << "\n"
      << "name        " << state.info.name << " " << state.info.version << "\n"
      << "live        " << (state.live ? "yes" : "no") << "\n"
      << "ready       " << (state.ready ? "yes" : "no") << "\n"
      << "extensions  " << Joined(state.info.extensions, ", ") << "\n";
  for (const SequencesRow& row : state.sequences) {
    out << "sequences   " << row.model << " version " << row.version << ": " << row.active << " of " << row.slots
        << " active, " << row.backlog << " in the backlog; requests waiting: " << row.waiting << "\n";
  }
  if (!state.rows.has_value()) return;
  std::map<std::string, size_t> states;
  for (const IndexRow& row : *state.rows) ++states[row.state.empty() ? "UNKNOWN" : row.state];
  out << "models      " << state.rows->size() << " versions";
  for (const auto& [name, count] : states) out << ", " << count << " " << name;
  out << "\n";
  AddModelsNotReady(*state.rows, out);
  if (!state.ready && state.rows->empty()) out << "not ready   there are no models yet\n";
}

// Prints "loaded m", or {"loaded": "m"}.
void WriteDone(const std::string& what, const std::string& model, const Output& out) {
  if (!out.json) {
    out.stream << what << " " << model << "\n";
    return;
  }
  json::Writer writer;
  writer.BeginObject();
  writer.Member(what, model);
  writer.EndObject();
  out.Write(writer);
}

}  // namespace

Status ShowStatus(V2Server& server, const Output& out) {
  ServerState state;
  state.url = server.url();
  INFERD_ASSIGN_OR_RETURN(state.info, server.Info());
  INFERD_ASSIGN_OR_RETURN(state.live, server.Healthy("/v2/health/live"));
  INFERD_ASSIGN_OR_RETURN(state.ready, server.Healthy("/v2/health/ready"));
  if (auto rows = server.Index(false); rows.has_value()) state.rows = *std::move(rows);
  state.sequences = ReadSequences(server);
  if (out.json) {
    WriteJson(state, out);
  } else {
    WriteText(state, out.stream);
  }
  return base::OkStatus();
}

Status ShowModels(V2Server& server, bool ready_only, const Output& out) {
  INFERD_ASSIGN_OR_RETURN(const std::vector<IndexRow> rows, server.Index(ready_only));
  if (out.json) {
    json::Writer writer;
    WriteRows(writer, rows);
    out.Write(writer);
    return base::OkStatus();
  }
  Table table({"MODEL", "VERSION", "STATE", "REASON"});
  for (const IndexRow& row : rows) table.Add({row.name, row.version, row.state, row.reason});
  out.stream << table.ToString();
  return base::OkStatus();
}

Status ShowModel(V2Server& server, const std::string& name, const std::string& version, const Output& out) {
  INFERD_ASSIGN_OR_RETURN(const ModelSignature model, server.Model(name, version));
  INFERD_ASSIGN_OR_RETURN(const bool ready, server.Healthy(ModelPath(name, version) + "/ready"));
  if (out.json) {
    json::Writer writer;
    writer.BeginObject();
    writer.Member("name", model.name);
    writer.Member("platform", model.platform);
    WriteTexts(writer, "versions", model.versions);
    writer.Member("ready", ready);
    WriteTensors(writer, "inputs", model.inputs);
    WriteTensors(writer, "outputs", model.outputs);
    writer.EndObject();
    out.Write(writer);
    return base::OkStatus();
  }
  out.stream << "model     " << model.name << "\n"
             << "platform  " << model.platform << "\n"
             << "versions  " << Joined(model.versions, ", ") << "\n"
             << "ready     " << (ready ? "yes" : "no") << "\n\n";
  Table table({"", "NAME", "DATATYPE", "SHAPE"});
  AddTensors(table, "input", model.inputs);
  AddTensors(table, "output", model.outputs);
  out.stream << table.ToString();
  return base::OkStatus();
}

Status ShowConfig(V2Server& server, const std::string& model, const std::string& version, const Output& out) {
  INFERD_ASSIGN_OR_RETURN(const std::string json, server.Get(ModelPath(model, version) + "/config"));
  return out.WriteServerJson(json);
}

Status Load(V2Server& server, const LoadArguments& arguments, const Output& out) {
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
  const std::string path = "/v2/repository/models/" + base::PercentEncoded(arguments.model) + "/load";
  INFERD_RETURN_IF_ERROR([&] {
    const auto answer = server.Post(path, writer.TakeString());
    return answer.has_value() ? base::OkStatus() : answer.error();
  }());
  WriteDone("loaded", arguments.model, out);
  return base::OkStatus();
}

Status Unload(V2Server& server, const std::string& model, bool dependents, const Output& out) {
  const std::string path = "/v2/repository/models/" + base::PercentEncoded(model) + "/unload";
  const auto answer = server.Post(path, dependents ? R"({"parameters":{"unload_dependents":true}})" : "{}");
  if (!answer.has_value()) return answer.error();
  WriteDone("unloaded", model, out);
  return base::OkStatus();
}

}  // namespace inferd::ctl
