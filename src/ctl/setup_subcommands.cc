#include <algorithm>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "ctl/commands.h"
#include "ctl/request_headers.h"
#include "ctl/subcommands.h"

namespace inferd::ctl {

namespace {

constexpr const char* kInitExamples =
    R"(Makes DIR/NAME/1/model.onnx from model.onnx, with the files that belong to it, has inferd load it, and prints what to
type next. The format and the engine follow from the file; `inferctl engines` lists the formats. Nothing is left behind
if inferd cannot serve the file.

Examples:
  inferctl init iris.onnx                     models/iris/1/model.onnx
  inferctl init flowers iris.onnx             the same as the model flowers
  inferctl init iris.onnx --version next      another version of a model that is there
  inferctl init saved_model/                  a folder: TensorFlow's, MLflow's, or any other with one model's files
  inferctl init big.onnx --link               a link to the file in place of a copy)";

// Shows the optional name before the file. The library would show one argument that occurs once or twice.
class InitFormatter final : public CLI::Formatter {
 public:
  std::string make_usage(const CLI::App* /*app*/, std::string name) const override {
    return "Usage: " + name + " [OPTIONS] [NAME] FILE|FOLDER\n";
  }
};

void AddInit(CLI::App& app, Command& command) {
  struct Parsed {
    InitArguments init;
    std::vector<std::string> names;
  };
  auto parsed = std::make_shared<Parsed>();
  InitArguments& init = parsed->init;
  CLI::App* sub =
      app.add_subcommand("init", "Make a model's folder in a repository for a model file, without a server");
  sub->formatter(std::make_shared<InitFormatter>());
  sub->get_formatter()->column_width(34);
  sub->footer(kInitExamples);
  sub->add_option("FILE", parsed->names,
                  "The model's file or folder. Before it, the model's name; else the file's name")
      ->option_text(" ")
      ->expected(1, 2)
      ->required();
  sub->add_option("--repository", init.repository, "The folder of models; it is made if it is not there")
      ->option_text("DIR [models]");
  sub->add_option("--version", init.version, "The version's number, or next: the newest one's and 1. Else 1")
      ->option_text("N|next");
  sub->add_flag("--link", init.link, "Make symbolic links in place of copies");
  sub->add_option("--config", init.configuration, "A file that becomes the model's config.pbtxt")
      ->option_text("FILE")
      ->check(CLI::ExistingFile);
  sub->add_flag("--allow-pickle", init.allow_pickle,
                "inferd may read the model's pickles, which run their author's code");
  sub->add_flag("--no-check", init.no_check, "Make the folder without having inferd load the model");
  sub->callback([&, parsed] {
    command.run_here = [&, parsed] {
      parsed->init.path = parsed->names.back();
      if (parsed->names.size() == 2) parsed->init.name = parsed->names.front();
      return Init(parsed->init, command.output());
    };
  });
}

constexpr const char* kDoctorExamples =
    R"(Looks at the server (versions, models, clock), its ports, the variables of proxies, engines, cores, memory, limits and
disk. Each line is ok, advice (it could be better) or problem (a server fails until it is done), with what to do.
Changes nothing. The exit status is 1 if there is a problem.

Examples:
  inferctl doctor                             before the first start, and when something is wrong
  inferctl doctor --repository /srv/models
  inferctl doctor --server http://gpu1:8000   a server elsewhere: what can be seen from here)";

constexpr double kDoctorTimeoutMax_s = 10;

void AddDoctor(CLI::App& app, Command& command) {
  struct Parsed {
    DoctorArguments doctor;
    std::string server;
  };
  auto parsed = std::make_shared<Parsed>();
  DoctorArguments& doctor = parsed->doctor;
  CLI::App* sub = app.add_subcommand("doctor", "Look at what makes a server fail or slow, and say what to do");
  sub->footer(kDoctorExamples);
  sub->add_option("--server", parsed->server, "The server's HTTP address, as --url")->option_text("URL");
  const CLI::Option* repository =
      sub->add_option("--repository", doctor.repository, "The folder of models")->option_text("DIR [models]");
  sub->add_option("--grpc-port", doctor.grpc_port, "The server's port for gRPC")
      ->check(CLI::Range(1, 65535))
      ->capture_default_str();
  sub->add_option("--metrics-port", doctor.metrics_port, "The server's port for metrics")
      ->check(CLI::Range(1, 65535))
      ->capture_default_str();
  sub->callback([&, parsed, repository] {
    parsed->doctor.names_repository = repository->count() > 0;
    command.run_here = [&, parsed]() -> base::Result<int> {
      DoctorArguments& arguments = parsed->doctor;
      arguments.connection = command.connection;
      if (!parsed->server.empty()) arguments.connection.url = parsed->server;
      arguments.names_server = arguments.connection.url != net::HttpClient::Options().url || !parsed->server.empty() ||
                               !arguments.connection.unix_socket.empty();
      const double timeout_s = std::min(command.timeout_s, kDoctorTimeoutMax_s);
      arguments.connection.timeout = std::chrono::milliseconds(static_cast<int64_t>(timeout_s * 1000));
      arguments.connection.connect_timeout =
          std::min(arguments.connection.connect_timeout, arguments.connection.timeout);
      INFERD_ASSIGN_OR_RETURN(arguments.headers, MakeHeaders(command.headers));
      return Doctor(arguments, command.output());
    };
  });
}

constexpr const char* kImportExamples =
    R"(Reads a folder of another server, has inferd load its models, and says of each whether it works as it is or what it
needs. Changes nothing. The exit status is 0 if all models work.

  triton      a model repository
  tfs         TensorFlow Serving: a base path, a folder of base paths, or a models.config
  ovms        OpenVINO Model Server: a config.json, or folders of versions
  mlserver    a folder with files model-settings.json
  torchserve  a model store of .mar files, with its config.properties

Examples:
  inferctl import triton /srv/model_repository
  inferctl import tfs /models/half_plus_two
  inferctl import mlserver models --allow-pickle)";

void AddImport(CLI::App& app, Command& command) {
  auto arguments = std::make_shared<ImportArguments>();
  CLI::App* sub =
      app.add_subcommand("import", "See what of another server's folder works with inferd, and what needs what");
  sub->footer(kImportExamples);
  sub->add_option("SERVER", arguments->server, "The server that the folder was made for")
      ->required()
      ->check(CLI::IsMember(ImportedServers()));
  sub->add_option("DIR", arguments->folder, "The folder, or the server's file of models")
      ->required()
      ->check(CLI::ExistingPath);
  sub->add_flag("--allow-pickle", arguments->allow_pickle,
                "inferd may read the folder's pickles, which run their author's code");
  sub->callback([&, a = arguments] { command.run_here = [&, a] { return Import(*a, command.output()); }; });
}

}  // namespace

void AddSetupCommands(CLI::App& app, Command& command) {
  AddInit(app, command);
  AddDoctor(app, command);
  AddImport(app, command);
}

}  // namespace inferd::ctl
