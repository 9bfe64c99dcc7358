#pragma once

#include <string>
#include <vector>

namespace inferd::ctl {

// The result of one look at what a server depends on.
struct Finding {
  enum class Level {
    kOk,
    kAdvice,   // it works; something could be better
    kProblem,  // a server fails or is slow until something is done
  };
  std::string subject;  // "open files"
  Level level = Level::kOk;
  std::string found;    // what is there: "1024"
  std::string to_do{};  // what to do; empty for kOk
};

using Findings = std::vector<Finding>;

// Returns "ok", "advice" or "problem".
inline const char* LevelName(Finding::Level level) {
  switch (level) {
    case Finding::Level::kOk: return "ok";
    case Finding::Level::kAdvice: return "advice";
    case Finding::Level::kProblem: return "problem";
  }
  return "";
}

}  // namespace inferd::ctl
