#include <sys/socket.h>

#include <array>
#include <cstring>

#include "serving/worker/control/call_message.h"
#include "tests/support/hostile_worker/behaviours.h"

namespace inferd::support {

namespace {

using worker::CallOrder;
using worker::EncodeServerOrder;
using worker::ServerOrder;

void Ask(const PlacedExecution& placed, ServerOrder order) {
  SendBytes(placed.calls, Framed(EncodeServerOrder(order)));
}

// Until the server takes no more, which is forever.
void AskWithoutEnd(const PlacedExecution& placed, std::string_view message) {
  for (const std::string framed = Framed(message);;) SendBytes(placed.calls, framed);
}

std::string Ready(uint64_t number) {
  return EncodeServerOrder({.number = number, .order = worker::ReadyOrder{.model = "m", .version = "1"}});
}

std::string Load(uint64_t number, size_t bytes) {
  core::LoadCall call{.model = "m"};
  call.files.emplace_back("f", std::string(bytes, 'x'));
  return EncodeServerOrder({.number = number, .order = std::move(call)});
}

std::string Metric(uint64_t number, const std::string& name) {
  return EncodeServerOrder({.number = number, .order = worker::OpenMetricOrder{.spec = {.name = name}}});
}

CallOrder Call(const PlacedExecution& placed, uint32_t execution) {
  CallOrder order;
  order.request = std::make_unique<core::InferRequest>();
  order.origin.channel = placed.channel;
  order.origin.execution = execution;
  order.request->model_name = "m";
  core::InferTensor& input = order.request->inputs.emplace_back();
  input.name = "x";
  input.datatype = tensor::DataType::kUint8;
  input.shape = {4};
  input.data = base::BufferSlice(base::Buffer::CopyOf("four"));
  return order;
}

// A message and two descriptors, which nobody asked for.
void SendDescriptors(int socket, std::string_view bytes) {
  iovec part = {.iov_base = const_cast<char*>(bytes.data()), .iov_len = bytes.size()};
  const int two[2] = {0, 0};
  alignas(cmsghdr) char space[CMSG_SPACE(sizeof(two))] = {};
  msghdr header = {};
  header.msg_iov = &part;
  header.msg_iovlen = 1;
  header.msg_control = space;
  header.msg_controllen = sizeof(space);
  cmsghdr* const control = CMSG_FIRSTHDR(&header);
  control->cmsg_level = SOL_SOCKET;
  control->cmsg_type = SCM_RIGHTS;
  control->cmsg_len = CMSG_LEN(sizeof(two));
  std::memcpy(CMSG_DATA(control), two, sizeof(two));
  static_cast<void>(::sendmsg(socket, &header, MSG_NOSIGNAL));
}

constexpr std::array kCalls = std::to_array<ExecutionBehaviour>({
    {"junk", [](const auto& placed) { SendBytes(placed.calls, std::string(16, '\xff')); }},
    {"an_empty_message", [](const auto& placed) { SendBytes(placed.calls, Framed("")); }},
    {"a_message_of_zeros_that_is_too_long",
     [](const auto& placed) { SendBytes(placed.calls, Framed(std::string(64, '\0'))); }},
    {"a_message_above_the_limit",
     [](const auto& placed) {
       const uint64_t size = (64 << 20) + 1;
       SendBytes(placed.calls, {reinterpret_cast<const char*>(&size), sizeof(size)});
     }},
    {"a_kind_that_there_is_not",
     [](const auto& placed) {
       std::string text = Ready(1);
       text[8] = 99;
       SendBytes(placed.calls, Framed(text));
     }},
    {"half_of_an_order",
     [](const auto& placed) { SendBytes(placed.calls, Framed(Ready(1).substr(0, 10))); }},
    {"an_order_with_bytes_behind", [](const auto& placed) { SendBytes(placed.calls, Framed(Ready(1) + "x")); }},
    {"a_text_beyond_the_end",
     [](const auto& placed) {
       std::string text = Ready(1);
       text[12] = '\x7f';
       SendBytes(placed.calls, Framed(text));
     }},
    {"silent_a_size_alone",
     [](const auto& placed) {
       const uint64_t size = 64 << 20;
       SendBytes(placed.calls, {reinterpret_cast<const char*>(&size), sizeof(size)});
     }},
    {"silent_questions_without_end", [](const auto& placed) { AskWithoutEnd(placed, Ready(1)); }},
    {"silent_loads_of_megabytes_without_end", [](const auto& placed) { AskWithoutEnd(placed, Load(1, 4 << 20)); }},
    {"silent_the_same_metric_without_end", [](const auto& placed) { AskWithoutEnd(placed, Metric(1, "m")); }},
    {"silent_metrics_without_end",
     [](const auto& placed) {
       for (uint64_t i = 1;; ++i) SendBytes(placed.calls, Framed(Metric(i, "m" + std::to_string(i))));
     }},
    {"silent_calls_without_end",
     [](const auto& placed) { AskWithoutEnd(placed, EncodeServerOrder({.number = 1, .order = Call(placed, 1)})); }},
    {"well_a_call_in_no_execution",
     [](const auto& placed) {
       Ask(placed, {.number = 1, .order = Call(placed, 12345)});
       AnswerWell(placed);
     }},
    {"well_a_call_in_no_channel",
     [](const auto& placed) {
       CallOrder order = Call(placed, 1);
       order.origin.channel = UINT64_MAX;
       Ask(placed, {.number = 1, .order = std::move(order)});
       AnswerWell(placed);
     }},
    {"well_a_call_for_another_request",
     [](const auto& placed) {
       CallOrder order = Call(placed, 1);
       order.origin.request = 12345;
       Ask(placed, {.number = 1, .order = std::move(order)});
       AnswerWell(placed);
     }},
    {"well_a_call_whose_input_lies_about_its_shape",
     [](const auto& placed) {
       CallOrder order = Call(placed, 1);
       order.request->inputs[0].shape = {INT64_MAX, INT64_MAX};
       Ask(placed, {.number = 1, .order = std::move(order)});
       AnswerWell(placed);
     }},
    {"well_calls_of_the_same_number",
     [](const auto& placed) {
       for (int i = 0; i < 100; ++i) Ask(placed, {.number = 1, .order = Call(placed, 1)});
       AnswerWell(placed);
     }},
    {"well_cancels_what_it_has_not_asked",
     [](const auto& placed) {
       for (uint64_t i = 0; i < 1000; ++i) {
         Ask(placed, {.number = i, .order = worker::CancelOrder()});
         Ask(placed, {.number = i, .order = worker::TakenOrder()});
         Ask(placed, {.number = i, .order = worker::CloseMetricOrder()});
       }
       AnswerWell(placed);
     }},
    {"well_descriptors_with_each_question",
     [](const auto& placed) {
       for (uint64_t i = 0; i < 100; ++i) SendDescriptors(placed.calls, Framed(Ready(i)));
       AnswerWell(placed);
     }},
    {"well_the_socket_is_closed",
     [](const auto& placed) {
       ::shutdown(placed.calls, SHUT_RDWR);
       AnswerWell(placed);
     }},
});

}  // namespace

std::span<const ExecutionBehaviour> CallBehaviours() { return kCalls; }

}  // namespace inferd::support
