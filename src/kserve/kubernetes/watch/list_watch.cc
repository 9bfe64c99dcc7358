#include "kserve/kubernetes/watch/list_watch.h"

#include <algorithm>
#include <random>
#include <utility>

namespace inferd::kubernetes {

namespace {

std::chrono::seconds UpToTwice(std::chrono::seconds time) {
  thread_local std::minstd_rand random{std::random_device{}()};
  return std::chrono::seconds(std::uniform_int_distribution<int64_t>(time.count(), 2 * time.count())(random));
}

// After such an error the watch can continue at its last version. After any other error the known state may be wrong.
bool CanResume(const ApiError& error) { return error.status == base::StatusCode::kUnavailable; }

}  // namespace

bool ListWatch::List(const std::stop_token& stop) {
  auto list = client_.List(resource_, selection_, options_.list, stop);
  if (!list.has_value()) {
    if (!stop.stop_requested()) sink_.OnError(list.error());
    return false;
  }
  version_ = list->resource_version;
  if (options_.trim) std::ranges::for_each(list->items, options_.trim);
  sink_.OnList(*std::move(list));
  return true;
}

bool ListWatch::Watch(const std::stop_token& stop) {
  bool learned = false;
  const auto watched = client_.Watch(
      resource_, selection_, {.resource_version = version_, .time_limit = UpToTwice(options_.watch_time)},
      [&](WatchEvent event) -> ApiResult<void> {
        learned = true;
        version_ = ResourceVersionOf(event.object);
        if (event.type == WatchEvent::Type::kBookmark) {
          sink_.OnProgress();
          return {};
        }
        if (options_.trim) options_.trim(event.object);
        sink_.OnEvent(std::move(event));
        return {};
      },
      stop);
  if (watched.has_value()) sink_.OnProgress();
  if (watched.has_value() || stop.stop_requested()) return learned;
  if (!CanResume(watched.error())) version_.clear();
  if (!watched.error().is_expired()) sink_.OnError(watched.error());
  return learned;
}

void ListWatch::Run(const std::stop_token& stop) {
  int useless = 0;
  while (!stop.stop_requested()) {
    // A first successful list needs no pause before the watch. Repeated lists must be separated by pauses.
    if (version_.empty() && List(stop) && useless == 0) continue;
    const bool learned = !version_.empty() && Watch(stop);
    useless = learned ? 0 : useless + 1;
    if (!learned && !options_.pause(storage::PauseBehind(useless - 1, options_.retry), stop)) return;
  }
}

}  // namespace inferd::kubernetes
