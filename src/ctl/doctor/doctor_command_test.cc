#include <gmock/gmock.h>

#include <cstdlib>
#include <sstream>

#include "ctl/commands.h"
#include "net/client/scripted_server.h"
#include "tests/support/temp_dir.h"

namespace inferd::ctl {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::string AnswerOfWellServer(const std::string& request) {
  const auto answer = [](const std::string& body) {
    return "HTTP/1.1 200 OK\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
  };
  const std::string line = request.substr(0, request.find(" HTTP/"));
  if (line == "GET /v2") return answer(R"({"name":"fake","version":"7","extensions":[]})");
  if (line == "POST /v2/repository/index") return answer("[]");
  return answer("");
}

class DoctorCommandTest : public ::testing::Test {
 protected:
  DoctorCommandTest() {
    for (const char* name : {"http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY", "no_proxy", "NO_PROXY"}) {
      ::unsetenv(name);
    }
  }

  // Returns the text, with the exit status before it.
  std::string Run(DoctorArguments arguments, bool json = false) const {
    if (arguments.repository == "models") arguments.repository = folder_.path();
    std::ostringstream text;
    const auto status = Doctor(arguments, {text, json});
    return status.has_value() ? std::to_string(*status) + ": " + text.str() : "error: " + status.error().message();
  }

  support::TempDir folder_;
};

TEST_F(DoctorCommandTest, LooksAtEverythingOnThisMachine) {
  const std::string text = Run({});
  for (const char* subject :
       {"server", "port 8000 (HTTP)", "port 8001 (gRPC)", "port 8002 (metrics)", "proxy", "engines", "cores", "memory",
        "open files", "locked memory", "/dev/shm", "repository", "disk"}) {
    EXPECT_THAT(text, HasSubstr(subject));
  }
}

TEST_F(DoctorCommandTest, AServerThatMustRunAndDoesNotIsAProblem) {
  DoctorArguments arguments;
  arguments.connection.url = "http://127.0.0.1:1";
  arguments.names_server = true;
  EXPECT_THAT(Run(arguments), HasSubstr("problem  server"));
  EXPECT_THAT(Run(arguments), ::testing::StartsWith("1: "));
  arguments.connection.url = "no://url";
  EXPECT_THAT(Run(arguments), HasSubstr("error: "));
}

TEST_F(DoctorCommandTest, PrintsJson) {
  net::ScriptedServer server(AnswerOfWellServer);
  DoctorArguments arguments;
  arguments.connection.url = server.url();
  arguments.names_server = true;
  const std::string text = Run(arguments, true);
  EXPECT_THAT(text, HasSubstr("\"well\": "));
  EXPECT_THAT(text, HasSubstr("\"subject\": \"version\",\n      \"level\": \"ok\",\n      \"found\": \"fake 7\""));
}

TEST_F(DoctorCommandTest, OfAnotherMachineItLooksAtTheServerAlone) {
  DoctorArguments arguments;
  arguments.connection.url = "http://host.invalid:8000";
  const std::string text = Run(arguments);
  EXPECT_THAT(text, HasSubstr("proxy"));
  EXPECT_THAT(text, Not(HasSubstr("open files")));
  EXPECT_THAT(text, Not(HasSubstr("engines")));
}

}  // namespace
}  // namespace inferd::ctl
