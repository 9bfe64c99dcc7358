// A worker runs a user's code, which can send anything: then the worker ends, and not the server.

#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engines/python/message/model_call_reader.h"
#include "engines/python/message/outbox.h"
#include "engines/python/message/response_reader.h"
#include "engines/python/message/shared_area.h"
#include "engines/python/worker_asks.h"

namespace inferd::python {
namespace {

// A host that counts the responses. One at a time, since its functions have no context of their own.
struct CountingHost {
  CountingHost() {
    handed_over = 0;
    table.struct_size = sizeof(table);
    table.respond = [](const inferd_batch*, size_t, const inferd_response*) { ++handed_over; };
  }

  inline static int handed_over = 0;
  inferd_host table = {};
};

struct Place {
  int64_t datatype = INFERD_TYPE_UINT8;
  uint64_t offset = 0;
  uint64_t size = 0;
};

void AddPlaced(MarshalWriter& message, const Place& place) {
  message.Int(place.datatype);
  message.Tuple(1);
  message.Uint(place.size);
  message.Uint(place.offset);
  message.Uint(place.size);
}

// Adds a final, successful response to the only request, with these outputs.
void AddResponse(MarshalWriter& message, const std::vector<Place>& outputs) {
  message.Tuple(7);
  message.Int(0);
  message.Bool(true);
  message.Int(INFERD_OK);
  message.Text("");
  message.Tuple(outputs.size());
  for (const Place& output : outputs) {
    message.Tuple(5);
    message.Int(0);
    AddPlaced(message, output);
  }
  message.Tuple(0);
  message.Bool(false);
}

base::Status Send(const CountingHost& host, TensorMemory& memory, const std::vector<Place>& outputs) {
  inferd_batch batch = {};
  batch.struct_size = sizeof(batch);
  batch.request_count = 1;
  MarshalWriter message;
  AddResponse(message, outputs);
  const auto value = ReadMarshal(message.bytes());
  if (!value.has_value()) return value.error();
  const auto sent = SendResponse(host.table, batch, *value, memory);
  return sent.has_value() ? base::OkStatus() : sent.error();
}

TEST(HostileWorkerTest, OutputsLieApart) {
  CountingHost host;
  const std::array<std::byte, 8> bytes{};
  TensorMemory memory(bytes);
  EXPECT_TRUE(Send(host, memory, {{.size = 2}, {.offset = 4, .size = 4}}).ok());
  EXPECT_TRUE(Send(host, memory, {{.offset = 8}, {.offset = 2, .size = 2}}).ok()) << "another response of the message";
  EXPECT_EQ(Send(host, memory, {{.size = 1}}).code(), base::StatusCode::kInternal) << "it is used up";
  // Each range is inside the memory, but each would be copied.
  TensorMemory again(bytes);
  EXPECT_EQ(Send(host, again, std::vector<Place>(1000, {.size = 8})).code(), base::StatusCode::kInternal);
  EXPECT_EQ(CountingHost::handed_over, 2);
}

TEST(HostileWorkerTest, OutputsAreInTheMemory) {
  CountingHost host;
  const std::array<std::byte, 8> bytes{};
  constexpr uint64_t kMax = std::numeric_limits<int64_t>::max();
  for (const Place& place : std::vector<Place>{{.offset = 9},
                                               {.size = 9},
                                               {.offset = 4, .size = 5},
                                               {.offset = kMax, .size = kMax},
                                               {.offset = 1, .size = kMax},
                                               // Cut to 32 bits, this would be UINT8.
                                               {.datatype = (int64_t{1} << 32) + INFERD_TYPE_UINT8},
                                               {.datatype = -1},
                                               {.datatype = INFERD_TYPE_QINT32 + 1}}) {
    TensorMemory memory(bytes);
    EXPECT_EQ(Send(host, memory, {place}).code(), base::StatusCode::kInternal) << place.offset << ' ' << place.size;
  }
  EXPECT_EQ(CountingHost::handed_over, 0);
}

MarshalWriter CallMessage(const std::vector<Place>& inputs, const std::function<void(MarshalWriter&)>& add_sequence) {
  MarshalWriter message;
  message.Tuple(11);
  message.Text("model");
  message.Int(-1);
  message.Text("id");
  message.Tuple(inputs.size());
  for (const Place& input : inputs) {
    message.Tuple(5);
    message.Text("x");
    AddPlaced(message, input);
  }
  message.Tuple(0);
  add_sequence(message);
  message.Int(1);
  message.Tuple(0);
  message.Int(0);
  message.Int(0);
  message.Bool(false);
  return message;
}

TEST(HostileWorkerTest, InputsOfACallLieApart) {
  const std::array<std::byte, 8> bytes{};
  const auto reads = [&bytes](const std::vector<Place>& inputs) {
    const auto value = ReadMarshal(CallMessage(inputs, [](MarshalWriter& message) { message.Int(0); }).bytes());
    ItemReader items(*value);
    return ModelCallReader().Read(items, TensorMemory(bytes));
  };
  EXPECT_TRUE(reads({{.size = 4}, {.offset = 4, .size = 4}}));
  EXPECT_FALSE(reads({{.size = 8}, {.size = 8}}));
}

TEST(HostileWorkerTest, SequencesOfCallsAreNumbersOf64Bits) {
  const auto number = [](const std::function<void(MarshalWriter&)>& add) -> std::optional<uint64_t> {
    const auto value = ReadMarshal(CallMessage({}, add).bytes());
    ItemReader items(*value);
    ModelCallReader reader;
    if (!reader.Read(items, TensorMemory({}))) return std::nullopt;
    return reader.call()->sequence == nullptr ? 0 : reader.call()->sequence->number;
  };
  constexpr uint64_t kMax = std::numeric_limits<uint64_t>::max();
  EXPECT_EQ(number([](MarshalWriter& message) { message.Uint(5); }), 5U);
  EXPECT_EQ(number([](MarshalWriter& message) { message.Uint(kMax); }), kMax);
  EXPECT_EQ(number([](MarshalWriter& message) { message.Int(-1); }), std::nullopt);
}

// State is kept for each call until the worker has used its replies, and a worker may never confirm that.
TEST(HostileWorkerTest, CallsThatAreNotUsedAreLimited) {
  inferd_host host = {};
  host.struct_size = sizeof(host);
  host.call_model = [](const inferd_host*, const inferd_batch*, size_t, const inferd_model_call*,
                       void (*respond)(void*, const inferd_call_response*), void* arg, uint64_t*) {
    inferd_call_response response = {};
    response.struct_size = sizeof(response);
    response.submitted = response.final = 1;
    respond(arg, &response);
  };
  inferd_batch batch = {};
  batch.struct_size = sizeof(batch);
  batch.request_count = 1;
  auto area = SharedArea::Create("inferd-test");
  ASSERT_TRUE(area.has_value()) << area.error().message();
  const std::shared_ptr<Outbox> outbox = *Outbox::Create();
  const auto asks = std::make_shared<WorkerAsks>(host, std::make_shared<InputBlocks>(*std::move(area)), outbox,
                                                 [&batch](uint64_t) { return &batch; });
  Value ask = *ReadMarshal(CallMessage({}, [](MarshalWriter& message) { message.Int(0); }).bytes());
  auto& items = std::get<Value::Items>(ask.of);
  const Value::Items head = {Value{"ask"}, Value{int64_t{0}}, Value{"call"}, Value{int64_t{1}}, Value{int64_t{0}}};
  items.insert(items.begin(), head.begin(), head.end());
  const auto code_of = [&](size_t number) -> int64_t {
    items[1] = Value{static_cast<int64_t>(number)};
    EXPECT_TRUE(asks->Take(items, {}).ok());
    const auto replies = outbox->TakeAll();
    const auto reply = ReadMarshal(replies.at(0).message.bytes());
    return *reply->items()->at(2).number();
  };
  for (size_t i = 0; i < WorkerAsks::kCallsMax; ++i) ASSERT_EQ(code_of(i), INFERD_OK) << i;
  EXPECT_EQ(code_of(WorkerAsks::kCallsMax), INFERD_RESOURCE_EXHAUSTED);
  EXPECT_TRUE(asks->Take({Value{"used"}, Value{int64_t{7}}}, {}).ok());
  EXPECT_EQ(code_of(WorkerAsks::kCallsMax), INFERD_OK);
}

// The files of a load are kept until the load has ended.
TEST(HostileWorkerTest, LoadsThatAreUnderWayHaveALimitOfBytes) {
  constexpr size_t kLoads = 4;
  const std::string file(size_t{10} << 20, 'x');
  inferd_host host = {};
  host.struct_size = sizeof(host);
  static std::vector<std::pair<void (*)(void*, int32_t, inferd_text), void*>> begun;
  host.control_model = [](const inferd_host*, const inferd_model_control*, void (*done)(void*, int32_t, inferd_text),
                          void* arg) { begun.emplace_back(done, arg); };
  auto area = SharedArea::Create("inferd-test");
  ASSERT_TRUE(area.has_value()) << area.error().message();
  const std::shared_ptr<Outbox> outbox = *Outbox::Create();
  const auto asks = std::make_shared<WorkerAsks>(host, std::make_shared<InputBlocks>(*std::move(area)), outbox,
                                                 [](uint64_t) { return nullptr; });
  for (size_t i = 0; i < kLoads; ++i) {
    const Value pair{Value::Items{Value{"f"}, Value{file}}};
    const Value::Items ask = {Value{"ask"}, Value{static_cast<int64_t>(i)}, Value{"load"}, Value{"m"},
                              Value{"{}"},  Value{Value::Items{pair}}};
    EXPECT_TRUE(asks->Take(ask, {}).ok());
  }
  EXPECT_EQ(begun.size(), 3u);
  const auto replies = outbox->TakeAll();
  EXPECT_EQ(replies.size(), kLoads - begun.size());
  for (const auto& reply : replies) {
    const auto message = ReadMarshal(reply.message.bytes());
    EXPECT_EQ(*message->items()->at(2).number(), INFERD_RESOURCE_EXHAUSTED);
  }
  for (const auto& [done, arg] : begun) done(arg, INFERD_OK, {"", 0});
}

}  // namespace
}  // namespace inferd::python
