#pragma once

#include <cstdint>
#include <list>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/clock.h"
#include "kserve/kubernetes/client/client.h"

namespace inferd::kubernetes {

// Records events (v1) about objects, for people. `kubectl describe` shows them.
//
//   recorder.Record(service, "Normal", "InferenceServiceReady", "InferenceService [iris] is Ready")
//
// An equal event about the same object raises the count of the first one. If an object has more than 10 different
// messages for one reason in 10 minutes, the further ones become one event, "(combined from similar events): ...". If
// an object has more than 25 events at once, and then more than one in 5 minutes, the excess is dropped. So an object
// that fails forever does not fill the server. An event that cannot be written is lost; events are not a reliable
// record. Not thread-safe; calls block.
class EventRecorder final {
 public:
  static constexpr size_t kEventsMax = 4096;  // most recent events that are remembered
  static constexpr size_t kMessageBytesMax = 1024;
  static constexpr int kBurst = 25;
  static constexpr int kSimilarMax = 10;

  // `component` is for example "inferd-controller". The client and the clock must outlive the recorder.
  EventRecorder(Client& client, std::string component, const base::Clock& clock)
      : client_(client), component_(std::move(component)), clock_(clock) {}

  // `type` is "Normal" or "Warning". Returns Client's errors.
  ApiResult<void> Record(const manifest::Value& object, std::string_view type, std::string_view reason,
                         std::string_view message, const std::stop_token& stop = {});

 private:
  // A map that drops its least recently used entries.
  template <typename Entry>
  class Latest final {
   public:
    Entry& At(const std::string& key);

   private:
    std::list<std::pair<std::string, Entry>> entries_;  // most recent first
    std::unordered_map<std::string, typename std::list<std::pair<std::string, Entry>>::iterator> places_;
  };
  struct Known {
    ObjectName name;  // of the event; empty if it does not exist yet
    int64_t count = 0;
  };
  struct Similar {
    std::list<std::string> messages;  // the first kSimilarMax of a window
    int64_t begun_ns = 0;
  };
  struct Allowance {
    int64_t next_ns = 0;
  };

  bool IsAllowed(const std::string& object);
  bool IsOneOfTooMany(const std::string& kind, const std::string& message);
  ApiResult<void> Raise(Known& known, const std::stop_token& stop);
  manifest::Value MakeEvent(const manifest::Value& object, const ObjectName& name) const;

  Client& client_;
  const std::string component_;
  const base::Clock& clock_;
  Latest<Known> known_;
  Latest<Similar> similar_;
  Latest<Allowance> allowances_;
};

}  // namespace inferd::kubernetes
