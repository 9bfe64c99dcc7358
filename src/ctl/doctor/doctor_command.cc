#include <chrono>
#include <cstdlib>
#include <ostream>
#include <string>
#include <vector>

#include "base/text/printable.h"
#include "base/version/version.h"
#include "ctl/commands.h"
#include "ctl/doctor/finding.h"
#include "ctl/doctor/machine.h"
#include "ctl/doctor/ports.h"
#include "ctl/doctor/proxy.h"
#include "ctl/doctor/repository.h"
#include "ctl/doctor/server_look.h"
#include "ctl/program/engine_list.h"
#include "ctl/program/server_program.h"
#include "ctl/text/table.h"
#include "net/client/url.h"

namespace inferd::ctl {

namespace {

constexpr std::chrono::seconds kEngineLimit{60};
constexpr std::string_view kTestEngine = "fake";

void Append(Findings& findings, Findings more) {
  findings.insert(findings.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

bool IsThisMachine(const DoctorArguments& arguments, const std::string& host) {
  if (!arguments.connection.unix_socket.empty()) return true;
  return host == "localhost" || host.ends_with(".localhost") || host == "::1" || host.starts_with("127.");
}

// Lists the engines of the installation that this program belongs to.
Finding JudgeEngines() {
  using enum Finding::Level;
  std::string printed;
  const auto ran =
      RunServerProgram({"--list-engines", "--log-info=false", "--log-warning=false"}, &printed, kEngineLimit);
  if (!ran.has_value()) {
    return {"engines", kProblem, ran.error().message(), "install inferd and inferctl together: ./quickstart"};
  }
  const auto list = ParseEngineList(printed);
  if (!list.has_value()) {
    return {"engines", kProblem, "inferd --list-engines failed with status " + std::to_string(*ran),
            "run it by itself: inferd --list-engines"};
  }
  if (!list->problems.empty()) {
    return {"engines", kProblem, list->problems.front(),
            "install the engine again: inferctl engines lists the commands"};
  }
  std::string names;
  for (const EngineList::Engine& engine : list->engines) {
    if (engine.name != kTestEngine) names += (names.empty() ? "" : ", ") + engine.name + " " + engine.version;
  }
  std::string missing;
  for (const EngineList::Engine& engine : list->missing) missing += (missing.empty() ? "" : ", ") + engine.name;
  if (names.empty()) {
    return {"engines", kProblem, "none is installed in " + list->directory,
            "inferctl engines lists what installs each"};
  }
  return {"engines", kOk, names + (missing.empty() ? "" : "; not installed: " + missing)};
}

Finding JudgeProgram() {
  using enum Finding::Level;
  std::string printed;
  const auto ran = RunServerProgram({"--version"}, &printed, kEngineLimit);
  if (!ran.has_value()) return {"inferd", kProblem, ran.error().message(), "install inferd and inferctl together"};
  while (printed.ends_with('\n')) printed.pop_back();
  const std::string own(base::BuildVersion());
  if (*ran == 0 && printed.ends_with(" " + own)) return {"inferd", kOk, own + ", as this inferctl"};
  return {"inferd", kAdvice, base::Printable(printed, 100) + ", and this inferctl is " + own,
          "install both from one build"};
}

std::vector<WantedPort> PortsOf(const DoctorArguments& arguments, uint16_t http_port) {
  return {{http_port, "HTTP", "--http-port"},
          {arguments.grpc_port, "gRPC", "--grpc-port"},
          {arguments.metrics_port, "metrics", "--metrics-port"}};
}

base::Result<Findings> FindAll(const DoctorArguments& arguments) {
  INFERD_ASSIGN_OR_RETURN(const net::Url url, net::ParseUrl(arguments.connection.url));
  INFERD_ASSIGN_OR_RETURN(V2Server server, V2Server::Open(arguments.connection, arguments.headers));
  const bool is_here = IsThisMachine(arguments, url.host);
  Findings findings;
  const ServerLook look = LookAtServer(server);
  const pid_t process = is_here ? ServerOn(url.port, look.unreachable.empty()) : 0;
  Append(findings, JudgeServer(look, arguments.names_server, base::BuildVersion()));
  if (is_here) Append(findings, JudgePorts(PortsOf(arguments, url.port), process));
  if (arguments.connection.unix_socket.empty()) {
    findings.push_back(JudgeProxy(url.host, url.tls, [](const char* name) -> std::string {
      const char* const value = std::getenv(name);
      return value == nullptr ? "" : value;
    }));
  }
  if (!is_here) return findings;
  findings.push_back(JudgeProgram());
  findings.push_back(JudgeEngines());
  const Repository repository = ReadRepository(arguments.repository);
  Append(findings, JudgeMachine(ReadMachine(process), repository.bytes));
  Append(findings, JudgeRepository(repository, arguments.names_repository));
  return findings;
}

void ShowFindings(const Findings& findings, std::ostream& stream) {
  Table table({"", "WHAT", "FOUND"});
  size_t problems = 0;
  for (const Finding& finding : findings) {
    table.Add({LevelName(finding.level), finding.subject, finding.found});
    if (!finding.to_do.empty()) table.Add({"", "", "-> " + finding.to_do});
    if (finding.level == Finding::Level::kProblem) ++problems;
  }
  stream << table.ToString() << "\n" << problems << (problems == 1 ? " problem\n" : " problems\n");
}

void WriteFindings(const Findings& findings, bool is_well, const Output& out) {
  json::Writer writer;
  writer.BeginObject();
  writer.Member("well", is_well);
  writer.Key("findings");
  writer.BeginArray();
  for (const Finding& finding : findings) {
    writer.BeginObject();
    writer.Member("subject", finding.subject);
    writer.Member("level", std::string_view(LevelName(finding.level)));
    writer.Member("found", finding.found);
    writer.Member("to_do", finding.to_do);
    writer.EndObject();
  }
  writer.EndArray();
  writer.EndObject();
  out.Write(writer);
}

}  // namespace

base::Result<int> Doctor(const DoctorArguments& arguments, const Output& out) {
  INFERD_ASSIGN_OR_RETURN(const Findings findings, FindAll(arguments));
  bool is_well = true;
  for (const Finding& finding : findings) is_well &= finding.level != Finding::Level::kProblem;
  out.json ? WriteFindings(findings, is_well, out) : ShowFindings(findings, out.stream);
  return is_well ? 0 : 1;
}

}  // namespace inferd::ctl
