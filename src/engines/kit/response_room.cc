#include "engines/kit/response_room.h"

#include <memory>
#include <semaphore>

namespace inferd::kit {

namespace {

// Shared, since the waiting thread may continue before release() has returned.
using Room = std::shared_ptr<std::binary_semaphore>;

}  // namespace

void WaitForResponseRoom(const inferd_host& host, const inferd_batch* batch, size_t request) {
  if (host.may_respond(batch, request) != 0) return;
  const auto room = std::make_shared<std::binary_semaphore>(0);
  const auto resume = [](void* arg) {
    const std::unique_ptr<Room> given(static_cast<Room*>(arg));
    (*given)->release();
  };
  host.when_may_respond(batch, request, resume, std::make_unique<Room>(room).release());
  room->acquire();
}

}  // namespace inferd::kit
