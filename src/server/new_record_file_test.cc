#include "server/new_record_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "config/small_file.h"
#include "server/record_file.h"
#include "tests/support/temp_dir.h"

namespace inferd::server {
namespace {

using ::testing::ElementsAre;

class NewRecordFileTest : public ::testing::Test {
 protected:
  std::string Prefix() const { return (dir_.path() / "log").string(); }
  std::vector<std::string> RecordsOf(const std::string& name) const {
    const std::string file = config::ReadSmallFile((dir_.path() / name).string(), 1 << 20).value();
    const auto records = SplitRecords(file, 100).value();
    return {records.begin(), records.end()};
  }

  const inferd::testing::TempDir dir_;
  const base::FakeClock clock_;  // a second after 1970 began
};

TEST_F(NewRecordFileTest, EachHasAFileOfItsOwn) {
  NewRecordFile one(Prefix(), clock_);
  NewRecordFile other(Prefix(), clock_);
  EXPECT_TRUE(std::filesystem::is_empty(dir_.path())) << "nothing was written";
  ASSERT_TRUE(one.Append("a").ok());
  ASSERT_TRUE(other.Append("").ok());
  ASSERT_TRUE(one.Append(std::string(100'000, 'b')).ok());
  EXPECT_THAT(RecordsOf("log-19700101-000001-0.tfrecord"), ElementsAre("a", std::string(100'000, 'b')));
  EXPECT_THAT(RecordsOf("log-19700101-000001-1.tfrecord"), ElementsAre(""));
}

TEST_F(NewRecordFileTest, AFolderThatComesLater) {
  NewRecordFile file((dir_.path() / "logs" / "log").string(), clock_);
  const base::Status status = file.Append("a");
  EXPECT_EQ(status.code(), base::StatusCode::kUnavailable);
  EXPECT_THAT(status.message(), ::testing::HasSubstr("No such file or directory"));
  std::filesystem::create_directory(dir_.path() / "logs");
  EXPECT_TRUE(file.Append("b").ok());
  EXPECT_THAT(RecordsOf("logs/log-19700101-000001-0.tfrecord"), ElementsAre("b"));
}

TEST_F(NewRecordFileTest, AFullDiskIsSaid) {
  std::filesystem::create_symlink("/dev/full", dir_.path() / "log-19700101-000001-0.tfrecord");
  NewRecordFile file(Prefix(), clock_);
  ASSERT_TRUE(file.Append("a").ok()) << "what is there is not written to";
  EXPECT_THAT(RecordsOf("log-19700101-000001-1.tfrecord"), ElementsAre("a"));
}

}  // namespace
}  // namespace inferd::server
