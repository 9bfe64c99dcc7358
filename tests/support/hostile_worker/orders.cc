#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstring>
#include <thread>

#include "tests/support/hostile_worker/behaviours.h"

namespace inferd::support {

namespace {

using worker::EncodeDescriptions;
using worker::EncodeReply;
using worker::ModelDescription;

constexpr size_t kMb = 1 << 20;

// A size, and no message behind it.
void Announce(int socket, uint64_t size) { SendBytes(socket, {reinterpret_cast<const char*>(&size), sizeof(size)}); }

void Describe(const AskedOrder& order, void (*change)(ModelDescription& description)) {
  std::vector<ModelDescription> descriptions = Descriptions();
  change(descriptions[0]);
  SendBytes(order.socket, Framed(EncodeReply(base::OkStatus(), EncodeDescriptions(descriptions))));
}

void DescribeAs(const AskedOrder& order, std::string_view content) {
  SendBytes(order.socket, Framed(EncodeReply(base::OkStatus(), content)));
}

constexpr std::array kOrders = std::to_array<OrderBehaviour>({
    {"junk", [](const AskedOrder& order) { SendBytes(order.socket, std::string(8, '\xff')); }},
    {"an_empty_message", [](const AskedOrder& order) { Announce(order.socket, 0); }},
    {"a_message_of_zeros", [](const AskedOrder& order) { SendBytes(order.socket, Framed(std::string(64, '\0'))); }},
    {"a_message_of_junk", [](const AskedOrder& order) { SendBytes(order.socket, Framed(std::string(64, '\xff'))); }},
    {"a_message_above_the_limit",
     [](const AskedOrder& order) {
       Announce(order.socket, 16 * kMb + 1);
       for (int i = 0; i < 16; ++i) SendBytes(order.socket, std::string(kMb, 'x'));
     }},
    {"the_longest_message_of_junk",
     [](const AskedOrder& order) { SendBytes(order.socket, Framed(std::string(16 * kMb, 'x'))); }},
    {"a_message_that_is_cut",
     [](const AskedOrder& order) { SendBytes(order.socket, Framed(order.reply.substr(0, order.reply.size() - 1))); }},
    {"a_message_with_bytes_behind",
     [](const AskedOrder& order) { SendBytes(order.socket, Framed(std::string(order.reply) + "x")); }},
    {"half_of_a_size_and_the_end",
     [](const AskedOrder& order) {
       SendBytes(order.socket, Framed(order.reply).substr(0, 3));
       Leave(0);
     }},
    {"half_of_a_message_and_the_end",
     [](const AskedOrder& order) {
       SendBytes(order.socket, Framed(order.reply).substr(0, 12));
       Leave(0);
     }},
    {"half_of_a_message_and_a_closed_socket",
     [](const AskedOrder& order) {
       SendBytes(order.socket, Framed(order.reply).substr(0, 12));
       ::shutdown(order.socket, SHUT_RDWR);
       Stay();
     }},
    {"a_code_that_there_is_not",
     [](const AskedOrder& order) {
       const base::Status unknown(static_cast<base::StatusCode>(99), "x");
       SendBytes(order.socket, Framed(EncodeReply(unknown)));
     }},
    {"an_error_of_megabytes",
     [](const AskedOrder& order) {
       SendBytes(order.socket, Framed(EncodeReply(base::Internal(std::string(8 * kMb, 'x')))));
     }},
    {"an_error", [](const AskedOrder& order) { SendBytes(order.socket, Framed(EncodeReply(base::NotFound("it")))); }},
    {"leaves", [](const AskedOrder&) { Leave(0); }},
    {"leaves_with_an_error", [](const AskedOrder&) { Leave(3); }},
    {"crashes", [](const AskedOrder&) { Crash(); }},
    {"closes_its_socket",
     [](const AskedOrder& order) {
       ::shutdown(order.socket, SHUT_RDWR);
       Stay();
     }},
    {"well_byte_by_byte",
     [](const AskedOrder& order) {
       for (const char byte : Framed(order.reply)) SendBytes(order.socket, {&byte, 1});
     }},
    {"silent_never_replies", [](const AskedOrder&) { Stay(); }},
    {"silent_a_size_alone",
     [](const AskedOrder& order) {
       Announce(order.socket, 16 * kMb);
       Stay();
     }},
    {"silent_drips_without_end",
     [](const AskedOrder& order) {
       Announce(order.socket, 16 * kMb);
       for (;;) {
         SendBytes(order.socket, "x");
         std::this_thread::sleep_for(std::chrono::milliseconds(5));
       }
     }},
    {"silent_stops", [](const AskedOrder&) { ::kill(::getpid(), SIGSTOP); }},
});

constexpr std::array kDescriptions = std::to_array<OrderBehaviour>({
    {"nothing", [](const AskedOrder& order) { DescribeAs(order, ""); }},
    {"no_signature", [](const AskedOrder& order) { DescribeAs(order, std::string(8, '\0')); }},
    {"signatures_without_end", [](const AskedOrder& order) { DescribeAs(order, std::string(64, '\xff')); }},
    {"half",
     [](const AskedOrder& order) {
       const std::string whole = EncodeDescriptions(Descriptions());
       DescribeAs(order, whole.substr(0, whole.size() / 2));
     }},
    {"with_bytes_behind", [](const AskedOrder& order) { DescribeAs(order, EncodeDescriptions(Descriptions()) + "x"); }},
    {"an_alignment_of_3",
     [](const AskedOrder& order) { Describe(order, [](ModelDescription& it) { it.inputs[0].alignment = 3; }); }},
    {"an_alignment_of_gigabytes",
     [](const AskedOrder& order) { Describe(order, [](ModelDescription& it) { it.inputs[0].alignment = 1 << 30; }); }},
    {"a_datatype_that_there_is_not",
     [](const AskedOrder& order) {
       Describe(order,
                [](ModelDescription& it) { it.signature.inputs[0].datatype = static_cast<tensor::DataType>(99); });
     }},
    {"no_datatype",
     [](const AskedOrder& order) {
       Describe(order, [](ModelDescription& it) { it.signature.inputs[0].datatype = tensor::DataType::kInvalid; });
     }},
    {"a_shape_below_zero",
     [](const AskedOrder& order) {
       Describe(order, [](ModelDescription& it) { it.signature.inputs[0].shape = {-2}; });
     }},
    {"executions_without_end",
     [](const AskedOrder& order) {
       Describe(order, [](ModelDescription& it) { it.unfinished_executions_max = 1 << 30; });
     }},
    {"no_execution",
     [](const AskedOrder& order) { Describe(order, [](ModelDescription& it) { it.unfinished_executions_max = 0; }); }},
    {"threads_below_zero",
     [](const AskedOrder& order) { Describe(order, [](ModelDescription& it) { it.compute_threads = -1; }); }},
});

}  // namespace

std::span<const OrderBehaviour> OrderBehaviours() { return kOrders; }
std::span<const OrderBehaviour> DescriptionBehaviours() { return kDescriptions; }

std::vector<ModelDescription> Descriptions() {
  std::vector<ModelDescription> descriptions(1);
  descriptions[0].signature.inputs = {{.name = "IN", .datatype = tensor::DataType::kInt32, .shape = {-1}}};
  descriptions[0].signature.outputs = {{.name = "OUT", .datatype = tensor::DataType::kInt32, .shape = {-1}},
                                       {.name = "TEXT", .datatype = tensor::DataType::kBytes, .shape = {-1}}};
  descriptions[0].inputs = {{.alignment = 64, .one_piece = true}};
  return descriptions;
}

std::string Framed(std::string_view text) {
  const uint64_t size = text.size();
  return std::string(reinterpret_cast<const char*>(&size), sizeof(size)).append(text);
}

void SendBytes(int socket, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) return;
    bytes.remove_prefix(static_cast<size_t>(sent));
  }
}

void Stay() {
  for (;;) ::pause();
}

void Crash() {
  ::signal(SIGSEGV, SIG_DFL);
  ::raise(SIGSEGV);
  Leave(1);
}

void Leave(int status) { ::_exit(status); }

}  // namespace inferd::support
