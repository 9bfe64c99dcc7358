#pragma once

#include <string>
#include <string_view>

#include "data/manifest/value.h"
#include "kserve/kubernetes/api/resource.h"

namespace inferd::cluster {

// Whose a live object is, as seen by an InferenceService or an InferenceGraph that wants one of its name. Thread-safe,
// all of them.
enum class Claim {
  kOwn,      // the owner controls it
  kFree,     // nothing controls it, and its label says that it was made for the owner
  kEarlier,  // of an owner of the same kind and name that is gone
  kForeign,  // another's: it is not touched
};
Claim ClaimOf(const manifest::Value& live, const manifest::Value& owner);

// Of a foreign one, for people: "it is controlled by the Deployment \"web\"".
std::string OwnerText(const manifest::Value& live);

// The label by which all objects of an owner of that kind are found; its value is the owner's name. `kind`:
// "InferenceGraph"; all else is a service.
const std::string& OwnerLabel(std::string_view kind);

// Whether a name of that kind is one that this program gives to objects of the service: what another program has made
// for the service is not removed. `kind`: "Deployment".
bool IsNameOfService(std::string_view kind, const std::string& name, const std::string& service);

// Whether a live object that is not wanted is to go: the owner controls it, and its name is one of those. All objects
// of a graph have its own name.
bool IsStray(const kubernetes::Resource& resource, const manifest::Value& live, const manifest::Value& owner);

// In whose name an owner's objects are written: "inferd-controller", and for a graph "inferd-controller-graphs". To one
// name, an object of a service would be the graph's of the same name, too: applying it takes away, without a conflict,
// what the service's lacks.
std::string FieldManagerOf(const manifest::Value& owner);
// What objects are known again by.
inline constexpr std::string_view kWrittenAnnotation = "serving.inferd.io/written";

// An object as it is written: with the label, and with an annotation by which WasWritten knows it again.
manifest::Value ForWriting(manifest::Value wanted, const manifest::Value& owner);
// Whether the live object is of the very same wanted one: nothing that was written earlier is to go from it. `written`
// is ForWriting's.
bool WasWritten(const manifest::Value& live, const manifest::Value& written);

}  // namespace inferd::cluster
