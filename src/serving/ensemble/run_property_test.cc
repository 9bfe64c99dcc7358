#include "serving/ensemble/run.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <mutex>
#include <thread>

#include "base/thread_pool.h"
#include "serving/core/model_version.h"
#include "serving/core/snapshot_publisher.h"
#include "serving/ensemble/random_ensemble_fixture.h"

// Compares random ensembles, requests, failures, cancellations and interleavings, on threads, with a simple walk
// through the steps. Some of the models and ensembles batch. INFERD_PROPERTY_SECONDS sets the duration. A failure
// prints its seed; INFERD_PROPERTY_SEED runs that seed alone.

namespace inferd::ensemble {
namespace {

// Answers like a RandomModel, at once or on the pool's threads, and holds when it is told to.
class RandomScheduler final : public core::Scheduler {
 public:
  RandomScheduler(const RandomModel& model, base::Executor& pool, bool at_once)
      : model_(model), pool_(pool), at_once_(at_once) {}

  void Enqueue(core::QueuedRequest&& queued) override {
    auto work = std::make_shared<Work>();
    work->queued = std::move(queued);
    std::map<std::string, std::string> inputs;
    for (const core::InferTensor& input : work->queued.request->inputs) inputs[input.name] = TextOf(input);
    work->text = model_.Text(inputs);
    work->responses = model_.Responses(work->text);
    if (at_once_) return GoOn(work);
    pool_.Post([this, work] { GoOn(work); });
  }

 private:
  struct Work {
    core::QueuedRequest queued;
    std::string text;
    size_t responses = 0;
    size_t sent = 0;
  };

  // `work` keeps the version, and thus this scheduler, alive.
  void GoOn(const std::shared_ptr<Work>& work) {
    core::QueuedRequest& queued = work->queued;
    const auto version = queued.version;
    const std::shared_ptr<core::ResponseFlow> flow = queued.request->flow;
    const auto cancelled = [&] { return queued.request->cancel->cancelled(); };
    while (model_.signature.decoupled && work->sent < work->responses && !cancelled()) {
      if (flow != nullptr && !flow->open()) {
        return flow->WhenOpen([this, work] { pool_.Post([this, work] { GoOn(work); }); });
      }
      if (model_.Fails(work->text) && work->sent == work->responses / 2) break;
      core::InferResponse response;
      response.outputs = Outputs(work->text, work->sent++);
      response.final = false;
      queued.Answer(std::move(response));
    }
    if (cancelled()) return queued.Fail(base::Cancelled("the request was cancelled"));
    if (model_.Fails(work->text)) return queued.Fail(base::Internal("it fails"));
    core::InferResponse response;
    if (!model_.signature.decoupled) response.outputs = Outputs(work->text, 0);
    queued.Answer(std::move(response));
  }

  std::vector<core::InferTensor> Outputs(const std::string& text, size_t k) const {
    std::vector<core::InferTensor> outputs;
    for (const core::TensorSpec& output : model_.signature.outputs) {
      outputs.push_back(
          TextTensor(output.name, RandomModel::Response(text, k, output.name), model_.signature.max_batch_size > 0));
    }
    return outputs;
  }

  const RandomModel& model_;
  base::Executor& pool_;
  const bool at_once_;
};

// A request and its responses. Its client takes responses at random.
struct Asked {
  core::InferRequest request;
  std::map<std::string, std::string> inputs;
  std::vector<int> wanted;  // indices of outputs
  std::mutex mutex;
  std::condition_variable ended;
  std::vector<std::string> answers;
  std::optional<base::Status> end;
  std::vector<core::ResponseFlow::Place> places;
};

class RunPropertyTest : public ::testing::Test {
 protected:
  void RunSeed(uint64_t seed);
  uint64_t ensembles_ = 0, requests_ = 0, answers_ = 0, failures_ = 0, cancels_ = 0, decoupled_ = 0, passed_over_ = 0;

