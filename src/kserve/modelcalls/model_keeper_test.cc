#include "kserve/modelcalls/model_keeper.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <mutex>

#include "net/client/scripted_server.h"

namespace inferd::modelcalls {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::string Response(std::string_view status, std::string_view body) {
  return "HTTP/1.1 " + std::string(status) + "\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" +
         std::string(body);
}

// A server whose models, and whose answer to a load call, a test sets.
class ModelKeeperTest : public ::testing::Test {
 protected:
  std::string Answer(const std::string& request) {
    const std::lock_guard lock(mutex_);
    if (request.starts_with("POST /v2/repository/index ")) return Response(index_status_, index_);
    loads_.push_back(request.substr(0, request.find(" HTTP")));
    if (load_status_ == "200 OK") index_ = R"([{"name": "m", "state": "READY"}])";
    return Response(load_status_, "{}");
  }
  void Set(std::string index_status, std::string index) {
    const std::lock_guard lock(mutex_);
    index_status_ = std::move(index_status);
    index_ = std::move(index);
  }
  std::vector<std::string> loads() {
    const std::lock_guard lock(mutex_);
    return loads_;
  }

  std::mutex mutex_;
  std::string index_status_ = "200 OK";
  std::string index_ = R"([{"name": "m", "state": "READY"}])";
  std::string load_status_ = "200 OK";
  std::vector<std::string> loads_;
  net::ScriptedServer server_{[this](const std::string& request) { return Answer(request); }};
  ModelKeeper keeper_{"127.0.0.1:" + std::to_string(server_.port())};
};

TEST_F(ModelKeeperTest, AModelThatWasUnloadedIsLoadedAgain) {
  keeper_.Look();
  Set("200 OK", "[]");
  keeper_.Look();
  EXPECT_THAT(loads(), IsEmpty()) << "one answer may fall between two versions";
  EXPECT_THAT(keeper_.Look().reloaded, ElementsAre("m"));
  EXPECT_THAT(loads(), ElementsAre("POST /v2/repository/models/m/load"));
  EXPECT_THAT(keeper_.Look().reloaded, IsEmpty());
  // Unloaded again before the next answer said that it was there.
  Set("200 OK", "[]");
  keeper_.Look();
  EXPECT_THAT(keeper_.Look().reloaded, ElementsAre("m"));
}

TEST_F(ModelKeeperTest, AServerThatDoesNotSayHasLostNothing) {
  keeper_.Look();
  for (const char* status : {"500 Internal Server Error", "404 Not Found", "200 OK"}) {
    Set(status, "no index");
    for (int i = 0; i < 3; ++i) keeper_.Look();
  }
  EXPECT_THAT(loads(), IsEmpty());
}

TEST_F(ModelKeeperTest, AModelThatCannotBeLoadedIsGivenUp) {
  load_status_ = "400 Bad Request";
  keeper_.Look();
  Set("200 OK", "[]");
  keeper_.Look();
  EXPECT_THAT(keeper_.Look().failures, ElementsAre(HasSubstr("model 'm': load: the model server answered 400")));
  EXPECT_THAT(keeper_.Look().failures, IsEmpty());
  EXPECT_EQ(loads().size(), 1U);
}

TEST_F(ModelKeeperTest, AModelThatLoadsForLongIsAskedForOnce) {
  load_status_ = "503 Service Unavailable";
  keeper_.Look();
  Set("200 OK", "[]");
  for (int i = 0; i < 5; ++i) EXPECT_THAT(keeper_.Look().reloaded, IsEmpty());
  EXPECT_EQ(loads().size(), 1U);
  Set("200 OK", R"([{"name": "m", "state": "READY"}])");
  EXPECT_THAT(keeper_.Look().reloaded, ElementsAre("m"));
}

}  // namespace
}  // namespace inferd::modelcalls
