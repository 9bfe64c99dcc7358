#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "config/platform.h"

namespace inferd::config {

struct ServerOptions;

// The form of a value of another server's flag. kSetting: something=something.
enum class FlagForm { kText, kBoolean, kInteger, kNumber, kSetting };

// A flag of another server's command line, and its meaning here.
struct PersonalityFlag {
  std::string_view name;         // without "--"
  std::string_view option = {};  // our option that it sets; empty if none
  std::string_view help = {};    // its effect or, without an option, the reason for having none
  FlagForm form = FlagForm::kText;
  std::string_view unit = {};  // appended to a bare number: "s"
  // With an option: "theirs=ours,..."; other values are passed on. Without one: the values that request nothing we
  // lack, or "*" for any; others cause a warning.
  std::string_view values = {};
  bool combined = false;  // has a meaning only with others: the personality's `combine` reads it
};

// One flag as written on another server's command line.
struct GivenFlag {
  std::string name;
  std::string value;
};

// The flags that a personality reads together.
struct GivenFlags {
  std::span<const GivenFlag> flags;
  const std::map<std::string, std::string>& environment;

  // Returns the last value of that name, or nullptr if it was not given.
  const std::string* Find(std::string_view name) const;
  bool IsTrue(std::string_view name) const;
};

// The result of flags that are read together.
struct CombinedFlags {
  struct Value {
    std::string_view option;
    std::string value;
    std::string origin;  // the flag
  };
  std::vector<Value> values;
  std::vector<std::string> warnings;
};

// The refusal of a gRPC call without the header that its endpoint group requires.
struct GrpcRestriction {
  base::StatusCode code = base::StatusCode::kPermissionDenied;
  std::string_view text = "This API is restricted, expecting header ";  // followed by the header's name in quotes
  std::string_view header_prefix = {};                                  // of the name in the option
};

// An environment variable by which another server's tests make settings that none of our options makes.
struct PersonalityVariable {
  std::string_view name;
  base::Status (*set)(ServerOptions& options, std::string_view text) = nullptr;
};

struct PersonalityDefault {
  std::string_view option;
  std::string_view value;
};

// Another server's command line, defaults and codes, as tables. Chosen by the program's name or --as. A personality
// adds to our options; if a name has another meaning there, that meaning applies. Immutable; lives as long as the
// process.
struct Personality {
  std::string_view name;
  std::span<const std::string_view> program_names;
  std::span<const PersonalityFlag> flags;
  std::span<const PersonalityDefault> defaults;
  std::span<const PersonalityVariable> variables = {};
  base::Result<CombinedFlags> (*combine)(const GivenFlags& given);       // nullptr if no flags are combined
  std::array<uint16_t, 17> http_status;                                  // by base::StatusCode
  base::StatusCode queue_full = base::StatusCode::kResourceExhausted;    // if a queue is full
  std::string_view queue_full_text = {};                                 // before our own text; empty for none
  base::StatusCode queue_timeout = base::StatusCode::kDeadlineExceeded;  // if a request's time in the queue is over
  GrpcRestriction grpc_restriction = {};
  PlatformNames platform_names;
  bool default_batch_limits_requests = false;  // --default-max-batch-size also limits one request
  bool absent_gpus_are_cpus = false;           // instance groups on missing GPUs run on the CPU
  // Ignore a request's timeout, instead of refusing it, if its queue policy forbids one
  bool ignores_barred_timeouts = false;
  bool ignores_unknown_arguments = false;  // show the usage, and continue
  bool unix_socket_tls = false;            // a Unix socket has the TLS settings of its port
  bool tfs_exact = false;                  // TensorFlow Serving's APIs with that server's own tolerances and refusals
  bool triton_exact = false;               // V2's APIs with Triton's own tolerances, forms and texts
  // True to answer as KServe's servers: V2's load and unload calls with JSON, unknown routes with {"detail": "Not
  // Found"}, and ModelInfer with `contents` if the request used them.
  bool kserve_answers = false;
  bool any_input_name = false;                   // CompletionOptions::any_input_name
  bool bad_configuration_fails_startup = false;  // a server that continues with one is neither live nor ready
  bool refuses_while_draining = false;           // refuse requests of its own protocol that come after the signal
  int usage_exit_status = 2;                     // for invalid arguments
  // Returns the text for stderr after all models of the initial set were tried. Null for none.
  std::string (*announce)(std::string_view server_name, std::string_view scheme, uint16_t port) = nullptr;
  std::string_view model_not_ready;  // error of the health call for a model that is not ready; empty for no body

  int HttpStatus(base::StatusCode code) const { return http_status[static_cast<size_t>(code)]; }
};

// inferd itself; the design's status table.
const Personality& DefaultPersonality();
const Personality& TritonserverPersonality();
const Personality& TensorflowModelServerPersonality();
const Personality& KservePersonality();
const Personality& TrtserverPersonality();

// Returns all personalities, inferd first.
std::span<const Personality* const> Personalities();

// Finds one by its name or program name. nullptr if there is none.
const Personality* FindPersonality(std::string_view name);

}  // namespace inferd::config
