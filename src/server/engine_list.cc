#include "server/engine_list.h"

#include <algorithm>
#include <map>
#include <ostream>
#include <string>
#include <vector>

#include "config/format/format_table.h"
#include "config/format/missing_engine.h"
#include "config/own_engines.h"
#include "data/json/writer.h"
#include "server/engine_set.h"
#include "server/option_mapping.h"
#include "serving/enginehost/engine_directory.h"

namespace inferd::server {

namespace {

void WriteFormats(json::Writer& writer, std::string_view engine) {
  writer.Key("formats");
  writer.BeginArray();
  for (const config::NamedFormat& format : config::FormatsOf(engine)) {
    writer.BeginObject();
    writer.Member("name", format.name);
    writer.Key("files");
    writer.BeginArray();
    for (const std::string& file : format.files) writer.String(file);
    writer.EndArray();
    writer.EndObject();
  }
  writer.EndArray();
}

void WriteEngine(json::Writer& writer, const enginehost::PluginEngine& engine) {
  writer.BeginObject();
  writer.Member("name", engine.name());
  writer.Member("version", engine.version());
  writer.Member("library", engine.path().string());
  writer.Key("devices");
  writer.BeginArray();
  writer.String("CPU");
  for (int32_t i = 0; i < engine.device_count(); ++i) writer.String("GPU " + std::to_string(i));
  writer.EndArray();
  WriteFormats(writer, engine.name());
  writer.EndObject();
}

void WriteMissing(json::Writer& writer, const std::vector<std::unique_ptr<enginehost::PluginEngine>>& there) {
  writer.Key("missing");
  writer.BeginArray();
  for (const config::OwnEngine& own : config::kOwnEngines) {
    const bool is_there = std::ranges::any_of(there, [&own](const auto& each) { return each->name() == own.name; });
    if (is_there || !own.installable) continue;
    writer.BeginObject();
    writer.Member("name", own.name);
    writer.Member("install", config::InstallCommand(own.name));
    WriteFormats(writer, own.name);
    writer.EndObject();
  }
  writer.EndArray();
}

}  // namespace

int ListEngines(const config::ServerOptions& options, base::Logger& logger, std::ostream& out) {
  const std::filesystem::path directory = EngineDirectory(options);
  enginehost::EngineDirectory found;
  auto opened = enginehost::OpenEngines(directory, {.logger = &logger, .cpu_threads = CpuThreads(options)});
  if (opened.has_value()) {
    found = *std::move(opened);
  } else {
    found.problems.push_back(opened.error());
  }
  json::Writer writer;
  writer.BeginObject();
  writer.Member("directory", directory.string());
  writer.Key("engines");
  writer.BeginArray();
  for (const auto& engine : found.engines) WriteEngine(writer, *engine);
  writer.EndArray();
  WriteMissing(writer, found.engines);
  writer.Key("problems");
  writer.BeginArray();
  for (const base::Status& problem : found.problems) writer.String(problem.message());
  writer.EndArray();
  writer.EndObject();
  out << writer.TakeString() << '\n';
  return found.problems.empty() ? 0 : 1;
}

}  // namespace inferd::server
