#include "engines/kit/batch_answer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace inferd::kit {
namespace {

std::vector<uint32_t> indices;  // of the last response

void Respond(const inferd_batch*, size_t request, const inferd_response* response) {
  EXPECT_EQ(request, INFERD_ALL_REQUESTS);
  EXPECT_EQ(response->final, 1);
  EXPECT_EQ(response->code, INFERD_OK);
  indices.clear();
  for (size_t i = 0; i < response->output_count; ++i) indices.push_back(response->outputs[i]->index);
}

TEST(BatchAnswerTest, OneResponseForEachBatch) {
  inferd_host host = {};
  host.respond = Respond;
  BatchAnswer answer;
  answer.Reserve(3);
  for (const uint32_t index : {0U, 2U, 5U}) answer.Add().index = index;
  EXPECT_EQ(answer[1].index, 2u);
  EXPECT_EQ(answer[1].struct_size, sizeof(inferd_output));
  answer.Send(host, {});
  EXPECT_THAT(indices, ::testing::ElementsAre(0, 2, 5));
  answer.Clear();
  answer.Add().index = 1;
  EXPECT_EQ(answer[0].release, nullptr);
  answer.Send(host, {});
  EXPECT_THAT(indices, ::testing::ElementsAre(1));
}

}  // namespace
}  // namespace inferd::kit
