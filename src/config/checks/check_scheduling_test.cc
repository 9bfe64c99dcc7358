#include "config/checks/problems_fixture.h"

namespace inferd::config {
namespace {

class CheckSchedulingTest : public ProblemTest {};

// Triton's texts for a dynamic_batching that contradicts itself or the model.
TEST_P(CheckSchedulingTest, IsFound) { ExpectJustThat(); }

constexpr ProblemCase kBatching[] = {
    {"max_batch_size: 4\ndynamic_batching { preferred_batch_size: [0] }",
     "3: dynamic_batching.preferred_batch_size: dynamic batching preferred size must be positive for M"},
    {"max_batch_size: 4\ndynamic_batching { preferred_batch_size: [4, 8] }",
     "3: dynamic_batching.preferred_batch_size: dynamic batching preferred size must be <= max batch size for M"},
    {"dynamic_batching { priority_levels: 2 }",
     "2: dynamic_batching.default_priority_level: default priority level must be in range [1, 2] for M"},
    {"dynamic_batching { priority_levels: 2 default_priority_level: 3 }",
     "2: dynamic_batching.default_priority_level: default priority level must be in range [1, 2] for M"},
    {"dynamic_batching { priority_levels: 2 default_priority_level: 2 priority_queue_policy { key: 3 value { } } }",
     "2: dynamic_batching.priority_queue_policy: priority queue policy must have priority level in range [1, 2] for M"},
    {"dynamic_batching { priority_levels: 2 default_priority_level: 2 preserve_ordering: true }",
     "2: dynamic_batching.priority_levels: Only one priority level is allowed when 'preserve_ordering' is true for M"},
    {"dynamic_batching { preserve_ordering: true default_queue_policy { timeout_action: DELAY } }",
     "2: dynamic_batching.preserve_ordering: Queue policy can not have DELAY as timeout action when "
     "'preserve_ordering' is true "
     "for M"},
    {"dynamic_batching { default_priority_level: 1 }",
     "2: dynamic_batching.default_priority_level: default_priority_level needs 'priority_levels' for M"},
    {"dynamic_batching {\n priority_queue_policy { key: 1 value { } } }",
     "3: dynamic_batching.priority_queue_policy: priority_queue_policy needs 'priority_levels' for M"},
    {"dynamic_batching { preserve_ordering: true }\ninferd { queue_policy { timeout_action: DELAY } }",
     "2: dynamic_batching.preserve_ordering: Queue policy can not have DELAY as timeout action when "
     "'preserve_ordering' is true for M"},
    // The numbers of Triton's tests.
    {"dynamic_batching { priority_levels: 18446744073709551615 default_priority_level: 4294967296 }", nullptr},
    {"max_batch_size: 0 dynamic_batching { }", nullptr},
};
INSTANTIATE_TEST_SUITE_P(Batching, CheckSchedulingTest, ::testing::ValuesIn(kBatching));

}  // namespace
}  // namespace inferd::config
