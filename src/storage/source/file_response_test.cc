#include "storage/source/file_response.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "net/client/scripted_server.h"

namespace inferd::storage {
namespace {

using base::StatusCode;

// Reads bytes 2 to 5 of a file of 10, with any response of the server.
class FileResponseTest : public testing::Test {
 protected:
  base::Status Read(std::string status, std::string content_range, std::string body = "2345") {
    answer_ = "HTTP/1.1 " + std::move(status) + "\r\nContent-Length: " + std::to_string(body.size()) + "\r\n";
    if (!content_range.empty()) answer_ += "Content-Range: " + content_range + "\r\n";
    answer_ += "Connection: close\r\n\r\n" + body;
    bytes_.clear();
    return FetchFile(client_, {.url = server_.url() + "/file"}, file_, range_, "file",
                     [this](std::string_view bytes) {
                       bytes_ += bytes;
                       return base::OkStatus();
                     },
                     {});
  }

  std::string answer_, bytes_;
  net::ScriptedServer server_{[this](const std::string&) { return answer_; }};
  const FetchClient client_{{}};
  RemoteFile file_{.path = "file", .key = "file", .size = 10, .ranges = true};
  ByteRange range_{.begin = 2, .end = 6};
};

TEST_F(FileResponseTest, APartIsTakenWhereItIsTheOneAskedFor) {
  const base::Status status = Read("206 Partial Content", "bytes 2-5/10");
  ASSERT_TRUE(status.ok()) << status.ToString();
  EXPECT_EQ(bytes_, "2345");
  range_ = {.begin = 2, .end = std::nullopt};
  EXPECT_TRUE(Read("206 Partial Content", "bytes 2-9/10", "23456789").ok());
}

TEST_F(FileResponseTest, AnotherPartOrAnotherFileIsRefusedBeforeAByteIsTaken) {
  for (const std::string range :
       {"", "bytes 2-5/11", "bytes 2-5/*", "bytes 2-4/10", "bytes 2-6/10", "bytes 2-9/10", "bytes 1-5/10",
        "bytes 2-/10", "bytes 2-5/", "bytes 2-junk/10", "bytes 5-2/10", "items 2-5/10", "2-5/10", "bytes 2-5/10/10"}) {
    EXPECT_EQ(Read("206 Partial Content", range).code(), StatusCode::kAborted) << range;
    EXPECT_EQ(bytes_, "") << range;
  }
  EXPECT_EQ(Read("200 OK", "").code(), StatusCode::kAborted) << "the file without the range";
}

TEST_F(FileResponseTest, APartThatWasNotAskedForIsRefused) {
  file_.ranges = false;
  range_ = {.begin = 0, .end = 10};
  EXPECT_EQ(Read("206 Partial Content", "bytes 0-9/10", "0123456789").code(), StatusCode::kAborted);
  EXPECT_TRUE(Read("200 OK", "", "0123456789").ok());
}

TEST_F(FileResponseTest, TheSizeIsThatOfAWellFormedRangeAlone) {
  const auto size_of = [](int status, std::string range) {
    return SizeOfFile({.status = status, .headers = {{"Content-Length", "7"}, {"Content-Range", std::move(range)}}});
  };
  EXPECT_EQ(size_of(206, "bytes 0-0/10"), 10U);
  EXPECT_EQ(size_of(416, "bytes */0"), 0U);
  EXPECT_EQ(size_of(206, "bytes 0-0/*"), std::nullopt);
  EXPECT_EQ(size_of(206, "bytes 3-0/10"), std::nullopt);
  EXPECT_EQ(size_of(206, "bytes junk/10"), std::nullopt);
  EXPECT_EQ(SizeOfFile({.status = 200, .headers = {{"Content-Length", "7"}}}), 7U);
}

}  // namespace
}  // namespace inferd::storage
