#include "config/personalities/kserve_flags.h"

#include "config/personalities/flag_rows.h"

namespace inferd::config {
namespace {

constexpr std::string_view kThreads = "requests run on the threads of all connections; --loop-threads says how many";
constexpr std::string_view kOwnLog = "--log-format and the others say how is logged";
constexpr std::string_view kOff = "false";

// For --http_port and --grpc_port.
constexpr PersonalityFlag Port(std::string_view name, std::string_view option) {
  return {.name = name, .option = option, .help = "0: any free one", .form = FlagForm::kInteger};
}

constexpr PersonalityFlag kFlags[] = {
    Combined("model_name", "what the model of --model_dir is called; default: model"),
    Combined("model_dir",
             "a model's file, the folder that has it, with or without folders of versions, a folder of "
             "such folders, or an empty one, to which models come later"),
    Port("http_port", "http-port"),
    Port("grpc_port", "grpc-port"),
    {.name = "enable_grpc", .option = "grpc", .help = "serve gRPC", .form = FlagForm::kBoolean},
    {.name = "max_buffer_size",
     .option = "body-bytes-max",
     .help = "bytes of a request's body",
     .form = FlagForm::kInteger},
    {.name = "enable_latency_logging",
     .option = "access-log",
     .help = "one line per request, with its time",
     .form = FlagForm::kBoolean},
    Idle("protocol", "V1 and V2 are served on the same ports", FlagForm::kText, "*"),
    Idle("workers", kThreads, FlagForm::kInteger, "*"),
    Idle("max_threads", kThreads, FlagForm::kInteger, "*"),
    Idle("max_asyncio_workers", kThreads, FlagForm::kInteger, "*"),
    Idle("nthread", "a model's threads are set by its configuration", FlagForm::kInteger, "*"),
    Idle("enable_docs_url", "there are no pages of documentation", FlagForm::kBoolean, kOff),
    Idle("configure_logging", kOwnLog, FlagForm::kBoolean, "*"),
    Idle("log_config_file", kOwnLog, FlagForm::kText),
    Idle("access_log_format", kOwnLog, FlagForm::kText),
    Combined("predictor_host", "where models written for KServe's package ask their predictor: HOST:PORT"),
    Combined("predictor_protocol", "in which protocol: v1, v2"),
    Combined("explainer_host", "where their usual `explain` asks"),
    Idle("timeout-keep-alive", "--idle-timeout says when quiet connections are closed", FlagForm::kInteger, "*"),
};

}  // namespace

std::span<const PersonalityFlag> KserveFlags() { return kFlags; }

}  // namespace inferd::config
