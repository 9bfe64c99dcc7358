#include <benchmark/benchmark.h>

#include "serving/cache/cache_fixture.h"

// The cost of a lookup: making the key of a request with an input of this many bytes, finding it among 10 000 others,
// and comparing it. With several threads, which share the lock.

namespace inferd::cache {
namespace {

struct Setting {
  explicit Setting(size_t bytes) {
    for (int i = 0; i < 10'000; ++i) Insert(std::to_string(i));
    Insert(std::string(bytes, 'x'));
  }
  void Insert(const std::string& bytes) {
    core::QueuedRequest queued = model.Queue(CachedModel::Request(bytes), [](core::InferResponse&&) {});
    core::InferResponse response = AnswerOf(queued);
    store.Insert(std::make_shared<const StoredKey>(RequestKey("model/1/1//1", "", queued, secret)),
                 CachedResponse::CopyOf(response));
    queued.Fail(base::Cancelled("done"));
  }

  base::FakeClock clock;
  const KeySecret secret;
  LocalStore store{{.bytes_max = size_t{1} << 30}, clock};
  CachedModel model{store, secret, clock, [](core::QueuedRequest&&) {}};
};

std::unique_ptr<Setting> setting;

void LookUp(benchmark::State& state) {
  const auto bytes = static_cast<size_t>(state.range(0));
  if (state.thread_index() == 0) setting = std::make_unique<Setting>(bytes);
  core::QueuedRequest queued;
  for (auto _ : state) {
    if (queued.request == nullptr) {
      queued = setting->model.Queue(CachedModel::Request(std::string(bytes, 'x')), [](core::InferResponse&&) {});
    }
    const RequestKey key("model/1/1//1", "", queued, setting->secret);
    benchmark::DoNotOptimize(setting->store.Find(key));
  }
  queued.Fail(base::Cancelled("done"));
  queued = {};
}
BENCHMARK(LookUp)->Arg(128)->Arg(4096)->Arg(1 << 20)->Threads(1)->Threads(2);

void MakeKey(benchmark::State& state) {
  const auto bytes = static_cast<size_t>(state.range(0));
  Setting own(bytes);
  core::QueuedRequest queued =
      own.model.Queue(CachedModel::Request(std::string(bytes, 'x')), [](core::InferResponse&&) {});
  for (auto _ : state) benchmark::DoNotOptimize(RequestKey("model/1/1//1", "", queued, own.secret).hash());
  queued.Fail(base::Cancelled("done"));
}
BENCHMARK(MakeKey)->Arg(128)->Arg(4096)->Arg(1 << 20);

}  // namespace
}  // namespace inferd::cache
