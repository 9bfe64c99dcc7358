#pragma once

#include <string>

#include "data/manifest/value.h"

namespace inferd::ctl {

// Returns true if the object's status has the condition `type`, with the status `wanted` ("True", "False", "Unknown").
bool HasCondition(const manifest::Value& object, const std::string& type, const std::string& wanted);

// Returns the reasons of the conditions that are False, such as "PredictorReady is False (RevisionFailed): no model
// file", joined by "; ". Each message is there once: a condition of the whole repeats those of its parts. Empty if no
// condition is False and has a message.
std::string FalseConditions(const manifest::Value& object);

}  // namespace inferd::ctl
