#pragma once

#include <string>
#include <string_view>

#include "data/manifest/value.h"
#include "kserve/kubernetes/api/resource.h"

namespace inferd::cluster {

// Who owns a live object, from the view of an InferenceService or an InferenceGraph that wants an object of that name.
// The functions of this file are thread-safe.
enum class Claim {
  kOwn,      // the owner controls it
  kFree,     // nothing controls it, and its label says that it was made for the owner
  kEarlier,  // an earlier owner of the same kind and name, now gone, controls it
  kForeign,  // something else owns it; it must not be touched
};
Claim ClaimOf(const manifest::Value& live, const manifest::Value& owner);

// Returns true if an object of Knative controls it.
bool ControlledByKnative(const manifest::Value& live);

// Describes the owner of a foreign object for people: "it is controlled by the Deployment \"web\"".
std::string OwnerText(const manifest::Value& live);

// Returns the label that all objects of such an owner have. Its value is the owner's name. Any `kind` other than
// "InferenceGraph" means an InferenceService.
const std::string& OwnerLabel(std::string_view kind);

// Returns true if this program gives objects of that kind this name for the service. Objects that another program made
// for the service are not removed. `kind` is for example "Deployment".
bool IsNameOfService(std::string_view kind, const std::string& name, const std::string& service);

// Returns true if a live object that is not wanted must go: the owner controls it, and its name is one that this
// program gives. All objects of a graph have the graph's name.
bool IsStray(const kubernetes::Resource& resource, const manifest::Value& live, const manifest::Value& owner);

// Returns the field manager for an owner's objects: "inferd-controller", or "inferd-controller-graphs" for a graph.
// With one manager for both, a graph could take an object from a service of the same name: applying would remove the
// service's fields without a conflict.
std::string FieldManagerOf(const manifest::Value& owner);
// The annotation that WasWritten checks.
inline constexpr std::string_view kWrittenAnnotation = "serving.inferd.io/written";

// Returns the object as it is sent: with the owner's label, and with the annotation that WasWritten checks.
manifest::Value ForWriting(manifest::Value wanted, const manifest::Value& owner);
// Returns true if the live object was written from exactly this wanted object, so that no field of an earlier write
// must be removed. `written` is the result of ForWriting.
bool WasWritten(const manifest::Value& live, const manifest::Value& written);

}  // namespace inferd::cluster
