#include "server/records/request_logs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <future>
#include <set>

#include "base/system/regular_file.h"
#include "server/records/record_file.h"
#include "tests/support/temp_dir.h"

namespace inferd::server {
namespace {

using ::testing::HasSubstr;

config::ServedModel Model(const std::string& name, const std::string& prefix, double rate) {
  return {.name = name,
          .base_path = "/m",
          .request_logging = config::RequestLogging{.filename_prefix = prefix, .sampling_rate = rate}};
}

tfs::LoggedCall Call(const std::string& model, std::string request = "request") {
  return {.model = model, .version = "7", .bytes = request.size(), .make_messages = [request = std::move(request)] {
            return tfs::LoggedCall::Messages{.request = request, .response = "answer"};
          }};
}

class RequestLogsTest : public ::testing::Test {
 protected:
  std::string Prefix(const std::string& name) const { return (dir_.path() / name).string(); }
  // Returns the records of each file, by file name.
  std::vector<std::string> Records() {
    logs_.Stop();
    std::vector<std::string> found;
    std::set<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::directory_iterator(dir_.path())) files.insert(entry.path());
    for (const auto& file : files) {
      const std::string bytes = base::ReadRegularFile(file.string(), 1 << 20).value();
      const auto records = SplitRecords(bytes, 10'000).value();
      for (const std::string_view record : records) {
        found.push_back(file.filename().string() + ": " + std::string(record));
      }
    }
    return found;
  }
  std::string Counted(const std::string& model, const std::string& status) {
    return ":tensorflow:serving:request_log_count{model_name=\"" + model + "\",status_code=\"" + status + "\"} ";
  }

  const inferd::support::TempDir dir_;
  const base::FakeClock clock_;
  const std::unique_ptr<base::Logger> logger_ = base::Logger::Silent();
  metrics::Registry registry_;
  RequestLogs logs_{registry_, *logger_, clock_, {.calls_max = 3, .bytes_max = 1000}};
};

TEST_F(RequestLogsTest, ModelsThatHaveALogAreLogged) {
  EXPECT_FALSE(logs_.Draw("m"));
  logs_.Serve({Model("m", Prefix("m"), 1), {.name = "n", .base_path = "/n"}});
  EXPECT_TRUE(logs_.Draw("m"));
  EXPECT_FALSE(logs_.Draw("n"));
  logs_.Write(Call("m"));
  logs_.Write(Call("n"));
  const auto records = Records();
  ASSERT_EQ(records.size(), 1u);
  EXPECT_THAT(records[0], ::testing::StartsWith("m-19700101-000001-0.tfrecord: "));
  EXPECT_THAT(records[0], ::testing::EndsWith("\x32\x11\x0a\x07request\x12\x06"
                                              "answer"))
      << "a predict_log";
  EXPECT_THAT(registry_.PrometheusText(), HasSubstr(Counted("m", "OK") + "1"));
}

TEST_F(RequestLogsTest, AShareOfTheCallsIsDrawn) {
  logs_.Serve({Model("m", Prefix("m"), 0.1)});
  int drawn = 0;
  for (int i = 0; i < 10'000; ++i) drawn += logs_.Draw("m") ? 1 : 0;
  EXPECT_GT(drawn, 900);
  EXPECT_LT(drawn, 1100);
}

TEST_F(RequestLogsTest, WhatIsServedNextBeginsANewFile) {
  logs_.Serve({Model("m", Prefix("m"), 1)});
  logs_.Write(Call("m", "one"));
  logs_.Serve({Model("m", Prefix("m"), 1)});
  logs_.Write(Call("m", "two"));
  logs_.Serve({{.name = "m", .base_path = "/m"}});
  EXPECT_FALSE(logs_.Draw("m"));
  logs_.Write(Call("m", "three"));
  const auto records = Records();
  ASSERT_EQ(records.size(), 2u);
  EXPECT_THAT(records[0], ::testing::AllOf(HasSubstr("-0.tfrecord"), HasSubstr("one")));
  EXPECT_THAT(records[1], ::testing::AllOf(HasSubstr("-1.tfrecord"), HasSubstr("two")));
}

TEST_F(RequestLogsTest, NewFilesBeginWhenTheyAreToldTo) {
  RequestLogs logs(registry_, *logger_, clock_, {.files = {.files_max = 2}});
  logs.Serve({Model("m", Prefix("m"), 1)});
  const auto write = [&](const char* what) {
    std::promise<void> done;
    logs.Write(Call("m", what));
    logs.Write({.model = "m", .version = "1", .make_messages = [&]() -> base::Result<tfs::LoggedCall::Messages> {
                  done.set_value();
                  return std::unexpected(base::Internal("only to see that the one before is written"));
                }});
    done.get_future().wait();
  };
  write("one");
  logs.BeginNewFiles();
  write("two");
  write("three");
  logs.BeginNewFiles();
  write("four");
  const auto records = Records();
  ASSERT_EQ(records.size(), 3u) << "the first file is one too many";
  EXPECT_THAT(records[0], ::testing::AllOf(HasSubstr("-1.tfrecord"), HasSubstr("two")));
  EXPECT_THAT(records[1], ::testing::AllOf(HasSubstr("-1.tfrecord"), HasSubstr("three")));
  EXPECT_THAT(records[2], ::testing::AllOf(HasSubstr("four")));
}

TEST_F(RequestLogsTest, WhatIsTooMuchIsDroppedAndCounted) {
  logs_.Serve({Model("m", Prefix("m"), 1)});
  std::promise<void> writing;
  std::promise<void> go_on;
  logs_.Write({.model = "m", .version = "1", .bytes = 400, .make_messages = [&] {
                 writing.set_value();
                 go_on.get_future().wait();
                 return tfs::LoggedCall::Messages{};
               }});
  writing.get_future().wait();
  logs_.Write(Call("m", std::string(601, 'x')));  // the call that is being written counts
  logs_.Write(Call("m", std::string(600, 'y')));
  logs_.Write(Call("m", ""));
  logs_.Write(Call("m", ""));
  logs_.Write(Call("m", ""));
  go_on.set_value();
  EXPECT_EQ(Records().size(), 4u);
  EXPECT_THAT(registry_.PrometheusText(), HasSubstr(Counted("m", "RESOURCE_EXHAUSTED") + "2"));
}

TEST_F(RequestLogsTest, WhatCannotBeWrittenIsCounted) {
  logs_.Serve({Model("m", Prefix("no/such/folder/m"), 1), Model("n", Prefix("n"), 1)});
  logs_.Write(Call("m"));
  logs_.Write({.model = "n", .version = "1", .make_messages = []() -> base::Result<tfs::LoggedCall::Messages> {
                 return std::unexpected(base::Internal("no classes"));
               }});
  EXPECT_TRUE(Records().empty());
  EXPECT_THAT(registry_.PrometheusText(), HasSubstr(Counted("m", "UNAVAILABLE") + "1"));
  EXPECT_THAT(registry_.PrometheusText(), HasSubstr(Counted("n", "INTERNAL") + "1"));
}

}  // namespace
}  // namespace inferd::server
