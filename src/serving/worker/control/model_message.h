#pragma once

#include <array>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/logging.h"
#include "base/status.h"
#include "serving/core/engine.h"
#include "serving/worker/control/control_socket.h"
#include "serving/worker/control/message.h"

namespace inferd::worker {

// What a worker process is told once: which engine it is there for. Before it comes an empty message, with the
// descriptor of PinnedCounters (channel/pinned_counters.h) where it is to have pinned memory.
struct StartOrder {
  std::filesystem::path engine_library;
  int process_cpu_threads = 1;
  base::LogFormat log_format = base::LogFormat::kHuman;
  std::array<bool, 4> log_levels = {};  // by base::LogLevel
  base::CpuCores cores = {};            // that all its threads keep to; empty: any
  uint64_t pinned_pool_bytes = 0;       // of its pool of pinned memory; 0: it has none
  bool core_files = false;              // the system may write core files of it, and others may read its memory
};

std::string EncodeStartOrder(const StartOrder& order);
base::Result<StartOrder> DecodeStartOrder(std::string_view message);

// What comes first on a model's own socket: what to load; its configuration travels as text. With it goes the
// descriptor of a BodyMemory, if there is one.
std::string EncodeLoadOrder(const core::LoadSpec& load);
base::Result<core::LoadSpec> DecodeLoadOrder(std::string_view message);

// The most executions of an instance that go on at a time: each has a channel, with a thread on either side.
inline constexpr int kChannelsMax = 32;

// What the worker knows about the model once it is loaded: core::EngineModel's constants.
struct ModelDescription {
  struct Input {
    size_t alignment = 1;
    bool one_piece = false;
  };
  core::ModelSignature signature = {};
  std::vector<Input> inputs = {};  // as many as the signature's
  std::vector<std::string> significant_parameters = {};
  int compute_threads = 1;
  int unfinished_executions_max = 1;  // kChannelsMax at most
  config::CompletedByModel completed = {};
  bool checks_readiness = false;
};

// One for each signature of the model, at least one.
std::string EncodeDescriptions(const std::vector<ModelDescription>& descriptions);
// INTERNAL: they cannot be.
base::Result<std::vector<ModelDescription>> DecodeDescriptions(std::string_view message);

// Makes an instance, or one more channel of it.
struct InstanceOrder {
  size_t signature = 0;  // position among the model's descriptions
  uint64_t channel = 0;  // the number of its channel, among all of the process
  core::InstanceSpec spec = {};
  bool further = false;  // the channel is one more of the instance that was made last
};

// In place of such an order: with it comes the socket on which the model is asked whether it is ready. Each message
// there, whatever it says, is answered as an order is.
inline constexpr std::string_view kReadinessOrder = "readiness";

std::string EncodeInstanceOrder(const InstanceOrder& order);
base::Result<InstanceOrder> DecodeInstanceOrder(std::string_view message);

// What every order is answered with: the status, and what belongs to an OK.
std::string EncodeReply(const base::Status& status, std::string_view content = "");
// The content, or the worker's status. INTERNAL: it is no reply.
base::Result<std::string> DecodeReply(std::string_view message);

// Sends an order and returns the reply's content. Blocks until the reply is there, `deadline` at most.
// ControlSocket::Gone(): the worker is gone. ControlSocket::Late(): it does not reply in time.
base::Result<std::string> Order(ControlSocket& socket, std::string_view text, int descriptor = -1,
                                ControlSocket::Clock::time_point deadline = ControlSocket::kForever);

}  // namespace inferd::worker
