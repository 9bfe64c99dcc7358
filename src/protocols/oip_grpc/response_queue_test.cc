#include "protocols/oip_grpc/response_queue.h"

#include <gtest/gtest.h>

#include <string>

namespace inferd::oip_grpc {
namespace {

StreamResponse Response(std::string_view text) {
  StreamResponse response;
  response.message.emplace_back(base::Buffer::CopyOf(text));
  return response;
}

// Returns the result of Next(): a message's text, an error's, or "none".
std::string Next(ResponseQueue& queue) {
  const auto next = queue.Next();
  if (!next.has_value()) return "none";
  return next->status.ok() ? std::string(next->message[0].view()) : next->status.message();
}

void Answer(ResponseQueue& queue, uint64_t request, std::string_view text) {
  queue.Put(request, queue.OpenResponse(request), Response(text));
  queue.CloseRequest(request);
}

TEST(ResponseQueueTest, RequestsLeaveInTheOrderInWhichTheyCame) {
  ResponseQueue queue;
  const uint64_t a = queue.OpenRequest();
  const uint64_t b = queue.OpenRequest();
  const uint64_t c = queue.OpenRequest();
  Answer(queue, c, "c");
  EXPECT_EQ(Next(queue), "none");
  Answer(queue, a, "a");
  EXPECT_EQ(Next(queue), "a");
  EXPECT_EQ(Next(queue), "none");
  EXPECT_EQ(queue.requests(), 2u);
  Answer(queue, b, "b");
  EXPECT_EQ(Next(queue), "b");
  EXPECT_EQ(Next(queue), "c");
  EXPECT_EQ(Next(queue), "none");
  EXPECT_EQ(queue.requests(), 0u);
}

TEST(ResponseQueueTest, ARequestsResponsesLeaveInTheirOrderAsTheyBecomeReady) {
  ResponseQueue queue;
  const uint64_t a = queue.OpenRequest();
  const uint64_t b = queue.OpenRequest();
  Answer(queue, b, "b");
  const uint64_t first = queue.OpenResponse(a);
  const uint64_t second = queue.OpenResponse(a);
  queue.Put(a, second, Response("a2"));
  EXPECT_EQ(Next(queue), "none");
  queue.Put(a, first, Response("a1"));
  EXPECT_EQ(Next(queue), "a1");
  EXPECT_EQ(Next(queue), "a2");
  EXPECT_EQ(Next(queue), "none") << "the request is open";
  const uint64_t third = queue.OpenResponse(a);
  queue.CloseRequest(a);
  EXPECT_EQ(Next(queue), "none") << "a response is not ready";
  queue.Put(a, third, Response("a3"));
  EXPECT_EQ(Next(queue), "a3");
  EXPECT_EQ(Next(queue), "b");
}

TEST(ResponseQueueTest, RequestsWithoutAResponseHoldUpNobody) {
  ResponseQueue queue;
  const uint64_t a = queue.OpenRequest();
  const uint64_t b = queue.OpenRequest();
  Answer(queue, b, "b");
  queue.CloseRequest(a);
  EXPECT_EQ(queue.requests(), 1u);
  EXPECT_EQ(Next(queue), "b");
  queue.CloseRequest(queue.OpenRequest());
  EXPECT_EQ(queue.requests(), 0u);
}

TEST(ResponseQueueTest, ErrorsKeepTheirPlace) {
  ResponseQueue queue;
  const uint64_t a = queue.OpenRequest();
  const uint64_t b = queue.OpenRequest();
  queue.Put(b, queue.OpenResponse(b), {.message = {}, .status = base::NotFound("gone")});
  queue.CloseRequest(b);
  Answer(queue, a, "a");
  EXPECT_EQ(Next(queue), "a");
  EXPECT_EQ(Next(queue), "gone");
}

}  // namespace
}  // namespace inferd::oip_grpc
