#include <filesystem>
#include <system_error>

#include "config/option_table/option_field.h"
#include "config/option_table/option_rows.h"

namespace inferd::config {
namespace {

using S = ServerOptions;

constexpr std::string_view kModels = "Models";
constexpr int64_t kOptionInstancesMax = 1024;
constexpr std::string_view kIsolations = "none|process|engine-process";

// Parses ENGINE:NAME=VALUE. Values may have commas, so several are separated by semicolons.
base::Status AddEngineParameter(ServerOptions& options, std::string_view text) {
  const size_t colon = text.find(':');
  const size_t equals = text.find('=', colon == std::string_view::npos ? text.size() : colon);
  if (equals == std::string_view::npos || colon == 0 || equals == colon + 1) {
    return base::InvalidArgument("expected ENGINE:NAME=VALUE, got '" + std::string(text) + "'");
  }
  const std::string engine(text.substr(0, colon));
  const std::string name(text.substr(colon + 1, equals - colon - 1));
  const bool added = options.engine_parameters[engine].emplace(name, text.substr(equals + 1)).second;
  if (added) return base::OkStatus();
  return base::InvalidArgument("parameter '" + name + "' of engine '" + engine + "' is given twice");
}

// Passes it to all engines' models, in a parameter that no model can set (serving/enginehost/op_libraries.h).
base::Status AllowOpLibrary(ServerOptions& options, std::string_view text) {
  if (!text.starts_with('/') || text.contains(':')) {
    return base::InvalidArgument("expected the absolute path of a folder, without a colon, got '" + std::string(text) +
                                 "'");
  }
  std::string& folders = options.engine_parameters["*"]["operator.libraries"];
  folders += (folders.empty() ? "" : ":") + std::string(text);
  return base::OkStatus();
}

// Passes it to the python engine's models, in a parameter that no model can set.
base::Status AllowPickle(ServerOptions& options, std::string_view text) {
  if (text.empty() || text.contains(':')) {
    return base::InvalidArgument("expected 'all', a folder (with a slash) or a model's name, without a colon, got '" +
                                 std::string(text) + "'");
  }
  std::error_code error;
  const std::string what =
      text.contains('/') ? std::filesystem::absolute(text, error).lexically_normal().string() : std::string(text);
  if (error) return base::InvalidArgument("'" + std::string(text) + "': " + error.message());
  std::string& allowed = options.engine_parameters["python"]["operator.pickles"];
  allowed += (allowed.empty() ? "" : ":") + what;
  return base::OkStatus();
}

base::Status SetDefaultInstances(ServerOptions& options, std::string_view text) {
  INFERD_ASSIGN_OR_RETURN(const int64_t count, ParseInteger(text, 1, kOptionInstancesMax));
  options.default_instances = static_cast<int>(count);
  return base::OkStatus();
}

}  // namespace

std::vector<Option> EngineRows() {
  return {
      Plain<&S::engine_directory>(kModels, "engine-directory", "PATH",
                                  "where the engines are; default: beside the program"),
      {.group = kModels,
       .name = "engine-parameter",
       .value_name = "ENGINE:NAME=VALUE",
       .help = "one of the parameters of that engine's models, for those that do not say it",
       .repeated = true,
       .separator = ';',
       .set = AddEngineParameter,
       .print = PrintNothing},
      {.group = kModels,
       .name = "allow-op-library",
       .value_name = "PATH",
       .help =
           "folder that libraries of custom operators, and models that are code (*.pt2), may come from; default: none",
       .repeated = true,
       .separator = ';',
       .set = AllowOpLibrary,
       .print = PrintNothing},
      {.group = kModels,
       .name = "allow-pickle",
       .value_name = "WHAT",
       .help = "models whose files may be pickles, which run code when they are read: all, those in a folder (with a "
               "slash), or one by its name; default: none",
       .repeated = true,
       .separator = ';',
       .set = AllowPickle,
       .print = PrintNothing},
      Choice<kIsolations, &S::isolation>(kModels, "isolation",
                                         "where the engines of models run that do not say: in the server's process, in "
                                         "one of each version's own, or in one of each engine's"),
      {.group = kModels,
       .name = "default-instances",
       .value_name = "N",
       .help = "of an instance group that has no count",
       .set = SetDefaultInstances,
       .print = [](ServerOptions& options) { return std::to_string(options.default_instances); }},
      Plain<&S::cpu_threads>(
          kModels, "cpu-threads", "N",
          "compute threads of all models together, for which executions wait; 0: one per usable CPU, and "
          "none waits"),
      Plain<&S::gpus, &GpuOptions::pinned_pool_bytes>(
          kModels, "pinned-memory-pool-byte-size", "BYTES",
          "of memory that GPUs copy from and to by themselves, taken by each process with an instance on one; 0: none"),
  };
}

}  // namespace inferd::config
