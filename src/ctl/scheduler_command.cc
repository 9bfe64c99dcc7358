#include <cmath>
#include <cstdio>
#include <ctime>
#include <map>
#include <ostream>
#include <string>

#include "ctl/commands.h"
#include "ctl/text/table.h"
#include "data/json/read.h"

namespace inferd::ctl {

namespace {

using base::Status;

Status ReadNumber(json::Reader& reader, int64_t& number) {
  INFERD_ASSIGN_OR_RETURN(const double value, reader.ReadDouble());
  constexpr double kExactMax = 9e15;  // a double represents integers exactly up to here
  number = std::abs(value) < kExactMax ? std::llround(value) : 0;
  return base::OkStatus();
}

Status ReadDuration(json::Reader& reader, std::string& text) {
  INFERD_ASSIGN_OR_RETURN(const double us, reader.ReadDouble());
  text = DurationText(us * 1e3);
  return base::OkStatus();
}

// The parts of the response as text. A part that is absent is empty.
struct SchedulerText {
  std::string model, version, summary;
  std::string batching, queue, instances, tuning, limit, sequences, steps;
  Table recent{{"STARTED", "ROWS", "REQUESTS", "REASON", "WAITED", "EXECUTION", "LEFT", "INSTANCE"}};
};

// Reads numbers as "4, 8".
Status ReadRows(json::Reader& reader, std::string& text) {
  return json::ReadArray(reader, [&]() -> Status {
    int64_t rows = 0;
    INFERD_RETURN_IF_ERROR(ReadNumber(reader, rows));
    text += (text.empty() ? "" : ", ") + std::to_string(rows);
    return base::OkStatus();
  });
}

Status ReadFailures(json::Reader& reader, std::string& text) {
  int64_t executions = 0, repeated = 0, requests_max = 0;
  INFERD_RETURN_IF_ERROR(json::ReadObject(reader, [&](std::string_view key) -> Status {
    if (key == "executions") return ReadNumber(reader, executions);
    if (key == "repeated_requests") return ReadNumber(reader, repeated);
    return key == "requests_max" ? ReadNumber(reader, requests_max) : reader.SkipValue();
  }));
  text = "; " + std::to_string(executions) + " failed, " + std::to_string(repeated) + " requests repeated";
  if (requests_max > 0) text += ", now at most " + std::to_string(requests_max) + " in an execution";
  return base::OkStatus();
}

Status ReadBatching(json::Reader& reader, std::string& text) {
  bool enabled = false;
  int64_t rows_max = 0;
  std::string preferred, delay = "0", reason, stopped, failures;
  INFERD_RETURN_IF_ERROR(json::ReadObject(reader, [&](std::string_view key) -> Status {
    if (key == "enabled") {
      INFERD_ASSIGN_OR_RETURN(enabled, reader.ReadBool());
      return base::OkStatus();
    }
    if (key == "rows_max") return ReadNumber(reader, rows_max);
    if (key == "delay_us") return ReadDuration(reader, delay);
    if (key == "stopped") return json::ReadText(reader, stopped);
    if (key == "failures") return ReadFailures(reader, failures);
    if (key == "reason") return json::ReadText(reader, reason);
    return key == "preferred_rows" ? ReadRows(reader, preferred) : reader.SkipValue();
  }));
  if (!preferred.empty()) preferred = "preferred " + preferred + ", ";
  text = enabled ? "up to " + std::to_string(rows_max) + " rows, " + preferred + "delay " + delay : "off";
  if (!reason.empty()) text += ": " + reason;
  if (!stopped.empty()) text += ", stopped: " + stopped;
  text += failures;
  return base::OkStatus();
}

Status ReadQueue(json::Reader& reader, std::string& text) {
  return json::ReadArray(reader, [&]() -> Status {
    int64_t level = 0, requests = 0, size_max = 0;
    INFERD_RETURN_IF_ERROR(json::ReadObject(reader, [&](std::string_view key) -> Status {
      if (key == "priority_level") return ReadNumber(reader, level);
      if (key == "requests") return ReadNumber(reader, requests);
      if (key == "size_max") return ReadNumber(reader, size_max);
      return reader.SkipValue();
    }));
    if (!text.empty()) text += ", ";
    text += "level " + std::to_string(level) + ": " + std::to_string(requests) + " of " + std::to_string(size_max);
    return base::OkStatus();
  });
}

Status ReadInstances(json::Reader& reader, std::string& text) {
  int64_t count = 0, busy = 0, on_loop = 0;
  std::string service = "0";
  INFERD_RETURN_IF_ERROR(json::ReadObject(reader, [&](std::string_view key) -> Status {
    if (key == "count") return ReadNumber(reader, count);
    if (key == "busy") return ReadNumber(reader, busy);
    if (key == "inline_executions") return ReadNumber(reader, on_loop);
    if (key == "mean_service_us") return ReadDuration(reader, service);
    return reader.SkipValue();
  }));
  text = std::to_string(busy) + " of " + std::to_string(count) + " busy, mean execution " + service;
  if (on_loop > 0) text += ", " + std::to_string(on_loop) + " on the connection's thread";
  return base::OkStatus();
}

Status ReadTuning(json::Reader& reader, std::string& text) {
  int64_t rows_per_second = 0;
  std::string objective, first, further, explanation;
  INFERD_RETURN_IF_ERROR(json::ReadObject(reader, [&](std::string_view key) -> Status {
    if (key == "rows_per_second") return ReadNumber(reader, rows_per_second);
    if (key == "latency_objective_us") return ReadDuration(reader, objective);
    if (key == "first_row_us") return ReadDuration(reader, first);
    if (key == "further_row_us") return ReadDuration(reader, further);
    if (key == "explanation") return json::ReadText(reader, explanation);
    return reader.SkipValue();
  }));
  text = std::to_string(rows_per_second) + " rows/s, first row " + first + ", each further " + further +
         ", objective " + objective + "; " + explanation;
  return base::OkStatus();
}

Status ReadConcurrency(json::Reader& reader, std::string& text) {
  int64_t limit = 0, min = 0, max = 0, in_flight = 0, shed = 0;
  INFERD_RETURN_IF_ERROR(json::ReadObject(reader, [&](std::string_view key) -> Status {
    if (key == "limit") return ReadNumber(reader, limit);
    if (key == "min") return ReadNumber(reader, min);
    if (key == "max") return ReadNumber(reader, max);
    if (key == "in_flight") return ReadNumber(reader, in_flight);
    if (key == "shed") return ReadNumber(reader, shed);
    return reader.SkipValue();
  }));
  text = std::to_string(limit) + " in flight (" + std::to_string(min) + " to " + std::to_string(max) + "), now " +
         std::to_string(in_flight) + ", refused " + std::to_string(shed);
  return base::OkStatus();
}

Status ReadSequences(json::Reader& reader, std::string& text) {
  std::string strategy;
  std::map<std::string, int64_t, std::less<>> numbers;
  for (const char* name : {"slots", "active", "backlog", "waiting", "waiting_max", "begun", "ended", "restarted",
                           "idled", "failed", "refused"}) {
    numbers[name] = 0;
  }
  INFERD_RETURN_IF_ERROR(json::ReadObject(reader, [&](std::string_view key) -> Status {
    if (key == "strategy") return json::ReadText(reader, strategy);
    const auto known = numbers.find(key);
    return known == numbers.end() ? reader.SkipValue() : ReadNumber(reader, known->second);
  }));
  const auto number = [&numbers](std::string_view name) { return std::to_string(numbers.find(name)->second); };
  text = strategy + ", " + number("active") + " of " + number("slots") + " active, " + number("backlog") +
         " in the backlog, " + number("waiting") + " of " + number("waiting_max") + " requests wait; begun " +
         number("begun");
  for (const std::string_view how : {"ended", "restarted", "idled", "failed"}) {
    text += ", " + std::string(how) + " " + number(how);
  }
  text += ", requests refused " + number("refused");
  return base::OkStatus();
}

// Reads a call as "tokens, version 2: taken 5, failed 1".
Status ReadCall(json::Reader& reader, std::string& text) {
  std::string model, version;
  bool shadow = false;
  int64_t taken = 0, failed = 0;
  INFERD_RETURN_IF_ERROR(json::ReadObject(reader, [&](std::string_view key) -> Status {
    if (key == "model_name") return json::ReadText(reader, model);
    if (key == "model_version") return json::ReadText(reader, version);
    if (key == "taken") return ReadNumber(reader, taken);
    if (key == "failed") return ReadNumber(reader, failed);
    if (key != "shadow") return reader.SkipValue();
    INFERD_ASSIGN_OR_RETURN(shadow, reader.ReadBool());
    return base::OkStatus();
  }));
  text += (text.empty() ? "" : "; ") + std::string(shadow ? "shadow " : "") + model +
          (version.empty() ? "" : ", version " + version) + ": taken " + std::to_string(taken);
  if (failed > 0) text += ", failed " + std::to_string(failed);
  return base::OkStatus();
}

// Reads the steps, with a line for each.
Status ReadSteps(json::Reader& reader, std::string& text) {
  return json::ReadArray(reader, [&]() -> Status {
    std::string calls;
    int64_t passed_over = 0;
    INFERD_RETURN_IF_ERROR(json::ReadObject(reader, [&](std::string_view key) -> Status {
      if (key == "calls") return json::ReadArray(reader, [&] { return ReadCall(reader, calls); });
      return key == "passed_over" ? ReadNumber(reader, passed_over) : reader.SkipValue();
    }));
    text += "step       " + calls + (passed_over > 0 ? "; passed over " + std::to_string(passed_over) : "") + "\n";
    return base::OkStatus();
  });
}

// Formats a time as "13:05:59.123 UTC".
std::string TimeText(int64_t wall_ms) {
  constexpr int64_t kMsPerSecond = 1000;
  const std::time_t seconds = wall_ms / kMsPerSecond;
  std::tm parts{};
  if (wall_ms < 0 || gmtime_r(&seconds, &parts) == nullptr) return "?";
  char text[64];
  std::snprintf(text, sizeof text, "%02d:%02d:%02d.%03d UTC", parts.tm_hour, parts.tm_min, parts.tm_sec,
                static_cast<int>(wall_ms % kMsPerSecond));
  return text;
}

Status ReadRecord(json::Reader& reader, Table& table) {
  int64_t started_ms = 0, rows = 0, requests = 0, left = 0, instance = 0;
  std::string reason, waited, service;
  INFERD_RETURN_IF_ERROR(json::ReadObject(reader, [&](std::string_view key) -> Status {
    if (key == "started_ms") return ReadNumber(reader, started_ms);
    if (key == "rows") return ReadNumber(reader, rows);
    if (key == "requests") return ReadNumber(reader, requests);
    if (key == "reason") return json::ReadText(reader, reason);
    if (key == "oldest_waited_us") return ReadDuration(reader, waited);
    if (key == "service_us") return ReadDuration(reader, service);
    if (key == "left_waiting") return ReadNumber(reader, left);
    if (key == "instance") return ReadNumber(reader, instance);
    return reader.SkipValue();
  }));
  table.Add({TimeText(started_ms), std::to_string(rows), std::to_string(requests), reason, waited, service,
             std::to_string(left), std::to_string(instance)});
  return base::OkStatus();
}

Status Read(json::Reader& reader, SchedulerText& text) {
  return json::ReadObject(reader, [&](std::string_view key) -> Status {
    if (key == "model_name") return json::ReadText(reader, text.model);
    if (key == "model_version") return json::ReadText(reader, text.version);
    if (key == "summary") return json::ReadText(reader, text.summary);
    if (key == "batching") return ReadBatching(reader, text.batching);
    if (key == "queue") return ReadQueue(reader, text.queue);
    if (key == "instances") return ReadInstances(reader, text.instances);
    if (key == "tuning") return ReadTuning(reader, text.tuning);
    if (key == "concurrency") return ReadConcurrency(reader, text.limit);
    if (key == "sequences") return ReadSequences(reader, text.sequences);
    if (key == "steps") return ReadSteps(reader, text.steps);
    if (key != "recent") return reader.SkipValue();
    return json::ReadArray(reader, [&] { return ReadRecord(reader, text.recent); });
  });
}

}  // namespace

Status ShowScheduler(V2Server& server, const std::string& model, const std::string& version, const Output& out) {
  INFERD_ASSIGN_OR_RETURN(const std::string json, server.Get(ModelPath(model, version) + "/scheduler"));
  if (out.json) return out.WriteServerJson(json);
  SchedulerText text;
  json::Reader reader(json);
  INFERD_RETURN_IF_ERROR(Read(reader, text));
  std::ostream& stream = out.stream;
  stream << "model      " << text.model << ", version " << text.version << "\n"
         << "batching   " << text.batching << "\n"
         << "queue      " << text.queue << "\n"
         << "instances  " << text.instances << "\n";
  if (!text.tuning.empty()) stream << "tuning     " << text.tuning << "\n";
  if (!text.limit.empty()) stream << "limit      " << text.limit << "\n";
  if (!text.sequences.empty()) stream << "sequences  " << text.sequences << "\n";
  stream << text.steps;
  constexpr size_t kNumberColumns[] = {1, 2, 4, 5, 6, 7};
  stream << "\n"
         << text.summary << "\n\n"
         << text.recent.AlignRight({std::begin(kNumberColumns), std::end(kNumberColumns)}).ToString();
  return base::OkStatus();
}

}  // namespace inferd::ctl
