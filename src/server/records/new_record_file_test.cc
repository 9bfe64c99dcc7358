#include "server/records/new_record_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <set>

#include "base/system/regular_file.h"
#include "server/records/record_file.h"
#include "tests/support/temp_dir.h"

namespace inferd::server {
namespace {

using ::testing::ElementsAre;

class NewRecordFileTest : public ::testing::Test {
 protected:
  std::string Prefix() const { return (dir_.path() / "log").string(); }
  std::vector<std::string> RecordsOf(const std::string& name) const {
    const std::string file = base::ReadRegularFile((dir_.path() / name).string(), 1 << 20).value();
    const auto records = SplitRecords(file, 100).value();
    return {records.begin(), records.end()};
  }

  const inferd::support::TempDir dir_;
  const base::FakeClock clock_;  // starts a second after the beginning of 1970
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

TEST_F(NewRecordFileTest, AFileIsOfBoundedSize) {
  const size_t record = RecordOf("abc").size();
  NewRecordFile file(Prefix(), clock_, {.bytes_max = 2 * record + 1});
  for (const char* data : {"one", "two", "abc", "a longer record, than which nothing else fits", "end"}) {
    ASSERT_TRUE(file.Append(data).ok());
  }
  EXPECT_THAT(RecordsOf("log-19700101-000001-0.tfrecord"), ElementsAre("one", "two"));
  EXPECT_THAT(RecordsOf("log-19700101-000001-1.tfrecord"), ElementsAre("abc"));
  EXPECT_THAT(RecordsOf("log-19700101-000001-2.tfrecord"),
              ElementsAre("a longer record, than which nothing else fits"));
  EXPECT_THAT(RecordsOf("log-19700101-000001-3.tfrecord"), ElementsAre("end"));
}

TEST_F(NewRecordFileTest, TheOldestFilesGo) {
  const std::vector<std::string> foreign = {"log-19700101-000000-0.tfrecord.gz",
                                            "log-19700101-000000-.tfrecord",
                                            "log-19700101-000000-x.tfrecord",
                                            "log-1970010x-000000-0.tfrecord",
                                            "log-b-19700101-000000-0.tfrecord",
                                            "log.tfrecord",
                                            "other"};
  for (const std::string& name : foreign) dir_.Write(name, "");
  for (const char* name : {"log-19691231-235959-10.tfrecord", "log-19691231-235959-9.tfrecord"}) dir_.Write(name, "");
  NewRecordFile file(Prefix(), clock_, {.bytes_max = 1, .files_max = 3});
  const auto ours = [this, &foreign] {
    std::set<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(dir_.path())) names.insert(entry.path().filename());
    for (const std::string& name : foreign) EXPECT_EQ(names.erase(name), 1u) << name;
    return std::vector<std::string>(names.begin(), names.end());
  };
  ASSERT_TRUE(file.Append("a").ok());
  EXPECT_EQ(ours().size(), 3u);
  ASSERT_TRUE(file.Append("b").ok());
  EXPECT_THAT(ours(), ElementsAre("log-19691231-235959-10.tfrecord", "log-19700101-000001-0.tfrecord",
                                  "log-19700101-000001-1.tfrecord"));
  for (int i = 0; i < 10; ++i) ASSERT_TRUE(file.Append("c").ok());
  EXPECT_THAT(ours(), ElementsAre("log-19700101-000001-10.tfrecord", "log-19700101-000001-11.tfrecord",
                                  "log-19700101-000001-9.tfrecord"));
}

TEST_F(NewRecordFileTest, AFileMayBeClosedInBetween) {
  NewRecordFile file(Prefix(), clock_);
  file.Close();
  ASSERT_TRUE(file.Append("a").ok());
  std::filesystem::rename(dir_.path() / "log-19700101-000001-0.tfrecord", dir_.path() / "moved");
  ASSERT_TRUE(file.Append("b").ok()) << "goes where the file has gone";
  file.Close();
  ASSERT_TRUE(file.Append("c").ok());
  EXPECT_THAT(RecordsOf("moved"), ElementsAre("a", "b"));
  EXPECT_THAT(RecordsOf("log-19700101-000001-1.tfrecord"), ElementsAre("c"));
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
