#include "protocols/oip_http/path_advice.h"

#include <cstddef>
#include <vector>

#include "base/text/nearest_name.h"
#include "base/text/printable.h"
#include "protocols/oip_http/router.h"

namespace inferd::oip_http {

namespace {

using PathParts = std::vector<std::string_view>;

constexpr size_t kPathBytesMax = 128;
constexpr size_t kSegmentsMax = 8;
constexpr size_t kPathWordBytesMax = 32;
constexpr std::string_view kPathWords[] = {"v2",       "models",
                                           "versions", "infer",
                                           "generate", "generate_stream",
                                           "config",   "stats",
                                           "ready",    "live",
                                           "health",   "repository",
                                           "index",    "load",
                                           "unload",   "trace",
                                           "setting",  "logging",
                                           "region",   "systemsharedmemory"};
constexpr std::string_view kPaths =
    ". V2: /v2/models/NAME/infer. KServe V1 and TensorFlow Serving: /v1/models/NAME:predict. MLflow: "
    "/models/NAME/invocations. Names: /v2/models. All paths: docs/which-url.md";

std::string_view NearestWord(std::string_view word) {
  if (word == "predict" || word == "inference" || word == "score") return "infer";
  if (word.size() > kPathWordBytesMax) return word;
  for (const std::string_view known : kPathWords) {
    base::NearestName nearest(word);
    nearest.Offer(known);
    if (known == word || (known.size() > 2 && !nearest.Suggestion().empty())) return known;
  }
  return word;
}

bool PathExists(const PathParts& path) {
  return FindRoute(net::Method::kGet, path).found || FindRoute(net::Method::kPost, path).found;
}

// Replaces words that are misspelled. Names of models keep their place: after "models", and after "region".
PathParts Respelled(const PathParts& path) {
  PathParts fixed = path;
  for (size_t i = 0; i < fixed.size(); ++i) {
    const bool is_name = i > 0 && (fixed[i - 1] == "models" || fixed[i - 1] == "region" || fixed[i - 1] == "versions");
    if (!is_name) fixed[i] = NearestWord(fixed[i]);
  }
  return fixed;
}

PathParts WithPart(PathParts path, size_t at, std::string_view word) {
  if (at <= path.size()) path.insert(path.begin() + static_cast<std::ptrdiff_t>(at), word);
  return path;
}

std::string JoinedPath(const PathParts& path) {
  std::string text;
  for (const std::string_view segment : path) text.append("/").append(segment);
  return base::Printable(text, kPathBytesMax);
}

// Returns the existing path that the client probably meant. Empty if there is none.
std::string MeantPath(std::span<const std::string_view> segments) {
  if (segments.empty() || segments.size() > kSegmentsMax) return "";
  PathParts path(segments.begin(), segments.end());
  while (!path.empty() && path.back().empty()) path.pop_back();
  if (path.empty()) return "";
  const PathParts respelled = Respelled(path);
  const PathParts candidates[] = {path, respelled, WithPart(respelled, 0, "v2"),
                                  Respelled(WithPart(path, 1, "models"))};
  for (const PathParts& candidate : candidates) {
    if (PathExists(candidate)) return JoinedPath(candidate);
  }
  return "";
}

}  // namespace

std::string PathAdvice(std::string_view target, std::span<const std::string_view> segments) {
  const std::string text = "no protocol has the path '" + base::Printable(target, kPathBytesMax) + "'";
  const std::string meant = MeantPath(segments);
  return text + (meant.empty() ? std::string(kPaths) : " (did you mean '" + meant + "'?)");
}

std::string MethodAdvice(std::string_view allow, std::span<const std::string_view> segments) {
  const bool is_v1 = segments.size() == 3 && segments[2].ends_with(":predict");
  if (is_v1) return "did you mean '/v1/models/" + base::Printable(segments[2], kPathBytesMax) + "'?";
  return "this path takes " + std::string(allow);
}

}  // namespace inferd::oip_http
