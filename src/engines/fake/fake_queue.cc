#include "engines/fake/fake_queue.h"

#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <ranges>
#include <thread>
#include <utility>
#include <vector>

#include "engines/fake/device_log.h"
#include "engines/fake/fake_device.h"

namespace inferd::fake {

namespace {

constexpr std::chrono::milliseconds kLookAgain{1};

// An inferd_copy_queue: source and destination of each copy.
using Queue = std::vector<std::pair<inferd_memory, inferd_memory>>;

Queue& ToQueue(inferd_copy_queue* queue) { return *reinterpret_cast<Queue*>(queue); }

int32_t Open(int32_t /*device*/, inferd_copy_queue** queue, inferd_error* /*error*/) {
  *queue = reinterpret_cast<inferd_copy_queue*>(std::make_unique<Queue>().release());
  return INFERD_OK;
}

void Close(inferd_copy_queue* queue) { const std::unique_ptr<Queue> owner(&ToQueue(queue)); }

int32_t Start(inferd_copy_queue* queue, const inferd_memory* from, const inferd_memory* to, inferd_error* /*error*/) {
  DeviceLog::Get().Copied(*from, *to);
  ToQueue(queue).emplace_back(*from, *to);
  return INFERD_OK;
}

// Blocks copies for as long as a test wants.
void AwaitRelease() {
  static const char* const file = std::getenv("FAKE_ENGINE_HOLD_COPIES");
  while (file != nullptr && access(file, F_OK) == 0) std::this_thread::sleep_for(kLookAgain);
}

int32_t Await(inferd_copy_queue* queue, inferd_error* /*error*/) {
  AwaitRelease();
  for (const auto& [from, to] : std::views::reverse(ToQueue(queue))) std::memcpy(Reach(to), Reach(from), from.size);
  ToQueue(queue).clear();
  return INFERD_OK;
}

}  // namespace

void AddQueues(inferd_device_memory& table) {
  table.open_queue = Open;
  table.close_queue = Close;
  table.start_copy = Start;
  table.await_copies = Await;
}

}  // namespace inferd::fake
