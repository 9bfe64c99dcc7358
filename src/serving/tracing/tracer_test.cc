#include "serving/tracing/tracer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "serving/core/request/infer_request.h"

namespace inferd::tracing {
namespace {

using config::TraceLevel;
using config::TraceMode;
using config::TraceOptions;
using core::TraceActivity;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;
using Values = std::vector<std::string>;

// Keeps the exported records.
struct Kept {
  base::Mutex mutex;
  std::vector<TraceRecord> records;
};
class KeepingExporter final : public TraceExporter {
 public:
  explicit KeepingExporter(Kept& kept) : kept_(kept) {}
  bool Export(std::vector<TraceRecord> records) override {
    base::MutexLock lock(kept_.mutex);
    for (TraceRecord& record : records) kept_.records.push_back(std::move(record));
    return true;
  }

 private:
  Kept& kept_;
};

core::TraceSubject Subject(std::string_view model, std::string_view traceparent = "") {
  return {.model = model, .version = "1", .request_id = "", .traceparent = traceparent};
}

class TracerTest : public ::testing::Test {
 protected:
  void Start(TraceOptions options) {
    if (options.mode == TraceMode::kFile && options.file.empty()) options.file = "traces";
    tracer_ =
        std::make_unique<Tracer>(options, clock_, std::make_unique<KeepingExporter>(kept_), CountersIn(registry_));
  }
  // Ends the tracer, and returns the exported traces.
  std::vector<TraceRecord>& Records() {
    tracer_.reset();
    return kept_.records;
  }
  // Returns how many of these requests are traced.
  int Traced(int requests, std::string_view model = "m", std::string_view traceparent = "") {
    int traced = 0;
    for (int i = 0; i < requests; ++i) traced += tracer_->Begin(Subject(model, traceparent)) != nullptr;
    return traced;
  }
  base::Status Change(std::string_view model, std::string name, std::optional<Values> values) {
    return tracer_->Change(model, {{std::move(name), std::move(values)}});
  }

