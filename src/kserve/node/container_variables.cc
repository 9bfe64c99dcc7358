#include "kserve/node/container_variables.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <climits>
#include <optional>
#include <thread>
#include <utility>

#include "data/manifest/quantity.h"

namespace inferd::node {

namespace {

using manifest::Kind;
using manifest::StringMap;
using manifest::Value;

constexpr std::string_view kLoopback = "127.0.0.1";
constexpr int64_t kMilli = 1000;

const std::vector<Value>& ItemsOf(const Value& container, std::string_view key) {
  static const std::vector<Value> kNone;
  const Value* const list = container.Find(key);
  return list == nullptr || !list->is(Kind::kList) ? kNone : list->items();
}

std::string NodeName() {
  std::array<char, HOST_NAME_MAX + 1> name{};
  return gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "localhost";
}

// Returns KEY of "metadata.labels['KEY']". nullopt if the path is not of that form.
std::optional<std::string> KeyWithin(std::string_view path, std::string_view map) {
  const std::string begin = "metadata." + std::string(map) + "['";
  if (!path.starts_with(begin) || !path.ends_with("']") || path.size() < begin.size() + 2) return std::nullopt;
  return std::string(path.substr(begin.size(), path.size() - begin.size() - 2));
}

std::string At(const StringMap& map, const std::string& key) {
  const auto found = map.find(key);
  return found == map.end() ? std::string() : found->second;
}

std::optional<std::string> FieldOf(std::string_view path, const VariableSources& sources) {
  const model::ResolvedPod& pod = sources.pod;
  if (path == "metadata.name") return sources.pod_name;
  if (path == "metadata.namespace") return pod.namespace_name;
  if (path == "spec.nodeName") return NodeName();
  if (path == "spec.serviceAccountName") {
    const std::string account = TextIn(&pod.pod_spec, "serviceAccountName");
    return account.empty() ? "default" : account;
  }
  for (const std::string_view address : {"status.hostIP", "status.hostIPs", "status.podIP", "status.podIPs"}) {
    if (path == address) return std::string(kLoopback);
  }
  if (const auto label = KeyWithin(path, "labels")) return At(pod.labels, *label);
  if (const auto annotation = KeyWithin(path, "annotations")) return At(pod.annotations, *annotation);
  return std::nullopt;
}

// Returns the machine's amount, in thousandths.
int64_t OfMachine(std::string_view resource) {
  if (resource == "cpu") return kMilli * std::max<int64_t>(std::thread::hardware_concurrency(), 1);
  return kMilli * static_cast<int64_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<int64_t>(sysconf(_SC_PAGE_SIZE));
}

// Kubernetes: the quotient, rounded up.
std::optional<std::string> ResourceOf(const Value& reference, const Value& container) {
  const std::string path = TextIn(&reference, "resource");
  const size_t dot = path.find('.');
  const std::string list = path.substr(0, dot);
  const std::string resource = dot == std::string::npos ? "" : path.substr(dot + 1);
  if ((list != "limits" && list != "requests") || (resource != "cpu" && resource != "memory")) return std::nullopt;
  const Value* const resources = container.Find("resources");
  const std::string given = TextIn(resources == nullptr ? nullptr : resources->Find(list), resource);
  int64_t milli = list == "limits" ? OfMachine(resource) : 0;
  if (!given.empty()) {
    const auto quantity = manifest::ParseQuantity(given);
    if (!quantity.has_value()) return std::nullopt;
    milli = quantity->milli;
  }
  const std::string divisor = TextIn(&reference, "divisor");
  const auto parts = manifest::ParseQuantity(divisor.empty() || divisor == "0" ? "1" : divisor);
  if (!parts.has_value() || parts->milli <= 0) return std::nullopt;
  return std::to_string(milli / parts->milli + (milli % parts->milli > 0 ? 1 : 0));
}

class VariableReader final {
 public:
  VariableReader(const Value& container, const VariableSources& sources) : container_(container), sources_(sources) {}

  base::Result<StringMap> Read() {
    for (const Value& from : ItemsOf(container_, "envFrom")) INFERD_RETURN_IF_ERROR(AddAll(from));
    for (const Value& variable : ItemsOf(container_, "env")) INFERD_RETURN_IF_ERROR(Add(variable));
    return std::move(variables_);
  }

