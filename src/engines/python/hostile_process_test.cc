// Tests worker processes that misbehave: on their socket, in the shared memory, or by stopping, ending or hanging. In
// every case, the request is answered, the next request finds another worker, other models answer meanwhile, and little
// memory is used. The workers are scripts of hostile_worker.py.

#include <gtest/gtest.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <condition_variable>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "engines/python/host_fixture.h"
#include "engines/python/python_instance.h"
#include "engines/python/python_model.h"
#include "tests/support/temp_dir.h"

extern "C" size_t __sanitizer_get_current_allocated_bytes()
    __attribute__((weak));  // NOLINT(bugprone-reserved-identifier)

namespace inferd::python {
namespace {

constexpr std::chrono::seconds kGuard{30};
constexpr size_t kMemoryMaxMb = 64;      // for one worker
constexpr size_t kAllMemoryMaxMb = 512;  // for all workers at once
constexpr size_t kBehavioursMin = 30;

// A batch of one request without tensors.
struct EmptyRequest {
  EmptyRequest() {
    batch.struct_size = sizeof(batch);
    batch.request_count = 1;
    batch.rows = &rows;
  }
  const int64_t rows = 1;
  inferd_batch batch = {};
};

// A host that records how each batch is answered. One at a time, since its functions have no context of their own.
class AnyHost final {
 public:
  explicit AnyHost(bool waits) {
    current = this;
    table.log_enabled = [](const inferd_host*, int32_t) { return 0; };
    table.log = [](const inferd_host*, int32_t, inferd_text) {};
    table.respond = [](const inferd_batch* batch, size_t, const inferd_response* response) {
      const std::lock_guard lock(current->mutex_);
      Answer& answer = current->answers_[batch];
      if (response->final != 0) ++answer.finals;
      answer.code = response->code;
      if (response->code != INFERD_OK) current->last_failure_.assign(response->message.data, response->message.size);
    };
    table.finish = [](const inferd_batch* batch) { current->Finish(batch); };
    table.may_respond = [](const inferd_batch*, size_t) { return 1; };
    table.control_model = [](const inferd_host*, const inferd_model_control*, void (*done)(void*, int32_t, inferd_text),
                             void* arg) { done(arg, INFERD_OK, {"", 0}); };
    table.open_metric = [](const inferd_host*, const inferd_metric*, inferd_metric_done done, void* arg) {
      done(arg, INFERD_OK, {"", 0}, ++current->metrics_, 0);
    };
    table.close_metric = [](const inferd_host*, uint64_t) {};
    table.change_metric = [](const inferd_host*, uint64_t, int32_t, double, inferd_metric_done done, void* arg) {
      done(arg, INFERD_OK, {"", 0}, 0, 0);
    };
    table.call_model = [](const inferd_host*, const inferd_batch*, size_t, const inferd_model_call*,
                          void (*respond)(void*, const inferd_call_response*), void* arg, uint64_t*) {
      inferd_call_response response = {};
      response.struct_size = sizeof(response);
      response.submitted = response.final = 1;
      respond(arg, &response);
    };
    table.cancel_call = [](const inferd_host*, uint64_t) {};
    table.take_response = [](const inferd_host*, uint64_t) {};
    table.await_readable = [](const inferd_host*, int descriptor, void (*ready)(void*), void* arg) {
      if (!current->waits_) return 0;
      const std::lock_guard lock(current->mutex_);
      current->awaited_.push_back({descriptor, ready, arg});
      return 1;
    };
    waits_ = waits;
  }
  ~AnyHost() { current = nullptr; }

  // Requests are identified by their address, which is not reused.
  const EmptyRequest& NewRequest() {
    const std::lock_guard lock(mutex_);
    return *requests_.emplace_back(std::make_unique<EmptyRequest>());
  }

  // Calls each awaited function once.
  void CallAwaited(bool all) {
    std::vector<Awaited> due;
    {
      const std::lock_guard lock(mutex_);
      std::erase_if(awaited_, [&](const Awaited& each) {
        pollfd readable{.fd = each.descriptor, .events = POLLIN, .revents = 0};
        if (!all && ::poll(&readable, 1, 0) == 0) return false;
        due.push_back(each);
        return true;
      });
    }
    for (const Awaited& each : due) each.ready(each.arg);
  }

