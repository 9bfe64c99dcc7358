#include "ctl/command_line.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <sstream>

#include "net/client/scripted_server.h"
#include "tests/support/temp_dir.h"

namespace inferd::ctl {
namespace {

std::string Answer(int status, std::string_view body) {
  return "HTTP/1.1 " + std::to_string(status) + " X\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" +
         std::string(body);
}

// A V2 server for one model. It answers every inference in the same way.
std::string Serve(const std::string& request) {
  const std::string line = request.substr(0, request.find(" HTTP/"));
  if (line == "GET /v2") return Answer(200, R"({"name":"fake","version":"7","extensions":["a","b"]})");
  if (line == "GET /v2/health/live") return Answer(200, "");
  if (line == "GET /v2/health/ready") return Answer(400, "");
  if (line == "GET /v2/models/m/ready") return Answer(200, "");
  if (line == "POST /v2/repository/index") {
    return Answer(200,
                  R"([{"name":"m","version":"1","state":"READY"},{"name":"n","state":"UNAVAILABLE","reason":"why"},)"
                  R"({"name":"model1","version":"1","state":"LOADING"}])");
  }
  if (line == "GET /v2/models/m") {
    return Answer(200, R"({"name":"m","versions":["1"],"platform":"p",)"
                       R"("inputs":[{"name":"x","datatype":"INT32","shape":[-1]}],)"
                       R"("outputs":[{"name":"y","datatype":"BYTES","shape":[-1]}]})");
  }
  if (line == "GET /v2/models/m/config") return Answer(200, R"({"name":"m"})");
  if (line == "GET /v2/models/m/scheduler") {
    return Answer(
        200, R"({"model_name":"m","model_version":"1","summary":"The only execution had 8 rows: why.",)"
             R"("batching":{"enabled":true,"rows_max":8,"preferred_rows":[4,8],"delay_us":100.5},"new":{"a":[1]},)"
             R"("queue":[{"priority_level":1,"requests":5,"size_max":16},{"priority_level":2,"size_max":9}],)"
             R"("instances":{"count":2,"busy":1,"mean_service_us":2000.5,"inline_executions":7},)"
             R"("tuning":{"latency_objective_us":50000,"rows_per_second":1234.56,"first_row_us":2050,)"
             R"("further_row_us":50,"explanation":"no delay: so"},)"
             R"("concurrency":{"limit":12,"min":1,"max":100,"in_flight":9,"shed":4},)"
             R"("sequences":{"strategy":"direct","slots":8,"active":7,"backlog":6,"waiting":5,"waiting_max":1024,)"
             R"("begun":20,"ended":10,"restarted":1,"idled":2,"failed":3,"refused":4},)"
             R"("steps":[{"calls":[{"model_name":"a","taken":5,"failed":1},{"model_name":"b","model_version":"2",)"
             R"("shadow":true,"taken":4}],"passed_over":3},{"calls":[{"model_name":"c","taken":2}]}],)"
             R"("recent":[{"started_ms":1700000000123,"rows":8,"requests":6,"reason":"full","oldest_waited_us":90,)"
             R"("service_us":1500,"left_waiting":5,"instance":1,"inline":false}]})");
  }
  if (line == "GET /v2/models/n/scheduler") return Answer(200, R"({"batching":{"enabled":false},"recent":[]})");
  if (line == "GET /v2/models/f/scheduler") {
    return Answer(200, R"({"batching":{"enabled":false,"stopped":"the rows are few",)"
                       R"("failures":{"executions":2,"repeated_requests":16,"requests_max":1}},"recent":[]})");
  }
  if (line == "POST /v2/models/m/infer") {
    return Answer(200, R"({"model_name":"m","model_version":"1",)"
                       R"("outputs":[{"name":"y","datatype":"BYTES","shape":[2],"data":["a","b"]}]})");
  }
  if (line == "POST /v2/repository/models/m/load") return Answer(200, "{}");
  if (line == "GET /v2/models/guarded/config") {
    const bool allowed = request.find("\r\nAuthorization: Bearer secret\r\n") != std::string::npos;
    return allowed ? Answer(200, R"({"name":"guarded"})") : Answer(401, R"({"error":"a token is missing"})");
  }
  return Answer(404, R"({"error":"unknown model 'q'"})");
}

class CommandLineTest : public ::testing::Test {
 protected:
  CommandLineTest() {
    ::setenv("XDG_CONFIG_HOME", folder_.path().c_str(), 1);
    for (const char* name : {"INFERCTL_URL", "INFERCTL_TOKEN", "INFERCTL_SETTINGS"}) ::unsetenv(name);
  }

