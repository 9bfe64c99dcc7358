#include <algorithm>
#include <cctype>
#include <utility>

#include "base/text/printable.h"
#include "config/checks/checks.h"
#include "config/model/document_fields.h"

// model_repository_agents. The agent `checksum` is part of the server. Other agents are refused: they may transform a
// model's files before loading, so that the files are unusable without them.

namespace inferd::config {
namespace {

constexpr int kChecksumsMax = 1024;

// Returns the number of hexadecimal digits of an algorithm's digests, or 0 if there is no such algorithm.
size_t DigestDigits(std::string_view algorithm) {
  constexpr std::pair<std::string_view, size_t> kAlgorithms[] = {{"MD5", 32}, {"SHA256", 64}, {"SHA512", 128}};
  for (const auto& [name, digits] : kAlgorithms) {
    if (name == algorithm) return digits;
  }
  return 0;
}

bool IsHexadecimal(std::string_view text) {
  return std::ranges::all_of(text, [](unsigned char c) { return std::isxdigit(c) != 0; });
}

// Returns the problem, or "".
std::string ChecksumProblem(const std::string& key, const std::string& digest) {
  const size_t colon = key.find(':');
  const size_t digits = DigestDigits(key.substr(0, colon));
  if (colon == std::string::npos || digits == 0) {
    return base::QuotedName(key) + " must be MD5:FILE, SHA256:FILE or SHA512:FILE";
  }
  if (!IsInside(key.substr(colon + 1))) {
    return base::QuotedName(key.substr(colon + 1)) + " must be a path inside the model's folder";
  }
  if (digest.size() != digits || !IsHexadecimal(digest)) {
    return "the digest of " + base::QuotedName(key) + " must be " + std::to_string(digits) + " hexadecimal digits";
  }
  return "";
}

}  // namespace

void CheckAgents(CheckContext& c) {
  for (int i = 0; i < c.config.model_repository_agents().agents_size(); ++i) {
    const auto& agent = c.config.model_repository_agents().agents(i);
    const Place place = c.place.In("model_repository_agents").In("agents", i);
    if (agent.name() != kChecksumAgent) {
      c.problems.push_back(place.At("name", "there is no repository agent " + base::QuotedName(agent.name()) +
                                                ", only 'checksum' for " + c.model));
      continue;
    }
    if (agent.parameters_size() > kChecksumsMax) {
      c.problems.push_back(place.At("parameters", "at most " + std::to_string(kChecksumsMax) + " are allowed for " +
                                                      c.model + ", got " + std::to_string(agent.parameters_size())));
      continue;
    }
    for (const auto& [key, digest] : agent.parameters()) {
      const std::string problem = ChecksumProblem(key, digest);
      if (!problem.empty()) c.problems.push_back(place.At("parameters", problem + " for " + c.model));
    }
  }
}

}  // namespace inferd::config
