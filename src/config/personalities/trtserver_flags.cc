#include "config/personalities/trtserver_flags.h"

#include "base/system/regular_file.h"
#include "config/personalities/flag_combination.h"
#include "config/personalities/flag_rows.h"

namespace inferd::config {
namespace {

constexpr PersonalityFlag Boolean(std::string_view name, std::string_view option, std::string_view help) {
  return {.name = name, .option = option, .help = help, .form = FlagForm::kBoolean};
}

constexpr std::string_view kTensorFlow = "TensorFlow models run on CPUs as they are";

constexpr std::string_view kPlatformFile = "platform-config-file";

// Flags with the same spelling and meaning in both need no row.
constexpr PersonalityFlag kFlags[] = {
    {.name = "id", .option = "name", .help = "the server's id in its status"},
    {.name = "model-store", .option = "model-repository", .help = "the folder of models"},
    {.name = "file-system-poll-secs",
     .option = "poll-interval",
     .help = "how often the folders are looked at",
     .unit = "s"},
    {.name = "repository-poll-secs",
     .option = "poll-interval",
     .help = "as --file-system-poll-secs (release 0.9)",
     .unit = "s"},
    Combined("allow-model-load-unload", "models come and go while it runs; false: only their versions do",
             FlagForm::kBoolean),
    {.name = "allow-poll-model-repository",
     .option = "model-control-mode",
     .help = "follow the folders while it runs (release 0.9)",
     .form = FlagForm::kBoolean,
     .values = "true=poll,false=none"},
    Idle("strict-model-config", "configurations are completed from the models", FlagForm::kBoolean, "true"),
    Boolean("exit-on-error", "exit-on-bad-configuration", "end if a model's configuration is wrong at the start"),
    {.name = "strict-readiness",
     .option = "readiness",
     .help = "ready when every model is; false: when each was tried",
     .form = FlagForm::kBoolean,
     .values = "true=every,false=tried"},
    {.name = "exit-timeout-secs",
     .option = "drain-timeout",
     .help = "how long requests in flight may take at the end",
     .unit = "s"},

    Boolean("allow-http", "http", "serve HTTP"),
    Boolean("allow-grpc", "grpc", "serve gRPC"),
    Boolean("allow-metrics", "metrics", "serve Prometheus metrics"),
    {.name = "http-thread-count", .option = "loop-threads", .help = "threads for connections"},

    Idle("allow-profiling", "profiles are not taken", FlagForm::kBoolean, "false"),
    Idle(kPlatformFile, "engines are set by their models' configurations", FlagForm::kText),
    Idle("tf-allow-soft-placement", kTensorFlow, FlagForm::kBoolean, "*"),
    Idle("tf-gpu-memory-fraction", kTensorFlow, FlagForm::kNumber, "*"),

    Boolean("log-info", "log-info", "lines about what goes on"),
    Boolean("log-warning", "log-warning", "warnings"),
    Boolean("log-error", "log-error", "errors"),
    {.name = "log-verbose", .option = "log-verbose", .help = "0: no verbose lines", .values = "true=1,false=0"},
};

}  // namespace

std::span<const PersonalityFlag> TrtserverFlags() { return kFlags; }

base::Result<CombinedFlags> CombineTrtserverFlags(const GivenFlags& given) {
  FlagCombination flags(given);
  constexpr std::string_view kModels = "allow-model-load-unload";
  if (const std::string* const value = given.Find(kModels); value != nullptr) {
    for (const std::string_view option : {"new-models", "unload-removed"}) flags.Add(option, *value, kModels);
  }
  // The file has no effect here, but a missing one is an error.
  if (const std::string* const file = flags.File(kPlatformFile); file != nullptr) {
    const auto opened = base::OpenRegularFile(*file);
    if (!opened.has_value()) return std::unexpected(opened.error().WithContext("--" + std::string(kPlatformFile)));
  }
  return flags.Take();
}

}  // namespace inferd::config