  void Finish(const inferd_batch* batch) {
    const std::lock_guard lock(mutex_);
    answers_[batch].finished = true;
    changed_.notify_all();
  }
  // nullopt if the batch is not finished in time, or was not answered exactly once.
  std::optional<int32_t> Await(const inferd_batch* batch, std::chrono::steady_clock::time_point until) {
    while (std::chrono::steady_clock::now() < until) {
      CallAwaited(false);
      std::unique_lock lock(mutex_);
      const Answer& answer = answers_[batch];
      if (answer.finished) return answer.finals == 1 ? std::optional(answer.code) : std::nullopt;
      changed_.wait_for(lock, std::chrono::milliseconds(1));
    }
    return std::nullopt;
  }
  std::string LastFailure() {
    const std::lock_guard lock(mutex_);
    return last_failure_;
  }
  bool Finished(const inferd_batch* batch) {
    const std::lock_guard lock(mutex_);
    return answers_[batch].finished;
  }

  inferd_host table = HostOfPlainRequests();

 private:
  struct Answer {
    int finals = 0;
    int32_t code = -1;
    bool finished = false;
  };
  struct Awaited {
    int descriptor;
    void (*ready)(void*);
    void* arg;
  };
  inline static AnyHost* current = nullptr;
  bool waits_ = false;
  uint64_t metrics_ = 0;
  std::string last_failure_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<const inferd_batch*, Answer> answers_;
  std::vector<std::unique_ptr<EmptyRequest>> requests_;
  std::vector<Awaited> awaited_;
};

// A model with one instance. Its workers run the script.
class Served final {
 public:
  Served(AnyHost& host, const std::filesystem::path& folder, const std::string& behaviour) : host_(host) {
    const std::string file = folder / behaviour;
    // -S -E: skips what a model would need, to start sooner.
    const std::string program = folder / "python";
    std::ofstream(program) << "#!/bin/sh\nexec python3 -S -E \"$@\"\n";
    std::filesystem::permissions(program, std::filesystem::perms::owner_all);
    const inferd_pair interpreter = {{"interpreter", 11}, {program.data(), program.size()}};
    inferd_load spec = {};
    spec.struct_size = sizeof(spec);
    spec.model_name = {behaviour.data(), behaviour.size()};
    spec.model_file = spec.model_dir = spec.version_dir = {file.data(), file.size()};
    spec.parameters = &interpreter;
    spec.parameter_count = 1;
    auto model = PythonModel::Load(host.table, INFERD_HOSTILE_WORKER, spec);
    if (!model.has_value()) {
      ADD_FAILURE() << behaviour << ": " << model.error().ToString();
      return;
    }
    model_ = *std::move(model);
    inferd_instance_spec instance_spec = {};
    instance_spec.struct_size = sizeof(instance_spec);
    auto instance = PythonInstance::Create(model_.get(), instance_spec);
    if (!instance.has_value()) {
      ADD_FAILURE() << behaviour << ": " << instance.error().ToString();
      return;
    }
    instance_ = *std::move(instance);
  }
  bool there() const { return instance_ != nullptr; }

  void Begin(const inferd_batch& batch) {
    const auto progress = instance_->Execute(batch);
    if (!progress.has_value()) {
      inferd_response failure = {};
      failure.struct_size = sizeof(failure);
      const std::string why(progress.error().message());
      failure.code = static_cast<int32_t>(progress.error().code());
      failure.message = {why.data(), why.size()};
      failure.final = 1;
      host_.table.respond(&batch, 0, &failure);
    }
    if (!progress.has_value() || *progress == kit::Progress::kFinished) host_.Finish(&batch);
  }
  std::optional<int32_t> Run(std::chrono::steady_clock::time_point until) {
    const EmptyRequest& request = host_.NewRequest();
    Begin(request.batch);
    return host_.Await(&request.batch, until);
  }

