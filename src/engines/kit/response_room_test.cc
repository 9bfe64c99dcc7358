#include "engines/kit/response_room.h"

#include <gtest/gtest.h>

#include <thread>

namespace inferd::kit {
namespace {

int32_t room = 0;
int asked = 0;
std::jthread server;

int32_t MayRespond(const inferd_batch*, size_t request) {
  EXPECT_EQ(request, 3u);
  return room;
}
void ResumeAtOnce(const inferd_batch*, size_t, void (*resume)(void* arg), void* arg) {
  ++asked;
  resume(arg);
}
void ResumeElsewhere(const inferd_batch*, size_t, void (*resume)(void* arg), void* arg) {
  ++asked;
  server = std::jthread([resume, arg] { resume(arg); });
}

TEST(ResponseRoomTest, AsksOnlyWhereThereIsNone) {
  inferd_host host = {};
  host.may_respond = MayRespond;
  host.when_may_respond = ResumeAtOnce;
  asked = 0;
  room = 1;
  WaitForResponseRoom(host, nullptr, 3);
  EXPECT_EQ(asked, 0);
  room = 0;
  WaitForResponseRoom(host, nullptr, 3);
  EXPECT_EQ(asked, 1);
}

TEST(ResponseRoomTest, WaitsForAnotherThread) {
  inferd_host host = {};
  host.may_respond = MayRespond;
  host.when_may_respond = ResumeElsewhere;
  asked = 0;
  room = 0;
  for (int i = 0; i < 1000; ++i) {
    WaitForResponseRoom(host, nullptr, 3);
    server.join();
  }
  EXPECT_EQ(asked, 1000);
}

}  // namespace
}  // namespace inferd::kit