 private:
  base::Status Set(const std::string& name, std::string value) {
    if (value.find('\0') != std::string::npos) {
      return base::InvalidArgument(FieldOfContainer(sources_.pod, "env[" + name + "]") +
                                   ": a variable cannot have a NUL in it");
    }
    // In a pod, only its own processes share the loopback and the sockets. Here all users of the machine share the
    // loopback, and the controller is outside of the pod. So control calls are allowed for this user and root ("here").
    if (name == "INFERD_CONTROL_FROM" && (value == "machine" || value == "socket")) value = "here";
    variables_[name] = std::move(value);
    return base::OkStatus();
  }

  base::Status AddAll(const Value& from) {
    const std::string prefix = TextIn(&from, "prefix");
    for (const bool secret : {false, true}) {
      const Value* const reference = from.Find(secret ? "secretRef" : "configMapRef");
      if (reference == nullptr || !reference->is(Kind::kMap)) continue;
      const DataSource source{secret, sources_.pod.namespace_name, TextIn(reference, "name")};
      INFERD_ASSIGN_OR_RETURN(const StringMap values, ReadData(sources_.find, source, IsOptional(*reference)));
      for (const auto& [key, value] : values) INFERD_RETURN_IF_ERROR(Set(prefix + key, value));
    }
    return base::OkStatus();
  }

  base::Status Add(const Value& variable) {
    const std::string name = TextIn(&variable, "name");
    if (name.empty()) return base::OkStatus();
    const Value* const from = variable.Find("valueFrom");
    if (from == nullptr || from->is(Kind::kNull)) {
      return Set(name, ExpandVariables(TextIn(&variable, "value"), variables_));
    }
    for (const bool secret : {false, true}) {
      const Value* const reference = from->Find(secret ? "secretKeyRef" : "configMapKeyRef");
      if (reference != nullptr && reference->is(Kind::kMap)) return AddKey(name, *reference, secret);
    }
    std::optional<std::string> value;
    if (const Value* const field = from->Find("fieldRef")) value = FieldOf(TextIn(field, "fieldPath"), sources_);
    if (const Value* const field = from->Find("resourceFieldRef")) value = ResourceOf(*field, container_);
    if (value.has_value()) return Set(name, *std::move(value));
    return base::InvalidArgument(FieldOfContainer(sources_.pod, "env[" + name + "].valueFrom") +
                                 ": is not known on this machine");
  }

  base::Status AddKey(const std::string& name, const Value& reference, bool secret) {
    const DataSource source{secret, sources_.pod.namespace_name, TextIn(&reference, "name")};
    const std::string key = TextIn(&reference, "key");
    INFERD_ASSIGN_OR_RETURN(const StringMap values, ReadData(sources_.find, source, IsOptional(reference)));
    const auto found = values.find(key);
    if (found != values.end()) return Set(name, found->second);
    // The optional variable is then absent.
    if (IsOptional(reference)) return base::OkStatus();
    return base::NotFound("couldn't find key " + key + " in " + (secret ? "Secret " : "ConfigMap ") +
                          source.namespace_name + "/" + source.name);
  }

  const Value& container_;
  const VariableSources& sources_;
  StringMap variables_;
};

}  // namespace

base::Result<StringMap> ContainerVariables(const Value& container, const VariableSources& sources) {
  return VariableReader(container, sources).Read();
}

std::string ExpandVariables(std::string_view text, const StringMap& variables) {
  std::string expanded;
  while (!text.empty()) {
    const size_t dollar = text.find('$');
    expanded.append(text.substr(0, dollar));
    if (dollar == std::string_view::npos) break;
    text.remove_prefix(dollar);
    const size_t end = text.find(')');
    if (text.starts_with("$$")) {
      expanded.push_back('$');
      text.remove_prefix(2);
    } else if (text.starts_with("$(") && end != std::string_view::npos) {
      const auto found = variables.find(std::string(text.substr(2, end - 2)));
      expanded.append(found == variables.end() ? text.substr(0, end + 1) : std::string_view(found->second));
      text.remove_prefix(end + 1);
    } else {
      expanded.push_back('$');
      text.remove_prefix(1);
    }
  }
  return expanded;
}

}  // namespace inferd::node
