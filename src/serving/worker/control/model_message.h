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

// The order that a worker process gets once: which engine to open. An empty message comes before it, with the
// descriptor of PinnedCounters (channel/pinned_counters.h) if the process gets pinned memory.
struct StartOrder {
  std::filesystem::path engine_library;
  int process_cpu_threads = 1;
  base::LogFormat log_format = base::LogFormat::kHuman;
  std::array<bool, 4> log_levels = {};  // by base::LogLevel
  base::CpuCores cores = {};            // for all its threads; empty for any
  uint64_t pinned_pool_bytes = 0;       // size of its pool of pinned memory; 0 for none
  bool core_files = false;              // allows core files, and other processes to read its memory
};

std::string EncodeStartOrder(const StartOrder& order);
base::Result<StartOrder> DecodeStartOrder(std::string_view message);

// The first order on a model's own socket: what to load, with the configuration as text. The descriptor of a BodyMemory
// comes with it, if there is one.
std::string EncodeLoadOrder(const core::LoadSpec& load);
base::Result<core::LoadSpec> DecodeLoadOrder(std::string_view message);

// The limit of concurrent executions per instance: each has a channel, with a thread on either side.
inline constexpr int kChannelsMax = 32;

// The constants of core::EngineModel, which the worker knows once the model is loaded.
struct ModelDescription {
  struct Input {
    size_t alignment = 1;
    bool one_piece = false;
  };
  core::ModelSignature signature = {};
  std::vector<Input> inputs = {};  // as many as the signature has
  std::vector<std::string> significant_parameters = {};
  int compute_threads = 1;
  int unfinished_executions_max = 1;  // at most kChannelsMax
  config::CompletedByModel completed = {};
  bool checks_readiness = false;
};

// Encodes one description per signature of the model, at least one.
std::string EncodeDescriptions(const std::vector<ModelDescription>& descriptions);
// INTERNAL if they are invalid.
base::Result<std::vector<ModelDescription>> DecodeDescriptions(std::string_view message);

// An order to make an instance, or one more channel of it.
struct InstanceOrder {
  size_t signature = 0;  // index into the model's descriptions
  uint64_t channel = 0;  // the channel's number, unique in the process
  core::InstanceSpec spec = {};
  bool further = false;  // one more channel of the last instance
  uint32_t removed = 0;  // the worker first destroys this number of its instances, the newest ones
};

// Sent in place of an instance order, with the socket on which the server asks for the model's readiness. Each message
// on that socket, with any content, gets a reply like an order.
inline constexpr std::string_view kReadinessOrder = "readiness";

std::string EncodeInstanceOrder(const InstanceOrder& order);
base::Result<InstanceOrder> DecodeInstanceOrder(std::string_view message);

// Encodes the reply to an order: the status, and the content of an OK.
std::string EncodeReply(const base::Status& status, std::string_view content = "");
// Returns the content, or the worker's status. INTERNAL if it is no reply.
base::Result<std::string> DecodeReply(std::string_view message);

// Sends an order and returns the reply's content. Blocks until the reply has come, until `deadline` at most.
// ControlSocket::Gone() if the worker is gone. ControlSocket::Late() if it does not reply in time.
base::Result<std::string> Order(ControlSocket& socket, std::string_view text, int descriptor = -1,
                                ControlSocket::Clock::time_point deadline = ControlSocket::kForever);

}  // namespace inferd::worker
