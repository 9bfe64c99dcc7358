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
// through the steps. Models and ensembles that batch mix with others that do not, with one or several rows, reshaped
// inputs and outputs, outputs that nobody wants or that a model omits, and sequences.
// INFERD_PROPERTY_SECONDS sets the duration. A failure prints its seed; INFERD_PROPERTY_SEED runs that seed alone.

namespace inferd::ensemble {
namespace {

// Returns the sequence of a request, which depends on its id. All steps get both.
core::Sequence SequenceOf(const std::string& id) {
  const uint64_t hash = std::hash<std::string>{}(id);
  if (hash % 3 == 0) return {};
  core::Sequence sequence{.id = 1 + hash % 1000, .start = hash / 8 % 2 == 0, .end = hash / 16 % 2 == 0};
  if (hash % 2 == 0) sequence.id = "s" + id;
  return sequence;
}
uint64_t PriorityOf(const std::string& id) { return std::hash<std::string>{}(id) % 5; }

// Checks what a step's request has of the ensemble's. A model without sequences gets none.
void CheckStepRequest(const core::InferRequest& request, const RandomModel& model) {
  const core::Sequence sequence = model.signature.sequences ? SequenceOf(request.id) : core::Sequence();
  EXPECT_EQ(request.sequence.id, sequence.id);
  EXPECT_EQ(request.sequence.start, sequence.start);
  EXPECT_EQ(request.sequence.end, sequence.end);
  EXPECT_EQ(request.priority, PriorityOf(request.id));
  EXPECT_EQ(std::ranges::count(request.outputs, std::string("unused"), &core::RequestedOutput::name), 0);
}

// Checks the parameters of an answer that has outputs.
void CheckParameters(const core::EngineResponse& answer, const std::string& id, bool repeats_sequences) {
  const core::Sequence sequence = SequenceOf(id);
  const auto* const start = core::FindParameter(answer.parameters, "sequence_start");
  ASSERT_EQ(start != nullptr, repeats_sequences && sequence.named());
  if (start == nullptr) return;
  EXPECT_EQ(*start, core::ParameterValue(sequence.start));
  EXPECT_EQ(*core::FindParameter(answer.parameters, "sequence_end"), core::ParameterValue(sequence.end));
  const auto* const number = std::get_if<uint64_t>(&sequence.id);
  EXPECT_EQ(*core::FindParameter(answer.parameters, "sequence_id"),
            number != nullptr ? core::ParameterValue(static_cast<int64_t>(*number))
                              : core::ParameterValue(std::get<std::string>(sequence.id)));
}

// Answers like a RandomModel, at once or on the pool's threads, and holds when it is told to.
class RandomScheduler final : public core::Scheduler {
 public:
  RandomScheduler(const RandomModel& model, base::Executor& pool, bool at_once)
      : model_(model), pool_(pool), at_once_(at_once) {}

  void Enqueue(core::QueuedRequest&& queued) override {
    auto work = std::make_shared<Work>();
    work->queued = std::move(queued);
    CheckStepRequest(*work->queued.request, model_);
    for (const core::InferTensor& input : work->queued.request->inputs) work->inputs[input.name] = ToValue(input);
    work->text = model_.Text(work->inputs);
    work->responses = model_.Responses(work->text);
    if (at_once_) return GoOn(work);
    pool_.Post([this, work] { GoOn(work); });
  }

 private:
  struct Work {
    core::QueuedRequest queued;
    std::map<std::string, Value> inputs;
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
      response.outputs = Outputs(work->inputs, work->sent++);
      response.final = false;
      queued.Answer(std::move(response));
    }
    if (cancelled()) return queued.Fail(base::Cancelled("the request was cancelled"));
    if (model_.Fails(work->text)) return queued.Fail(base::Internal("it fails"));
    core::InferResponse response;
    if (!model_.signature.decoupled) response.outputs = Outputs(work->inputs, 0);
    queued.Answer(std::move(response));
  }

