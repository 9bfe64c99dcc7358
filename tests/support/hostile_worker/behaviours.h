#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "serving/worker/channel/channel_memory.h"
#include "serving/worker/channel/execution_message.h"
#include "serving/worker/control/model_message.h"

// What a hostile worker process does in place of what inferd-worker does. Names with "well_" break no rule that the
// server could notice: the request may be answered. Names with "answered_" are noticed behind an answer. Names with
// "silent_" are noticed by a time-out alone.

namespace inferd::support {

// An order of the server that a worker is to reply to.
struct AskedOrder {
  int socket = -1;
  std::string_view reply;  // that inferd-worker would give
};

struct OrderBehaviour {
  std::string_view name;
  void (*run)(const AskedOrder& order);
};

// In place of the reply to any order.
std::span<const OrderBehaviour> OrderBehaviours();
// In place of the reply to the order to load a model: what the model takes.
std::span<const OrderBehaviour> DescriptionBehaviours();

// An execution that the server has placed in a channel.
struct PlacedExecution {
  worker::ChannelMemory& memory;
  int memory_file = -1;  // the descriptor of that memory
  int bodies_file = -1;  // of requests' bodies
  int calls = -1;        // the socket on which models ask the server
  uint64_t channel = 0;  // its number
};

struct ExecutionBehaviour {
  std::string_view name;
  void (*run)(const PlacedExecution& placed);
};

std::span<const ExecutionBehaviour> ExecutionBehaviours();
// In executions, too: what is asked of the server there.
std::span<const ExecutionBehaviour> CallBehaviours();

// A model with an input IN and an output OUT (INT32), and an output TEXT (BYTES), of any length.
std::vector<worker::ModelDescription> Descriptions();
// Answers as inferd-worker does, and ends the execution.
void AnswerWell(const PlacedExecution& placed);

// What behaviours are made of.

// The bytes of a message on a socket: its size and its text.
std::string Framed(std::string_view text);
// Sends all of it, or as much as the server takes before it closes the socket.
void SendBytes(int socket, std::string_view bytes);
// The process stays, and this thread does nothing.
[[noreturn]] void Stay();
// The process ends, by a signal or with a status.
[[noreturn]] void Crash();
[[noreturn]] void Leave(int status);

}  // namespace inferd::support
