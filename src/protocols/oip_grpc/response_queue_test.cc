#include "protocols/oip_grpc/response_queue.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <random>
#include <string>
#include <vector>

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

TEST(ResponseQueueTest, UnorderedRequestsNeitherWaitNorHoldOthers) {
  ResponseQueue queue;
  const uint64_t a = queue.OpenRequest();
  const uint64_t b = queue.MakeUnordered(queue.OpenRequest());
  const uint64_t c = queue.OpenRequest();
  const uint64_t d = queue.MakeUnordered(queue.OpenRequest());
  EXPECT_EQ(queue.requests(), 4u);
  EXPECT_FALSE(queue.ready());
  queue.Put(b, queue.OpenResponse(b), Response("b1"));
  EXPECT_TRUE(queue.ready());
  Answer(queue, c, "c");
  Answer(queue, d, "d");
  EXPECT_EQ(Next(queue), "b1");
  EXPECT_EQ(Next(queue), "d");
  EXPECT_EQ(Next(queue), "none");
  EXPECT_EQ(queue.requests(), 3u);
  Answer(queue, a, "a");
  EXPECT_EQ(Next(queue), "a");
  EXPECT_EQ(Next(queue), "c");
  EXPECT_EQ(queue.requests(), 1u);
  queue.CloseRequest(b);
  EXPECT_EQ(queue.requests(), 0u);
}

TEST(ResponseQueueTest, UnorderedResponsesLeaveAsTheyWereOpened) {
  ResponseQueue queue;
  const uint64_t a = queue.MakeUnordered(queue.OpenRequest());
  const uint64_t b = queue.MakeUnordered(queue.OpenRequest());
  const uint64_t first = queue.OpenResponse(a);
  queue.CloseRequest(a);
  const uint64_t second = queue.OpenResponse(b);
  queue.CloseRequest(b);
  queue.Put(b, second, Response("b"));
  EXPECT_EQ(Next(queue), "none");
  EXPECT_EQ(queue.requests(), 2u);
  queue.Put(a, first, Response("a"));
  EXPECT_EQ(Next(queue), "a");
  EXPECT_EQ(queue.requests(), 1u);
  EXPECT_EQ(Next(queue), "b");
  EXPECT_EQ(queue.requests(), 0u);
}

TEST(ResponseQueueTest, OrderedAndUnorderedResponsesTakeTurns) {
  ResponseQueue queue;
  const uint64_t a = queue.OpenRequest();
  const uint64_t b = queue.MakeUnordered(queue.OpenRequest());
  for (const char* text : {"a1", "a2", "a3"}) queue.Put(a, queue.OpenResponse(a), Response(text));
  for (const char* text : {"b1", "b2"}) queue.Put(b, queue.OpenResponse(b), Response(text));
  for (const char* text : {"a1", "b1", "a2", "b2", "a3", "none"}) EXPECT_EQ(Next(queue), text);
}

TEST(ResponseQueueTest, ARequestLeavesTheOrderWhereverItStands) {
  ResponseQueue queue;
  const uint64_t a = queue.OpenRequest();
  const uint64_t b = queue.OpenRequest();
  const uint64_t c = queue.OpenRequest();
  const uint64_t d = queue.OpenRequest();
  Answer(queue, d, "d");
  const uint64_t moved = queue.MakeUnordered(b);  // in the middle
  EXPECT_EQ(queue.requests(), 4u);
  Answer(queue, c, "c");
  queue.CloseRequest(queue.MakeUnordered(a));  // in front
  EXPECT_EQ(Next(queue), "c");
  EXPECT_EQ(Next(queue), "d");
  EXPECT_EQ(queue.requests(), 1u);
  Answer(queue, moved, "b");
  EXPECT_EQ(Next(queue), "b");
  EXPECT_EQ(queue.requests(), 0u);
  // From the back, together with one that left before.
  const uint64_t e = queue.OpenRequest();
  const uint64_t f = queue.OpenRequest();
  const uint64_t g = queue.OpenRequest();
  for (const uint64_t request : {f, g}) queue.CloseRequest(queue.MakeUnordered(request));
  EXPECT_EQ(queue.requests(), 1u);
  const uint64_t h = queue.OpenRequest();
  Answer(queue, h, "h");
  Answer(queue, e, "e");
  EXPECT_EQ(Next(queue), "e");
  EXPECT_EQ(Next(queue), "h");
  EXPECT_EQ(queue.requests(), 0u);
}

// Random requests of both kinds. A response's text is "<request>.<place>", of ordered requests with an "o" in front.
TEST(ResponseQueueTest, AnyMixOfRequestsKeepsTheOrders) {
  struct Open {
    uint64_t number = 0;
    std::vector<uint64_t> unready;  // places without a response
    int responses = 0;
    bool ordered = true;
    bool closed = false;
  };
  std::mt19937 random(7);
  const auto one_in = [&random](unsigned n) { return random() % n == 0; };
  for (int round = 0; round < 60; ++round) {
    ResponseQueue queue;
    std::vector<Open> requests;
    std::map<size_t, std::map<uint64_t, int>> places;  // by request: the place's index
    std::vector<int> sent(40);
    size_t last_ordered = 0;
    const auto take = [&] {
      while (const auto next = queue.Next()) {
        const std::string text(next->message[0].view());
        const size_t request = std::stoul(text.substr(1));
        EXPECT_EQ(std::stoi(text.substr(text.find('.') + 1)), sent[request]++);
        if (text[0] != 'o') continue;
        EXPECT_GE(request, last_ordered);
        last_ordered = request;
      }
    };
    const auto put = [&](size_t i) {
      Open& open = requests[i];
      const size_t which = random() % open.unready.size();
      const uint64_t place = open.unready[which];
      open.unready.erase(open.unready.begin() + static_cast<std::ptrdiff_t>(which));
      queue.Put(open.number, place,
                Response((open.ordered ? "o" : "u") + std::to_string(i) + "." + std::to_string(places[i][place])));
    };
    bool more = true;
    while (more) {
      if (requests.size() < sent.size() && one_in(3))
        requests.push_back({.number = queue.OpenRequest(), .unready = {}});
      if (one_in(4)) take();
      more = requests.size() < sent.size();
      for (size_t i = 0; i < requests.size(); ++i) {
        Open& open = requests[i];
        more = more || !open.closed || !open.unready.empty();
        if (one_in(2)) continue;
        if (!open.closed && open.ordered && open.responses == 0 && one_in(4)) {
          open.number = queue.MakeUnordered(open.number);
          open.ordered = false;
        } else if (!open.closed && one_in(2)) {
          const uint64_t place = queue.OpenResponse(open.number);
          places[i][place] = open.responses++;
          open.unready.push_back(place);
        } else if (!open.closed && one_in(3)) {
          queue.CloseRequest(open.number);
          open.closed = true;
        } else if (!open.unready.empty()) {
          put(i);
        }
      }
      const auto left = static_cast<size_t>(std::ranges::count_if(requests, [&](const Open& open) {
        return !open.closed || open.responses > sent[static_cast<size_t>(&open - requests.data())];
      }));
      EXPECT_GE(queue.requests(), left);
    }
    take();
    for (size_t i = 0; i < requests.size(); ++i) EXPECT_EQ(sent[i], requests[i].responses) << i;
    EXPECT_EQ(queue.requests(), 0u);
  }
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
