#pragma once

#include <memory>

#include "protocols/front_end.h"

// A protocol made for tests, the smallest that has all that a front-end can have.
//
//   POST /toy/MODEL       body: 32-bit integers of the model's one input; the answer: those of its one output
//   GET  /toy             "alive", though there are too many connections
//   /toy.Toy/Echo (gRPC)  the message again
//
// Every answer over HTTP has a header Toy-Status, refusals of the transport included.
namespace inferd::toy {

std::unique_ptr<const protocol::FrontEnd> MakeFrontEnd(const protocol::Settings& settings);

}  // namespace inferd::toy