 private:
  std::shared_ptr<Asked> Ask(const std::shared_ptr<const LoadedEnsemble>& ensemble, std::mt19937_64& random);
  void Judge(const RandomEnsemble& ensemble, const Plan& plan, Asked& asked, bool cancelled);

  base::SystemClock clock_;
  base::ThreadPool pool_{"models", 3};
  base::ThreadPool client_{"client", 1};
  base::ThreadPool retire_{"retire", 1};
};

std::shared_ptr<Asked> RunPropertyTest::Ask(const std::shared_ptr<const LoadedEnsemble>& ensemble,
                                            std::mt19937_64& random) {
  auto asked = std::make_shared<Asked>();
  asked->inputs["in"] = std::to_string(random() % 50);
  if (random() % 3 > 0) asked->inputs["flag"] = std::to_string(random() % 2);
  const bool batches = ensemble->plan.batches;
  for (const auto& [name, value] : asked->inputs) asked->request.inputs.push_back(TextTensor(name, value, batches));
  if (random() % 2 == 0) {
    asked->inputs["parameter"] = std::to_string(random() % 2);
    asked->request.parameters.emplace_back("flag", asked->inputs["parameter"]);
  }
  asked->request.cancel = std::make_shared<core::CancelFlag>();
  const bool slow = random() % 3 == 0;
  if (random() % 3 > 0) {
    asked->request.flow = std::make_shared<core::ResponseFlow>(
        core::ResponseFlow::Limits{.responses_held = 2, .bytes_held = SIZE_MAX}, client_);
  }
  const auto outputs = static_cast<int>(ensemble->plan.outputs.size());
  const int left_out =
      random() % 3 == 0 && outputs > 1 ? static_cast<int>(random() % static_cast<uint64_t>(outputs)) : -1;
  for (int i = 0; i < outputs; ++i) {
    if (i != left_out) asked->wanted.push_back(i);
  }
  const auto run = std::make_shared<ensemble::Run>(
      ensemble, asked->request, asked->wanted, [asked, slow, batches, this](core::EngineResponse got) {
        const std::lock_guard lock(asked->mutex);
        EXPECT_FALSE(asked->end.has_value()) << "an answer behind the last";
        std::string text;
        for (const core::InferTensor& output : got.outputs) {
          text += TextOf(output) + ";";
          EXPECT_EQ(output.shape, batches ? (tensor::Shape{1, 1}) : tensor::Shape{1});
        }
        if (!got.outputs.empty()) asked->answers.push_back(text);
        if (asked->request.flow != nullptr && !got.outputs.empty()) {
          client_.Post([place = asked->request.flow->Enter(1), slow]() mutable {
            if (slow) std::this_thread::yield();
            place = {};
          });
        }
        if (!got.final) return;
        asked->end = got.status;
        asked->ended.notify_all();
      });
  run->Start();
  return asked;
}

void RunPropertyTest::Judge(const RandomEnsemble& ensemble, const Plan& plan, Asked& asked, bool cancelled) {
  const auto expected = ensemble.Expect(plan, asked.inputs, asked.wanted);
  ++requests_;
  answers_ += asked.answers.size();
  if (cancelled && !asked.end->ok()) {
    ++cancels_;
    return;
  }
  if (!expected.has_value()) {
    ++failures_;
    EXPECT_FALSE(asked.end->ok());
    return;
  }
  EXPECT_TRUE(asked.end->ok()) << asked.end->message();
  std::vector<std::string> want = *expected;
  std::vector<std::string> got = asked.answers;
  if (plan.levels.size() > 2) {
    std::ranges::sort(want);  // answers from different responses of the outer model may interleave
    std::ranges::sort(got);
  }
  EXPECT_EQ(got, want);
}

void RunPropertyTest::RunSeed(uint64_t seed) {
  SCOPED_TRACE("INFERD_PROPERTY_SEED=" + std::to_string(seed));
  std::mt19937_64 random(seed);
  const RandomEnsemble ensemble(random);
  core::SnapshotPublisher publisher;
  std::atomic<size_t> gone = 0;
  std::vector<std::shared_ptr<const core::ModelVersion>> versions;
  {
    std::map<std::string, core::CatalogSnapshot::Model> models;
    for (const RandomModel& model : ensemble.models()) {
      auto version =
          core::ModelVersion::Create({.id = {model.name, 1},
                                      .generation = 1,
                                      .repository = "r",
                                      .platform = "p",
                                      .config = std::make_shared<config::ModelConfig>(),
                                      .signature = std::make_shared<core::ModelSignature>(model.signature),
                                      .statistics = std::make_shared<core::VersionStatistics>(),
                                      .scheduler = std::make_unique<RandomScheduler>(model, pool_, random() % 3 == 0)},
                                     retire_, [&gone] { gone.fetch_add(1); });
      models[model.name] = {
          .versions = {{.version = 1, .serving = version, .state = core::ModelState::kReady, .reason = ""}},
          .reason = ""};
      versions.push_back(std::move(version));
    }
    publisher.Publish(std::make_shared<const core::CatalogSnapshot>(models));
  }
  const core::ModelCaller caller(publisher, clock_, nullptr);
  auto loaded = std::make_shared<LoadedEnsemble>();
  loaded->plan = ensemble.MakeIt();
  loaded->counts = std::make_unique<StepCounts>(loaded->plan);
  loaded->models = &caller;
  ++ensembles_;
  decoupled_ += loaded->plan.decoupled() ? 1 : 0;
  std::vector<std::pair<std::shared_ptr<Asked>, bool>> all;
  for (int i = 0; i < 8; ++i) {
    const bool cancelled = random() % 6 == 0;
    all.emplace_back(Ask(loaded, random), cancelled);
    if (cancelled) all.back().first->request.cancel->Cancel();
  }
  for (const auto& [asked, cancelled] : all) {
    std::unique_lock lock(asked->mutex);
    ASSERT_TRUE(asked->ended.wait_for(lock, std::chrono::seconds(60), [&] { return asked->end.has_value(); }));
    Judge(ensemble, loaded->plan, *asked, cancelled);
  }
  core::SchedulerReport report;
  loaded->counts->Report(loaded->plan, report);
  for (const auto& step : report.steps) passed_over_ += step.passed_over;
  all.clear();
  versions.clear();
  // No version may outlive its requests.
  publisher.Publish(
      std::make_shared<const core::CatalogSnapshot>(std::map<std::string, core::CatalogSnapshot::Model>()));
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while ((gone.load() < ensemble.models().size() || loaded.use_count() > 1) &&
         std::chrono::steady_clock::now() < until) {
    std::this_thread::yield();
  }
  EXPECT_EQ(gone.load(), ensemble.models().size());
  EXPECT_EQ(loaded.use_count(), 1);
}

uint64_t FromEnvironment(const char* name, uint64_t otherwise) {
  const char* const text = std::getenv(name);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

TEST_F(RunPropertyTest, GivesWhatAPlainWalkGives) {
  const uint64_t dropped = core::DroppedCompletions();
  if (const uint64_t seed = FromEnvironment("INFERD_PROPERTY_SEED", 0); seed != 0) {
    RunSeed(seed);
  } else {
    const auto until =
        std::chrono::steady_clock::now() + std::chrono::seconds(FromEnvironment("INFERD_PROPERTY_SECONDS", 2));
    const uint64_t first = FromEnvironment("INFERD_PROPERTY_FIRST", 1);
    for (uint64_t next = first; !HasFailure() && std::chrono::steady_clock::now() < until; ++next) RunSeed(next);
  }
  EXPECT_EQ(core::DroppedCompletions(), dropped);
  std::printf(
      "%lu ensembles (%lu decoupled), %lu requests: %lu answers, %lu failed, %lu cancelled; %lu steps passed over\n",
      ensembles_, decoupled_, requests_, answers_, failures_, cancels_, passed_over_);
}

}  // namespace
}  // namespace inferd::ensemble
