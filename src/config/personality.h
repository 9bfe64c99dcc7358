#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "base/status.h"
#include "config/platform.h"

namespace inferd::config {

// A flag of another server's command line, and what it is here.
struct PersonalityFlag {
  std::string_view name;         // without "--"
  std::string_view option = {};  // our option; empty: we have none
  std::string_view help = {};
  std::string_view unit = {};  // put behind a bare number: "s"
  // "theirs=ours,..."; a value that is not listed is passed on. Without an option: the values that ask for nothing we
  // lack and are accepted, "*" for any.
  std::string_view values = {};
  bool boolean = false;  // without a value it means true; so do flags whose option is a switch
};

// How gRPC refuses a call without the header that its group of endpoints demands.
struct GrpcRestriction {
  base::StatusCode code = base::StatusCode::kPermissionDenied;
  std::string_view text = "This API is restricted, expecting header ";  // the header's name in quotes behind it
  std::string_view header_prefix = {};                                  // of the name that the option says
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
  std::array<uint16_t, 17> http_status;                                     // by base::StatusCode
  base::StatusCode grpc_queue_full = base::StatusCode::kResourceExhausted;  // on gRPC, of a queue that is full
  GrpcRestriction grpc_restriction = {};
  PlatformNames platform_names;
  bool default_batch_limits_requests = false;  // --default-max-batch-size is also the most that one request may bring
  std::string_view model_not_ready;  // the error of a model's health when it is not ready; empty: no body

  int HttpStatus(base::StatusCode code) const { return http_status[static_cast<size_t>(code)]; }
};

// inferd itself; the design's status table.
const Personality& DefaultPersonality();
const Personality& TritonserverPersonality();

// By name or program name; nullptr if there is none.
const Personality* FindPersonality(std::string_view name);

}  // namespace inferd::config