  base::FakeClock clock_;
  metrics::Registry registry_;
  Kept kept_;
  std::unique_ptr<Tracer> tracer_;
};

TEST_F(TracerTest, NothingIsTracedUntilItIsTurnedOn) {
  Start({.rate = 1});
  EXPECT_EQ(Traced(10), 0);
  ASSERT_TRUE(Change("", "trace_level", Values{"TIMESTAMPS"}).ok());
  EXPECT_EQ(Traced(10), 10);
  ASSERT_TRUE(Change("", "trace_level", std::nullopt).ok());
  EXPECT_EQ(Traced(10), 0);
}

TEST_F(TracerTest, OneOfSoManyAndSoManyInAll) {
  Start({.level = TraceLevel::kTimestamps, .rate = 5, .count = 3});
  EXPECT_EQ(Traced(4), 0);
  EXPECT_EQ(Traced(1), 1);
  EXPECT_EQ(Traced(100), 2) << "the count is used up";
  ASSERT_TRUE(Change("", "trace_count", Values{"1"}).ok());
  EXPECT_EQ(Traced(100), 1) << "counted anew";
  ASSERT_TRUE(Change("", "trace_count", Values{"-1"}).ok());
  EXPECT_EQ(Traced(100), 20);
}

TEST_F(TracerTest, AModelHasSettingsOfItsOwn) {
  Start({.level = TraceLevel::kTimestamps, .rate = 10});
  ASSERT_TRUE(Change("own", "trace_rate", Values{"2"}).ok());
  EXPECT_EQ(Traced(100, "own"), 50);
  EXPECT_EQ(Traced(100, "other"), 10);
  ASSERT_TRUE(Change("", "trace_level", Values{"OFF"}).ok());
  EXPECT_EQ(Traced(100, "own"), 0) << "its level is that of all";
  ASSERT_TRUE(Change("own", "trace_level", Values{"TIMESTAMPS"}).ok());
  EXPECT_EQ(Traced(100, "own"), 50);
  EXPECT_EQ(Traced(100, "other"), 0);
  EXPECT_THAT(tracer_->InForce("own").front().second, ElementsAre("TIMESTAMPS"));
  EXPECT_THAT(tracer_->InForce("").front().second, ElementsAre("OFF"));
  ASSERT_TRUE(Change("own", "trace_level", std::nullopt).ok());
  ASSERT_TRUE(Change("own", "trace_rate", std::nullopt).ok());
  EXPECT_EQ(tracer_->InForce("own"), tracer_->InForce(""));
}

TEST_F(TracerTest, TheCountSaysHowManyTracesAreLeft) {
  const auto left = [this](std::string_view model) {
    for (const auto& [name, values] : tracer_->InForce(model)) {
      if (name == "trace_count") return values.front();
    }
    return std::string("none");
  };
  Start({.level = TraceLevel::kTimestamps, .rate = 1, .count = 3});
  EXPECT_EQ(left(""), "3");
  EXPECT_EQ(Traced(1), 1);
  EXPECT_EQ(left(""), "2");
  EXPECT_EQ(left("m"), "2") << "it has no count of its own";
  ASSERT_TRUE(Change("own", "trace_count", Values{"2"}).ok());
  EXPECT_EQ(left("own"), "2");
  EXPECT_EQ(Traced(5, "own"), 2);
  EXPECT_EQ(left("own"), "0");
  EXPECT_EQ(left(""), "2") << "a change of one model leaves the count of the others";
  EXPECT_TRUE(tracer_->Change("own", {}).ok());
  EXPECT_TRUE(tracer_->Change("", {}).ok());
  EXPECT_EQ(left("own"), "0") << "no change";
  EXPECT_EQ(left(""), "2");
  ASSERT_TRUE(Change("", "trace_count", Values{"-1"}).ok());
  EXPECT_EQ(Traced(5), 5);
  EXPECT_EQ(left(""), "-1");
}

TEST_F(TracerTest, AChangeOfAnotherSettingLeavesTheCount) {
  const auto left = [this](std::string_view model) { return tracer_->InForce(model).at(2).second.front(); };
  Start({.level = TraceLevel::kTimestamps, .rate = 1, .count = 9});
  ASSERT_TRUE(Change("", "trace_count", Values{"5"}).ok());
  ASSERT_TRUE(Change("own", "trace_count", Values{"3"}).ok());
  EXPECT_EQ(Traced(2), 2);
  EXPECT_EQ(Traced(1, "own"), 1);
  ASSERT_TRUE(Change("own", "trace_rate", Values{"2"}).ok());
  EXPECT_EQ(left("own"), "2");
  EXPECT_EQ(left(""), "3");
  ASSERT_TRUE(Change("", "log_frequency", Values{"7"}).ok());
  EXPECT_EQ(left("own"), "2");
  EXPECT_EQ(left(""), "3");
  // A count that is not the model's own is that of all models, as it stands.
  ASSERT_TRUE(Change("other", "trace_rate", Values{"1"}).ok());
  EXPECT_EQ(left("other"), "3");
  ASSERT_TRUE(Change("own", "trace_count", std::nullopt).ok());
  EXPECT_EQ(left("own"), "3");
  ASSERT_TRUE(Change("", "trace_count", std::nullopt).ok());
  EXPECT_EQ(left(""), "9");
}

TEST_F(TracerTest, ManyThreadsTakeTheirShare) {
  Start({.level = TraceLevel::kTimestamps, .rate = 10, .count = 300});
  std::atomic<int> traced{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) threads.emplace_back([&] { traced += Traced(1000); });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(traced, 300);
}

TEST_F(TracerTest, ARecordHasWhatWasAddedAndItsChildren) {
  Start({.level = TraceLevel::kAll, .rate = 1});
  {
    const auto trace =
        tracer_->Begin({.model = "m", .version = "3", .request_id = "r", .traceparent = "", .received_ns = 5});
    trace->Add(TraceActivity::kQueueStart, 7);
    core::InferTensor tensor{
        .name = "IN", .datatype = tensor::DataType::kInt32, .shape = {2}, .data = {}, .parameters = {}};
    const int32_t numbers[] = {1, -2};
    tensor.data = base::BufferSlice(base::Buffer::CopyOf({reinterpret_cast<const char*>(numbers), sizeof numbers}));
    trace->AddTensor(TraceActivity::kTensorQueueInput, tensor);
    trace->Child("step", "1")->AddNow(TraceActivity::kRequestEnd);
  }
  std::vector<TraceRecord>& records = Records();
  ASSERT_THAT(records, SizeIs(2));
  const TraceRecord& child = records[0];
  const TraceRecord& parent = records[1];
  EXPECT_EQ(child.model, "step");
  EXPECT_EQ(child.parent_id, parent.id);
  EXPECT_EQ(child.request_id, "r");
  EXPECT_EQ(parent.parent_id, 0u);
  ASSERT_THAT(parent.events, SizeIs(3));
  EXPECT_EQ(parent.events[0].activity, TraceActivity::kHttpRecvStart);
  EXPECT_EQ(parent.events[0].at_ns, 5);
  EXPECT_EQ(parent.events[2].at_ns, 7);
  ASSERT_THAT(parent.tensors, SizeIs(1));
  EXPECT_EQ(parent.tensors[0].data, "1,-2");
  EXPECT_EQ(parent.tensors[0].shape, "2");
}

TEST_F(TracerTest, ACollectorIsToldOfWhatIsTracedElsewhere) {
  constexpr std::string_view kParent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
  Start({.mode = TraceMode::kOtlp, .level = TraceLevel::kTimestamps, .rate = 0});
  EXPECT_EQ(Traced(10), 0);
  EXPECT_EQ(Traced(1, "m", kParent), 1);
  const TraceRecord& record = Records().at(0);
  EXPECT_EQ(record.trace[0], 0x0a);
  EXPECT_EQ(record.trace[15], 0x9c);
  EXPECT_EQ(record.parent_span[0], 0xb7);
  EXPECT_EQ(record.parent_span[7], 0x31);
  EXPECT_NE(record.request_span, record.model_span);
}

TEST_F(TracerTest, WithoutAFileNothingCanBeTraced) {
  tracer_ =
      std::make_unique<Tracer>(TraceOptions{}, clock_, std::make_unique<KeepingExporter>(kept_), CountersIn(registry_));
  EXPECT_THAT(Change("", "trace_level", Values{"TIMESTAMPS"}).message(), HasSubstr("without a trace file"));
  EXPECT_THAT(Change("m", "trace_level", Values{"TIMESTAMPS"}).message(), HasSubstr("without a trace file"));
}

TEST_F(TracerTest, TracesOutliveIt) {
  Start({.level = TraceLevel::kTimestamps, .rate = 1});
  auto trace = tracer_->Begin(Subject("m"));
  EXPECT_THAT(Records(), SizeIs(0));
  trace.reset();
  EXPECT_THAT(kept_.records, SizeIs(1));
}

}  // namespace
}  // namespace inferd::tracing