 private:
  AnyHost& host_;
  std::unique_ptr<PythonModel> model_;
  std::unique_ptr<PythonInstance> instance_;
};

// Returns the allocated memory if a sanitizer counts it, as it keeps freed memory for a while. Otherwise the resident
// memory.
size_t MemoryMb() {
  if (__sanitizer_get_current_allocated_bytes != nullptr) return __sanitizer_get_current_allocated_bytes() >> 20;
  std::ifstream status("/proc/self/statm");
  size_t pages = 0;
  status >> pages >> pages;
  return pages * static_cast<size_t>(::sysconf(_SC_PAGESIZE)) >> 20;
}

// Returns the behaviours in the order of the script.
std::vector<std::string> Behaviours() {
  std::vector<std::string> names;
  std::ifstream script(INFERD_HOSTILE_WORKER);
  for (std::string line; std::getline(script, line);) {
    std::istringstream words(line);
    std::string word, name;
    if (words >> word >> name && word == "def" && name.starts_with("b_")) {
      names.push_back(name.substr(2, name.find('(') - 2));
    }
  }
  return names;
}

// True for the behaviours that send or announce much.
bool SendsMuch(const std::string& behaviour) {
  return std::ranges::any_of(
      std::array{"without_end", "million", "as_many", "longest", "largest", "megabytes", "terabyte"},
      [&](const char* word) { return behaviour.contains(word); });
}

std::chrono::steady_clock::time_point Due() { return std::chrono::steady_clock::now() + kGuard; }

class HostileProcessTest : public ::testing::TestWithParam<bool> {};

TEST_P(HostileProcessTest, TheRequestFailsAndTheNextFindsAnotherWorker) {
  const support::TempDir folder;
  AnyHost host(GetParam());
  Served other(host, folder.path(), "behaves");
  ASSERT_TRUE(other.there());
  const std::vector<std::string> behaviours = Behaviours();
  EXPECT_GE(behaviours.size(), kBehavioursMin);
  Served hostile(host, folder.path(), "hostile");
  ASSERT_TRUE(hostile.there());
  const size_t before_mb = MemoryMb();
  for (const std::string& behaviour : behaviours) {
    SCOPED_TRACE(behaviour);
    std::ofstream(folder.path() / "hostile.hostile") << behaviour;
    const EmptyRequest& request = host.NewRequest();
    size_t most_mb = 0;
    hostile.Begin(request.batch);
    const auto until = Due();
    do {
      ASSERT_EQ(other.Run(Due()), INFERD_OK) << "another model did not answer: " << host.LastFailure();
      most_mb = std::max(most_mb, MemoryMb());
    } while (!host.Finished(&request.batch) && std::chrono::steady_clock::now() < until);
    const auto code = host.Await(&request.batch, until);
    ASSERT_TRUE(code.has_value()) << "the request was not answered, or not once";
    if (!behaviour.starts_with("well_")) {
      EXPECT_EQ(*code, INFERD_UNAVAILABLE);
    }
    // A message after an answer may still end the worker.
    auto next = hostile.Run(Due());
    // On a busy machine, the next worker may be too slow, too: its patience is just as short.
    while (next.has_value() && *next != INFERD_OK) next = hostile.Run(Due());
    ASSERT_TRUE(next.has_value()) << "the next request was not answered";
    EXPECT_LE(most_mb, before_mb + kMemoryMaxMb);
  }
  // All that are still awaited belong to workers that are gone.
  host.CallAwaited(true);
}

TEST(HostileProcessesTest, AllAtOnceTakeLittleMemory) {
  const support::TempDir folder;
  AnyHost host(/*waits=*/false);
  Served other(host, folder.path(), "behaves");
  ASSERT_TRUE(other.there());
  std::vector<std::unique_ptr<Served>> all;
  for (const std::string& behaviour : Behaviours()) {
    if (!SendsMuch(behaviour)) continue;
    all.push_back(std::make_unique<Served>(host, folder.path(), behaviour));
    ASSERT_TRUE(all.back()->there());
    std::ofstream(folder.path() / (behaviour + ".hostile")) << behaviour;
  }
  EXPECT_GE(all.size(), 14u);
  const size_t before_mb = MemoryMb();
  std::vector<const EmptyRequest*> requests;
  for (const std::unique_ptr<Served>& hostile : all) {
    requests.push_back(&host.NewRequest());
    hostile->Begin(requests.back()->batch);
  }
  size_t most_mb = 0;
  for (const EmptyRequest* const request : requests) {
    const auto until = Due();
    do {
      ASSERT_EQ(other.Run(Due()), INFERD_OK) << "another model did not answer: " << host.LastFailure();
      most_mb = std::max(most_mb, MemoryMb());
    } while (!host.Finished(&request->batch) && std::chrono::steady_clock::now() < until);
    ASSERT_TRUE(host.Await(&request->batch, until).has_value()) << "a request was not answered, or not once";
  }
  EXPECT_LE(most_mb, before_mb + kAllMemoryMaxMb);
}

INSTANTIATE_TEST_SUITE_P(OnEitherThread, HostileProcessTest, ::testing::Bool(), [](const auto& param) {
  return param.param ? "ReadByAThreadThatWaitsForDescriptors" : "ReadByTheListener";
});

}  // namespace
}  // namespace inferd::python
