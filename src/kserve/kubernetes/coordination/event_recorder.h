#pragma once

#include <cstdint>
#include <list>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/clock.h"
#include "kserve/kubernetes/client/client.h"

namespace inferd::kubernetes {

// Tells of an object what has become of it, for people: events (v1), which `kubectl describe` shows.
//
//   recorder.Record(service, "Normal", "InferenceServiceReady", "InferenceService [iris] is Ready")
//
// The same words about the same object raise the count of one event. Of an object that comes with more than 10
// different messages for one reason in 10 minutes, the further ones become one event, "(combined from similar events):
// ..."; of one that has more than 25 events at once, and then more than one in 5 minutes, they are dropped. So an
// object that fails for ever does not fill the server. Of an event that failed to be written nothing is kept; events
// are no record. Not thread-safe; calls block.
class EventRecorder final {
 public:
  static constexpr size_t kEventsMax = 4096;  // that are known, the latest
  static constexpr size_t kMessageBytesMax = 1024;
  static constexpr int kBurst = 25;
  static constexpr int kSimilarMax = 10;

  // `component`: "inferd-controller". The client and the clock outlive it.
  EventRecorder(Client& client, std::string component, const base::Clock& clock)
      : client_(client), component_(std::move(component)), clock_(clock) {}

  // `type`: "Normal", "Warning". Errors are Client's.
  ApiResult<void> Record(const manifest::Value& object, std::string_view type, std::string_view reason,
                         std::string_view message, const std::stop_token& stop = {});

 private:
  // Entries by their text, of which the ones that were not used for longest go.
  template <typename Entry>
  class Latest final {
   public:
    Entry& At(const std::string& key);

   private:
    std::list<std::pair<std::string, Entry>> entries_;  // the latest first
    std::unordered_map<std::string, typename std::list<std::pair<std::string, Entry>>::iterator> places_;
  };
  struct Known {
    ObjectName name;  // of the event; empty: it is not there yet
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
