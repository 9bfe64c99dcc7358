#pragma once

#include <atomic>
#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include "base/clock.h"
#include "data/manifest/read.h"
#include "kserve/kubernetes/client/client.h"
#include "net/client/scripted_server.h"

namespace inferd::kubernetes {

inline const Resource kPods = {.group = "", .version = "v1", .kind = "Pod", .plural = "pods"};

inline manifest::Value FromJson(const std::string& text) {
  auto documents = manifest::ReadJson(text, "test");
  return documents.has_value() && documents->size() == 1 ? documents->front() : manifest::Value();
}

inline std::string PodJson(const std::string& name, int version, const std::string& more = "") {
  return R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":")" + name + R"(","namespace":"a","uid":"u-)" + name +
         R"(","resourceVersion":")" + std::to_string(version) + "\"}" + more + "}";
}

inline std::string EventJson(const std::string& type, const std::string& object) {
  return R"({"type":")" + type + R"(","object":)" + object + "}\n";
}

inline std::string StatusJson(int code, const std::string& reason, const std::string& message) {
  return R"({"kind":"Status","apiVersion":"v1","status":"Failure","message":")" + message + R"(","reason":")" + reason +
         R"(","details":{"name":"x"},"code":)" + std::to_string(code) + "}";
}

// Returns the body of a 404 for an object.
inline std::string AbsentJson(const std::string& name) {
  return R"({"kind":"Status","apiVersion":"v1","status":"Failure","message":")" + name +
         R"( not found","reason":"NotFound","details":{"name":")" + name + R"("},"code":404})";
}

inline std::string ListJson(int version, const std::vector<std::string>& items, const std::string& next = "") {
  std::string text = R"({"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":")" +
                     std::to_string(version) + R"(","continue":")" + next + R"("},"items":[)";
  for (size_t i = 0; i < items.size(); ++i) text += (i == 0 ? "" : ",") + items[i];
  return text + "]}";
}

inline std::string Answer(int code, const std::string& body, const std::string& headers = "") {
  return "HTTP/1.1 " + std::to_string(code) + " x\r\nContent-Type: application/json\r\n" + headers +
         "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}

// Returns the answer to a watch that the server ends without an error.
inline std::string WatchAnswer(const std::string& lines) {
  return "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\n\r\n" + lines;
}

// Returns an answer that is cut after `lines`, although more was announced.
inline std::string CutAnswer(const std::string& lines) {
  return "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n"
         "FFFFF\r\n" +
         lines;
}

// An API server that sends the test's answers one by one. After the last one it closes connections.
class ScriptedApi final {
 public:
  explicit ScriptedApi(std::vector<std::string> answers)
      : answers_(answers.begin(), answers.end()),
        server_([this](const std::string& request) { return Next(request); }) {}

  std::vector<std::string> requests() {
    const std::lock_guard lock(mutex_);
    return requests_;
  }
  // Returns the request lines: "GET /api/v1/pods?limit=500".
  std::vector<std::string> lines() {
    std::vector<std::string> lines;
    for (const std::string& request : requests()) lines.push_back(request.substr(0, request.find(" HTTP/")));
    return lines;
  }
  // Sets a callback for the end of the script. It is called on a thread of the server.
  void OnEnd(std::function<void()> call) { on_end_ = std::move(call); }
  ClusterAccess access() const { return {.server = server_.url()}; }

 private:
  std::string Next(const std::string& request) {
    const std::lock_guard lock(mutex_);
    if (answers_.empty()) {
      if (on_end_) on_end_();
      return "";
    }
    requests_.push_back(request);
    std::string answer = std::move(answers_.front());
    answers_.pop_front();
    return answer;
  }

  std::mutex mutex_;
  std::deque<std::string> answers_;
  std::vector<std::string> requests_;
  std::function<void()> on_end_;
  net::ScriptedServer server_;
};

// A client of the server that records its pauses instead of waiting.
class ScriptedClient final {
 public:
  explicit ScriptedClient(ScriptedApi& api, SenderOptions options = {})
      : client_(api.access(), With(options), clock_) {}

  Client* operator->() { return &client_; }
  Client& operator*() { return client_; }
  const std::vector<std::chrono::milliseconds>& pauses() const { return pauses_; }
  base::FakeClock& clock() { return clock_; }

 private:
  SenderOptions With(SenderOptions options) {
    options.pause = [this](std::chrono::milliseconds pause, const std::stop_token& stop) {
      pauses_.push_back(pause);
      clock_.AdvanceMs(pause.count());
      return !stop.stop_requested();
    };
    return options;
  }

  base::FakeClock clock_;
  std::vector<std::chrono::milliseconds> pauses_;
  Client client_;
};

}  // namespace inferd::kubernetes
