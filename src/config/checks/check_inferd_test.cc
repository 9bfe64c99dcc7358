#include "config/checks/problems_fixture.h"

namespace inferd::config {
namespace {

class CheckInferdOptionsTest : public ProblemTest {};

TEST_P(CheckInferdOptionsTest, IsFound) { ExpectJustThat(); }

constexpr ProblemCase kModes[] = {
    {"max_batch_size: 0\ninferd { batching: AUTO }", "3: inferd.batching: AUTO needs a max_batch_size above 0 for M"},
    {"inferd {\n latency_objective_us: 5000 }",
     "3: inferd.latency_objective_us: latency_objective_us needs batching: AUTO, which aims at it, for M"},
    {"max_batch_size: 0\ninferd { split_large_requests: true }",
     "3: inferd.split_large_requests: split_large_requests needs a max_batch_size above 0 for M"},
    {"max_batch_size: 2 inferd { split_large_requests: true }\n"
     "batch_output { target_name: \"o\" source_input: \"a\" }",
     "2: inferd.split_large_requests: split_large_requests cannot join what batch_output gives for M"},
    {"dynamic_batching { default_queue_policy { } }\ninferd { queue_policy { max_queue_size: 1 } }",
     "3: inferd.queue_policy: dynamic_batching has a default_queue_policy, only one can hold for M"},
    {"max_batch_size: 4 dynamic_batching { max_queue_delay_microseconds: 100 }\n"
     "inferd { batching: AUTO latency_objective_us: 5000 }",
     nullptr},
    {"dynamic_batching { }\ninferd { batching: OFF queue_policy { max_queue_size: 1 } side_effect_free: true }",
     nullptr},
};
constexpr ProblemCase kBatchPadding[] = {
    {"inferd { batch_padding { } }",
     "2: inferd.batch_padding: batch_padding must specify 'allowed_sizes' or 'to_largest_shape' for M"},
    {"inferd { batch_padding { to_largest_shape: true } }", nullptr},
    {"max_batch_size: 0\ninferd { batch_padding { to_largest_shape: true } }",
     "3: inferd.batch_padding: batch_padding needs a max_batch_size above 0 for M"},
    {"inferd { batch_padding { to_largest_shape: true }\npadding { input: \"x\" buckets: 4 } }\n"
     "input { name: \"x\" data_type: TYPE_INT8 dims: [ -1 ] }",
     "2: inferd.batch_padding.to_largest_shape: to_largest_shape cannot go with padding for M"},
    {"inferd { batch_padding {\n allowed_sizes: [ 2, 2 ] } }",
     "3: inferd.batch_padding.allowed_sizes: allowed_sizes must be above 0 and ascending for M"},
    {"inferd { batch_padding { allowed_sizes: 0 } }",
     "2: inferd.batch_padding.allowed_sizes: allowed_sizes must be above 0 and ascending for M"},
    {"max_batch_size: 0\ninferd { batch_padding { allowed_sizes: 2 } }",
     "3: inferd.batch_padding.allowed_sizes: batch_padding needs a max_batch_size above 0 for M"},
    {"max_batch_size: 4\ninferd { batch_padding { allowed_sizes: [ 4, 5 ] } }",
     "3: inferd.batch_padding.allowed_sizes: allowed_sizes must be <= max_batch_size for M"},
    {"max_batch_size: 2 inferd { batch_padding { allowed_sizes: 2 } }\n"
     "batch_output { target_name: \"o\" source_input: \"a\" }",
     "2: inferd.batch_padding: batch_padding cannot go with ragged inputs, batch_input or batch_output for M"},
    {"max_batch_size: 4 inferd { batch_padding { allowed_sizes: [ 1, 4 ] } }", nullptr},
};
constexpr ProblemCase kConcurrency[] = {
    {"inferd { concurrency { } }", "2: inferd.concurrency: concurrency must specify 'max' for M"},
    {"inferd { concurrency { max: 2\n min: 3 } }", "3: inferd.concurrency.min: concurrency min must be <= max for M"},
    {"inferd { concurrency { min: 2 max: 2 } }", nullptr},
};
constexpr ProblemCase kLabels[] = {
    {"inferd { version_labels { key: \"\" value: 1 } }", "2: inferd.version_labels: a label must have a name for M"},
    {"inferd {\n version_labels { key: \"stable\" value: -1 } }",
     "3: inferd.version_labels: label 'stable' must name a version of 0 or more, got -1 for M"},
    {"inferd { version_labels { key: \"stable\" value: 1 } version_labels { key: \"canary\" value: 0 } }", nullptr},
};
constexpr ProblemCase kIsolation[] = {
    {"inferd { isolation: NONE\n worker { } }",
     "3: inferd.worker: worker needs isolation: PROCESS or ENGINE_PROCESS for M"},
    {"inferd { isolation: PROCESS worker {\n hang_timeout_ms: 86400001 } }",
     "3: inferd.worker.hang_timeout_ms: hang_timeout_ms must be <= 86400000, got 86400001 for M"},
    {"inferd { isolation: PROCESS worker {\n shared_memory_bytes: 65535 } }",
     "3: inferd.worker.shared_memory_bytes: shared_memory_bytes must be from 65536 to 1099511627776, got 65535 for M"},
    {"inferd { isolation: PROCESS worker {\n body_memory_bytes: 1099511627777 } }",
     "3: inferd.worker.body_memory_bytes: body_memory_bytes must be from 65536 to 1099511627776, got 1099511627777 for "
     "M"},
    {"inferd { isolation: process worker { hang_timeout_ms: 1 shared_memory_bytes: 65536 body_memory_bytes: 65536 } }",
     nullptr},
    {"inferd { isolation: ENGINE_PROCESS worker { hang_timeout_ms: 1 } }", nullptr},
    {"inferd { isolation: engine_process }", nullptr},
};
constexpr ProblemCase kMemory[] = {
    {"inferd {\n memory_bytes: 1125899906842625 }",
     "3: inferd.memory_bytes: memory_bytes must be <= 1125899906842624, got 1125899906842625 for M"},
    {"inferd { pinned: true memory_bytes: 1125899906842624 }", nullptr},
    {"inferd {\n gpu_memory_bytes: 1125899906842625 }",
     "3: inferd.gpu_memory_bytes: gpu_memory_bytes must be <= 1125899906842624, got 1125899906842625 for M"},
};
INSTANTIATE_TEST_SUITE_P(Memory, CheckInferdOptionsTest, ::testing::ValuesIn(kMemory));
INSTANTIATE_TEST_SUITE_P(Isolation, CheckInferdOptionsTest, ::testing::ValuesIn(kIsolation));
INSTANTIATE_TEST_SUITE_P(BatchPadding, CheckInferdOptionsTest, ::testing::ValuesIn(kBatchPadding));
INSTANTIATE_TEST_SUITE_P(Modes, CheckInferdOptionsTest, ::testing::ValuesIn(kModes));
INSTANTIATE_TEST_SUITE_P(Concurrency, CheckInferdOptionsTest, ::testing::ValuesIn(kConcurrency));
INSTANTIATE_TEST_SUITE_P(Labels, CheckInferdOptionsTest, ::testing::ValuesIn(kLabels));

// A load call may have any number for an enumeration.
TEST(CheckInferdOptionsJsonTest, UnknownNumbersAreNoModes) {
  const auto config = ModelConfigFromJson(
      R"({"name":"M","backend":"b","inferd":{"batching":7,"inline_execution":8,"isolation":9,"version_transition":5}})");
  ASSERT_TRUE(config.has_value()) << config.error().ToString();
  std::vector<std::string> found;
  for (const Problem& problem : FindProblems(*config->document, "M")) found.push_back(problem.ToString());
  EXPECT_THAT(found, ::testing::ElementsAre("inferd.batching: unknown batching mode 7",
                                            "inferd.inline_execution: unknown inline execution 8",
                                            "inferd.isolation: unknown isolation 9",
                                            "inferd.version_transition: unknown transition 5"));
}

TEST(CheckInferdOptionsJsonTest, WorkersOfThePythonEngineHangWithoutIsolation) {
  const auto problems = [](const char* worker, std::string_view engine) {
    const auto config = ParseModelConfig(
        "name: \"M\" backend: \"b\" inferd { isolation: NONE worker { " + std::string(worker) + " } }", "c.pbtxt");
    return FindProblems(*config->document, "M", engine).size();
  };
  EXPECT_EQ(problems("hang_timeout_ms: 5", "python"), 0u);
  EXPECT_EQ(problems("hang_timeout_ms: 5 shared_memory_bytes: 65536", "python"), 1u);
  EXPECT_EQ(problems("hang_timeout_ms: 5", "fake"), 1u);
}

}  // namespace
}  // namespace inferd::config
