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

// What the value of another server's flag must look like. kSetting: something=something.
enum class FlagForm { kText, kBoolean, kInteger, kNumber, kSetting };

// A flag of another server's command line, and what it is here.
struct PersonalityFlag {
  std::string_view name;         // without "--"
  std::string_view option = {};  // our option that it sets; empty: none
  std::string_view help = {};    // what it does; without an option, why it does nothing
  FlagForm form = FlagForm::kText;
  std::string_view unit = {};  // put behind a bare number: "s"
  // With an option: "theirs=ours,..."; a value that is not listed is passed on. Without one: the values that ask for
  // nothing we lack, "*" for any; the others are warned of.
  std::string_view values = {};
  bool combined = false;  // means something with others only: the personality's `combine` reads it
};

// What was written on another server's command line, flag by flag.
struct GivenFlag {
  std::string name;
  std::string value;
};

// What a personality reads together.
struct GivenFlags {
  std::span<const GivenFlag> flags;
  const std::map<std::string, std::string>& environment;

  // The last of that name; nullptr: it was not given.
  const std::string* Find(std::string_view name) const;
  bool IsTrue(std::string_view name) const;
};

// What flags come to that are read together.
struct CombinedFlags {
  struct Value {
    std::string_view option;
    std::string value;
    std::string origin;  // the flag
  };
  std::vector<Value> values;
  std::vector<std::string> warnings;
};

// How gRPC refuses a call without the header that its group of endpoints demands.
struct GrpcRestriction {
  base::StatusCode code = base::StatusCode::kPermissionDenied;
  std::string_view text = "This API is restricted, expecting header ";  // the header's name in quotes behind it
  std::string_view header_prefix = {};                                  // of the name that the option says
};

// An environment variable of another server, by which its tests set what no option of ours does.
struct PersonalityVariable {
  std::string_view name;
  base::Status (*set)(ServerOptions& options, std::string_view text) = nullptr;
};

struct PersonalityDefault {
  std::string_view option;
  std::string_view value;
};

// Another server's command line, defaults and codes, as tables: chosen by the program's name or --as. A personality
// adds to our options; where a name means something else there, its meaning counts. Immutable, lives as long as the
// process.
struct Personality {
  std::string_view name;
  std::span<const std::string_view> program_names;
  std::span<const PersonalityFlag> flags;
  std::span<const PersonalityDefault> defaults;
  std::span<const PersonalityVariable> variables = {};
  base::Result<CombinedFlags> (*combine)(const GivenFlags& given);       // nullptr: nothing is combined
  std::array<uint16_t, 17> http_status;                                  // by base::StatusCode
  base::StatusCode queue_full = base::StatusCode::kResourceExhausted;    // of a queue that is full
  std::string_view queue_full_text = {};                                 // before what we say of it; empty: nothing
  base::StatusCode queue_timeout = base::StatusCode::kDeadlineExceeded;  // of a request whose time in the queue is up
  GrpcRestriction grpc_restriction = {};
  PlatformNames platform_names;
  bool default_batch_limits_requests = false;  // --default-max-batch-size is also the most that one request may bring
  bool absent_gpus_are_cpus = false;           // instance groups on GPUs that there are not are on the CPU
  bool ignores_barred_timeouts = false;        // a request's timeout where its queue policy allows none is no error
  bool ignores_unknown_arguments = false;      // shows how it is used, and goes on
  bool unix_socket_tls = false;                // a Unix socket has the TLS that its port has
  bool tfs_exact = false;                      // TensorFlow Serving's APIs with that server's own laxities and refusals
  bool triton_exact = false;                   // V2's APIs with Triton's own laxities, forms and texts
  // As KServe's servers: V2's load and unload calls answer with JSON, what no route has with {"detail": "Not Found"},
  // and ModelInfer with `contents` where these came.
  bool kserve_answers = false;
  bool any_input_name = false;                   // CompletionOptions::any_input_name
  bool bad_configuration_fails_startup = false;  // a server that goes on with one is neither live nor ready
  bool refuses_while_draining = false;           // of its own protocol, requests that come after the signal
  int usage_exit_status = 2;                     // where the arguments are wrong
  // What it writes to stderr when all models of the initial set were tried; null: nothing.
  std::string (*announce)(std::string_view server_name, std::string_view scheme, uint16_t port) = nullptr;
  std::string_view model_not_ready;  // the error of a model's health when it is not ready; empty: no body

  int HttpStatus(base::StatusCode code) const { return http_status[static_cast<size_t>(code)]; }
};

// inferd itself; the design's status table.
const Personality& DefaultPersonality();
const Personality& TritonserverPersonality();
const Personality& TensorflowModelServerPersonality();
const Personality& KservePersonality();
const Personality& TrtserverPersonality();

// Every one, inferd first.
std::span<const Personality* const> Personalities();

// By name or program name; nullptr if there is none.
const Personality* FindPersonality(std::string_view name);

}  // namespace inferd::config