  std::vector<core::InferTensor> Outputs(const std::map<std::string, Value>& inputs, size_t k) const {
    std::vector<core::InferTensor> outputs;
    for (const core::TensorSpec& output : model_.signature.outputs) {
      const std::optional<Value> value = model_.Response(inputs, k, output.name);
      if (value.has_value()) outputs.push_back(ToTensor(output.name, *value));
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
  RandomEnsemble::Given given;
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
  uint64_t mixed_ = 0, with_rows_ = 0;

 private:
  std::shared_ptr<Asked> Ask(const std::shared_ptr<const LoadedEnsemble>& ensemble, Form form, std::mt19937_64& random);
  void Judge(const RandomEnsemble& ensemble, const Plan& plan, Asked& asked, bool cancelled);

  base::SystemClock clock_;
  base::ThreadPool pool_{"models", 3};
  base::ThreadPool client_{"client", 1};
  base::ThreadPool retire_{"retire", 1};
};

// Draws a request's tensors, in the shapes for clients.
void DrawInputs(const Plan& plan, Form form, std::mt19937_64& random, Asked& asked) {
  const auto rows = [&] { return random() % 2 == 0 ? 1 : static_cast<int64_t>(1 + random() % 3); };
  if (form == Form::kBatch) asked.given.rows = rows();
  const auto give = [&](const std::string& name, const std::string& text) {
    const Value value{
        .text = text, .rows = form == Form::kTable ? rows() : asked.given.rows, .flat = form == Form::kRow};
    asked.given.inputs[name] = value;
    core::InferTensor tensor = ToTensor(name, value);
    for (const Plan::Reshape& reshape : plan.reshapes) {
      if (reshape.tensor == plan.FindTensor(name)) tensor.shape.Append(1);
    }
    asked.request.inputs.push_back(std::move(tensor));
  };
  give("in", std::to_string(random() % 50));
  if (random() % 3 > 0) give("flag", std::to_string(random() % 2));
}

std::shared_ptr<Asked> RunPropertyTest::Ask(const std::shared_ptr<const LoadedEnsemble>& ensemble, Form form,
                                            std::mt19937_64& random) {
  auto asked = std::make_shared<Asked>();
  DrawInputs(ensemble->plan, form, random, *asked);
  with_rows_ += asked->given.rows > 1 ? 1 : 0;
  asked->request.id = std::to_string(random());
  asked->request.sequence = SequenceOf(asked->request.id);
  asked->request.priority = PriorityOf(asked->request.id);
  if (random() % 2 == 0) {
    asked->given.parameter = std::to_string(random() % 2);
    asked->request.parameters.emplace_back("flag", *asked->given.parameter);
  }
  asked->request.cancel = std::make_shared<core::CancelFlag>();
  const bool slow = random() % 3 == 0;
  if (random() % 3 > 0) {
    asked->request.flow = std::make_shared<core::ResponseFlow>(
        core::ResponseFlow::Limits{.responses_held = 2, .bytes_held = SIZE_MAX}, client_);
  }
  const auto outputs = static_cast<int>(ensemble->plan.outputs.size());
  const bool wants_all = random() % 2 == 0;
  for (int i = 0; i < outputs; ++i) {
    if (wants_all || random() % 2 == 0) asked->wanted.push_back(i);
  }
  if (asked->wanted.empty()) asked->wanted.push_back(static_cast<int>(random() % static_cast<uint64_t>(outputs)));
  const auto run = std::make_shared<ensemble::Run>(
      ensemble, asked->request, asked->wanted,
      [asked, slow, repeats = ensemble->repeats_sequences, this](core::EngineResponse got) {
        const std::lock_guard lock(asked->mutex);
        EXPECT_FALSE(asked->end.has_value()) << "an answer behind the last";
        std::string text;
        for (const core::InferTensor& output : got.outputs) {
          const bool omitted = output.datatype == tensor::DataType::kInvalid;
          text += RandomEnsemble::ToText(omitted ? std::nullopt : std::optional(ToValue(output)));
        }
        if (!got.outputs.empty()) CheckParameters(got, asked->request.id, repeats);
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
  const auto expected = ensemble.Expect(plan, asked.given, asked.wanted);
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
  loaded->repeats_sequences = random() % 2 == 0;
  ++ensembles_;
  mixed_ += loaded->plan.mixes_batching ? 1 : 0;
  decoupled_ += loaded->plan.decoupled() ? 1 : 0;
  std::vector<std::pair<std::shared_ptr<Asked>, bool>> all;
  for (int i = 0; i < 8; ++i) {
    const bool cancelled = random() % 6 == 0;
    all.emplace_back(Ask(loaded, ensemble.form(), random), cancelled);
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
      "%lu ensembles (%lu decoupled, %lu of models that batch and others), %lu requests (%lu of several rows): %lu "
      "answers, %lu failed, %lu cancelled; %lu steps passed over\n",
      ensembles_, decoupled_, mixed_, requests_, with_rows_, answers_, failures_, cancels_, passed_over_);
}

}  // namespace
}  // namespace inferd::ensemble