  int Run(std::vector<std::string> arguments) { return RunAt(server_.url(), std::move(arguments)); }

  // Runs inferctl with that URL; without --url if it is empty.
  int RunAt(const std::string& url, std::vector<std::string> arguments) {
    if (!url.empty()) arguments.insert(arguments.begin(), {"--url", url});
    arguments.insert(arguments.begin(), "inferctl");
    std::vector<const char*> argv;
    for (const std::string& argument : arguments) argv.push_back(argument.c_str());
    out_.str("");
    err_.str("");
    return RunInferctl(static_cast<int>(argv.size()), argv.data(), out_, err_);
  }

  // Returns the printed JSON without indentation. None of its strings may contain spaces.
  std::string Flat() {
    std::string text = out_.str();
    std::erase_if(text, [](char c) { return c == ' ' || c == '\n'; });
    return text;
  }

  support::TempDir folder_;
  net::ScriptedServer server_{&Serve};
  std::ostringstream out_;
  std::ostringstream err_;
};

TEST_F(CommandLineTest, ShowsTheServer) {
  EXPECT_EQ(Run({"status"}), 0) << err_.str();
  EXPECT_NE(out_.str().find("name        fake 7\nlive        yes\nready       no\nextensions  a, b\n"
                            "models      3 versions, 1 LOADING, 1 READY, 1 UNAVAILABLE\n"),
            std::string::npos)
      << out_.str();
}

TEST_F(CommandLineTest, CarriesTheToken) {
  EXPECT_EQ(Run({"config", "guarded"}), 1);
  EXPECT_EQ(Run({"config", "guarded", "--token", "secret"}), 0) << err_.str();
  EXPECT_EQ(Run({"config", "guarded", "-H", "Authorization: Bearer secret"}), 0) << err_.str();
  EXPECT_EQ(Run({"config", "guarded", "--header", "no colon"}), 2);
  EXPECT_EQ(err_.str(), "inferctl: --header: 'no colon' is not NAME: VALUE\n");
}

TEST_F(CommandLineTest, TakesOptionsFromTheEnvironmentAndAFile) {
  folder_.Write("inferctl.toml", "token = secret\nurl = " + server_.url() + "\n");
  std::filesystem::permissions(folder_.path() / "inferctl.toml", std::filesystem::perms::owner_all);
  EXPECT_EQ(RunAt("", {"config", "guarded"}), 0) << err_.str();
  EXPECT_EQ(err_.str(), "");
  ::setenv("INFERCTL_TOKEN", "another", 1);
  EXPECT_EQ(RunAt("", {"config", "guarded"}), 1);
  folder_.Write("token", "secret\n");
  std::filesystem::permissions(folder_.path() / "token", std::filesystem::perms::others_read,
                               std::filesystem::perm_options::add);
  EXPECT_EQ(RunAt("", {"config", "guarded", "--token-file", folder_.path() / "token"}), 0) << err_.str();
  EXPECT_NE(err_.str().find("any user of this machine can read the token in "), std::string::npos) << err_.str();
  ::unsetenv("INFERCTL_TOKEN");
  EXPECT_EQ(RunAt("", {"config", "guarded", "--settings", folder_.path() / "none"}), 2);
  EXPECT_NE(err_.str().find("cannot read"), std::string::npos) << err_.str();
  folder_.Write("other", "tokn = secret\n");
  EXPECT_EQ(Run({"status", "--settings", folder_.path() / "other"}), 2);
  EXPECT_NE(err_.str().find("there is no option 'tokn' (did you mean 'token'?)"), std::string::npos) << err_.str();
  ::setenv("INFERCTL_SETTINGS", (folder_.path() / "other").c_str(), 1);
  EXPECT_EQ(Run({"status"}), 2);
  EXPECT_EQ(Run({"status", "--settings", ""}), 0) << err_.str();
  ::unsetenv("INFERCTL_SETTINGS");
}

TEST_F(CommandLineTest, SaysItsVersion) {
  EXPECT_EQ(Run({"--version"}), 0);
  EXPECT_EQ(out_.str().substr(0, 9), "inferctl ");
}

TEST_F(CommandLineTest, ShowsModels) {
  EXPECT_EQ(Run({"models"}), 0);
  EXPECT_EQ(out_.str(),
            "MODEL   VERSION  STATE        REASON\n"
            "m       1        READY\n"
            "n                UNAVAILABLE  why\n"
            "model1  1        LOADING\n");
  EXPECT_EQ(Run({"models", "m"}), 0);
  EXPECT_NE(out_.str().find("input   x     INT32     [-1]\n"), std::string::npos) << out_.str();
  EXPECT_EQ(Run({"config", "m"}), 0);
  EXPECT_EQ(out_.str(), "{\n  \"name\": \"m\"\n}\n");
}

TEST_F(CommandLineTest, ShowsHowAModelIsScheduled) {
  EXPECT_EQ(Run({"scheduler", "m"}), 0) << err_.str();
  EXPECT_EQ(out_.str(),
            "model      m, version 1\n"
            "batching   up to 8 rows, preferred 4, 8, delay 100 us\n"
            "queue      level 1: 5 of 16, level 2: 0 of 9\n"
            "instances  1 of 2 busy, mean execution 2.00 ms, 7 on the connection's thread\n"
            "tuning     1235 rows/s, first row 2.05 ms, each further 50.0 us, objective 50.0 ms; no delay: so\n"
            "limit      12 in flight (1 to 100), now 9, refused 4\n"
            "sequences  direct, 7 of 8 active, 6 in the backlog, 5 of 1024 requests wait; begun 20, ended 10, "
            "restarted 1, idled 2, failed 3, requests refused 4\n"
            "step       a: taken 5, failed 1; shadow b, version 2: taken 4; passed over 3\n"
            "step       c: taken 2\n"
            "\n"
            "The only execution had 8 rows: why.\n"
            "\n"
            "STARTED           ROWS  REQUESTS  REASON   WAITED  EXECUTION  LEFT  INSTANCE\n"
            "22:13:20.123 UTC     8         6  full    90.0 us    1.50 ms     5         1\n");
  EXPECT_EQ(Run({"scheduler", "n"}), 0) << err_.str();
  EXPECT_NE(out_.str().find("batching   off\n"), std::string::npos) << out_.str();
  EXPECT_EQ(Run({"scheduler", "f"}), 0) << err_.str();
  EXPECT_NE(out_.str().find("batching   off, stopped: the rows are few; 2 failed, 16 requests repeated, "
                            "now at most 1 in an execution\n"),
            std::string::npos)
      << out_.str();
  EXPECT_EQ(Run({"scheduler", "q"}), 1);
}

TEST_F(CommandLineTest, Infers) {
  EXPECT_EQ(Run({"infer", "m", "--input", "x=[1,2]"}), 0) << err_.str();
  EXPECT_EQ(out_.str(),
            "model m, version 1\n\n"
            "OUTPUT  DATATYPE  SHAPE  VALUES\n"
            "y       BYTES     [2]    \"a\", \"b\"\n");
  EXPECT_EQ(Run({"infer", "m", "--fill", "ones", "--values", "1", "--wire", "binary"}), 0) << err_.str();
  EXPECT_NE(out_.str().find("\"a\", ... (2 in all)"), std::string::npos) << out_.str();
  EXPECT_EQ(Run({"infer", "-i", "x=range", "m", "--json"}), 0) << err_.str();
  EXPECT_NE(out_.str().find("\"data\": [\n"), std::string::npos) << out_.str();
}

TEST_F(CommandLineTest, PrintsJson) {
  EXPECT_EQ(Run({"status", "-o", "json"}), 0) << err_.str();
  EXPECT_EQ(Flat(), R"({"server":")" + server_.url() + R"(","name":"fake","version":"7","live":true,"ready":false,)" +
                        R"("extensions":["a","b"],"models":[{"name":"m","version":"1","state":"READY"},)" +
                        R"({"name":"n","state":"UNAVAILABLE","reason":"why"},)" +
                        R"({"name":"model1","version":"1","state":"LOADING"}]})");
  EXPECT_EQ(Run({"-o", "json", "models"}), 0) << err_.str();
  EXPECT_TRUE(Flat().starts_with(R"([{"name":"m","version":"1","state":"READY"},)")) << out_.str();
  EXPECT_EQ(Run({"models", "m", "--format=json"}), 0) << err_.str();
  EXPECT_EQ(Flat(), R"({"name":"m","platform":"p","versions":["1"],"ready":true,)"
                    R"("inputs":[{"name":"x","datatype":"INT32","shape":[-1]}],)"
                    R"("outputs":[{"name":"y","datatype":"BYTES","shape":[-1]}]})");
  EXPECT_EQ(Run({"config", "m", "-o", "json"}), 0) << err_.str();
  EXPECT_EQ(Flat(), R"({"name":"m"})");
  EXPECT_EQ(Run({"scheduler", "f", "-o", "json"}), 0) << err_.str();
  EXPECT_TRUE(Flat().starts_with(R"({"batching":{"enabled":false,"stopped":")")) << out_.str();
  EXPECT_EQ(Run({"infer", "m", "--fill", "ones", "-o", "json"}), 0) << err_.str();
  EXPECT_EQ(Flat(), R"({"model_name":"m","model_version":"1",)"
                    R"("outputs":[{"name":"y","datatype":"BYTES","shape":[2],"data":["a","b"]}]})");
  EXPECT_EQ(Run({"load", "m", "-o", "json"}), 0) << err_.str();
  EXPECT_EQ(Flat(), R"({"loaded":"m"})");
  EXPECT_EQ(Run({"models", "q", "-o", "json"}), 1);
  EXPECT_EQ(out_.str(), "");
  EXPECT_EQ(Run({"status", "-o", "yaml"}), 2);
}

TEST_F(CommandLineTest, JsonHasNumbersOnlyWhereJsonDoes) {
  net::ScriptedServer server([](const std::string& request) {
    return request.starts_with("POST")
               ? Answer(200, R"({"model_name":"m","model_version":"1","outputs":)"
                             R"([{"name":"y","datatype":"FP32","shape":[2],"data":[NaN,1.5]}]})")
               : Serve(request);
  });
  EXPECT_EQ(RunAt(server.url(), {"infer", "m", "--fill", "ones", "-o", "json"}), 0) << err_.str();
  EXPECT_NE(Flat().find(R"("data":["NaN",1.5])"), std::string::npos) << out_.str();
  EXPECT_EQ(RunAt(server.url(), {"infer", "m", "--fill", "ones"}), 0) << err_.str();
  EXPECT_NE(out_.str().find("NaN, 1.5"), std::string::npos) << out_.str();
}

TEST_F(CommandLineTest, Loads) {
  EXPECT_EQ(Run({"load", "m"}), 0);
  EXPECT_EQ(out_.str(), "loaded m\n");
}

TEST_F(CommandLineTest, Benchmarks) {
  // On a busy machine, no request may finish in a short time, which is an error.
  int exit_status = 3;
  for (const char* seconds : {"50ms", "0.5", "5s", "30s"}) {
    exit_status =
        Run({"bench", "m", "--duration", seconds, "--warmup", "0", "-c", "2", "--pid", std::to_string(::getpid())});
    if (exit_status == 0) break;
  }
  EXPECT_EQ(exit_status, 0) << err_.str();
  EXPECT_TRUE(out_.str().starts_with("model m, JSON, 2 connections, closed loop\n\nrequests/s ")) << out_.str();
  for (const char* part : {"p50", "p90", "p99", "server CPU", "per request", "LATENCY"}) {
    EXPECT_NE(out_.str().find(part), std::string::npos) << part << out_.str();
  }
}

TEST_F(CommandLineTest, TimesHaveUnitsAndAreAboveZero) {
  EXPECT_EQ(Run({"bench", "m", "--duration", "3 weeks"}), 2);
  EXPECT_NE(err_.str().find("--duration"), std::string::npos) << err_.str();
  EXPECT_EQ(Run({"bench", "m", "--duration", "0s"}), 2);
  EXPECT_TRUE(err_.str().find("--duration: must be above 0 and at most 1000000000, and is 0") != std::string::npos)
      << err_.str();
  EXPECT_EQ(Run({"bench", "m", "--rate", "-5"}), 2);
  EXPECT_TRUE(err_.str().find("--rate: must be above 0 and at most 1000000000, and is -5") != std::string::npos)
      << err_.str();
  EXPECT_EQ(Run({"bench", "m", "--duration", "1e400"}), 2);
  EXPECT_EQ(Run({"--timeout", "500ms", "load", "m"}), 0) << err_.str();
}

TEST_F(CommandLineTest, SuggestsNames) {
  EXPECT_EQ(Run({"statsu"}), 2);
  EXPECT_EQ(err_.str(),
            "inferctl: there is no command 'statsu' (did you mean 'status'?)\nRun with --help for more information.\n");
  EXPECT_EQ(Run({"frobnicate"}), 2);
  EXPECT_EQ(err_.str(), "inferctl: there is no command 'frobnicate'\nRun with --help for more information.\n");
  EXPECT_EQ(Run({"bench", "--conections", "4", "model1"}), 2);
  EXPECT_NE(err_.str().find("there is no option '--conections' (did you mean '--connections'?)"), std::string::npos)
      << err_.str();
  EXPECT_EQ(Run({"infer", "--modle=m"}), 2);
  EXPECT_NE(err_.str().find("there is no option '--modle'\n"), std::string::npos) << err_.str();
  EXPECT_EQ(Run({"status", "one", "two"}), 2);
  EXPECT_NE(err_.str().find("not expected"), std::string::npos) << err_.str();
  EXPECT_EQ(Run({"infer"}), 2);
  EXPECT_NE(err_.str().find("MODEL is required"), std::string::npos) << err_.str();
}

TEST_F(CommandLineTest, SuggestsModelsThatTheServerHas) {
  for (const char* command : {"models", "config", "scheduler", "infer", "load", "bench"}) {
    EXPECT_EQ(Run({command, "model2"}), 1) << command;
    EXPECT_EQ(err_.str(), "inferctl: HTTP 404: unknown model 'q' (did you mean 'model1'?)\n") << command;
  }
  EXPECT_EQ(Run({"models", "resnet"}), 1);
  EXPECT_EQ(err_.str(), "inferctl: HTTP 404: unknown model 'q'\n");
  // The server knows the model, so something else is missing.
  EXPECT_EQ(Run({"models", "model1", "--version", "7"}), 1);
  EXPECT_EQ(err_.str(), "inferctl: HTTP 404: unknown model 'q'\n");
}

TEST_F(CommandLineTest, ExitStatusesTellApart) {
  EXPECT_EQ(Run({"models", "q"}), 1);
  EXPECT_EQ(err_.str(), "inferctl: HTTP 404: unknown model 'q'\n");
  EXPECT_EQ(Run({"infer", "m"}), 1);
  EXPECT_NE(err_.str().find("input 'x' (INT32 [-1]) has no value"), std::string::npos) << err_.str();
  EXPECT_EQ(Run({"frobnicate"}), 2);
  EXPECT_EQ(Run({}), 2);
  EXPECT_EQ(Run({"infer", "m", "--wire", "smoke"}), 2);
  EXPECT_EQ(RunAt("ftp://h", {"status"}), 2);
  EXPECT_EQ(Run({"--help"}), 0);
  EXPECT_NE(out_.str().find("Examples:"), std::string::npos);
  EXPECT_EQ(Run({"validate", "/no/such/place"}), 1);
  EXPECT_EQ(Run({"status", "--unix-socket", "/no/such/socket"}), 3);
}

}  // namespace
}  // namespace inferd::ctl
