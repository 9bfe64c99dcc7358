#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ctl/input_value.h"
#include "ctl/v2_server.h"
#include "data/json/writer.h"

namespace inferd::ctl {

// The outcome of a made-up request to one version of a model. Every input is zeros ("0" for BYTES), and every open
// dimension is 1.
struct Trial {
  std::string model;
  std::string untried = {};                      // why no server could try the model; says nothing about the model
  std::string reason = {};                       // the problem: it was not loaded, or the server ended; empty if none
  std::optional<ModelSignature> signature = {};  // nullopt if it was not loaded
  std::vector<NamedTensor> request = {};
  std::vector<TensorSignature> answer = {};  // with the shapes of the response
  std::string refusal = {};                  // the server's error; empty if the request succeeded
  std::string command = {};                  // a line for a shell that sends the request to a server at localhost:8000
};

// Sends the made-up request to a model that the server has loaded.
Trial TryModel(V2Server& server, const std::string& model);

// Returns the line for a shell. Long requests are sent as bytes, so that the line stays short.
std::string CommandFor(const std::string& model, const std::vector<NamedTensor>& request);

// The text of `inferctl validate`.
std::string TrialText(const Trial& trial);

// A JSON object.
void WriteTrial(json::Writer& writer, const Trial& trial);

}  // namespace inferd::ctl
