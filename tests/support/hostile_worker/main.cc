// A worker process for HostileWorkerTest. It behaves, but for what the lines of the file `script` beside this program
// say: "STAGE BEHAVIOUR". It does what the first line says when it comes to that stage, and removes the line. With
// --list, it prints all such lines.

#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "serving/worker/child/run_worker.h"
#include "serving/worker/control/control_socket.h"
#include "tests/support/hostile_worker/behaviours.h"

namespace inferd::support {
namespace {

using worker::ControlMessage;
using worker::ControlSocket;
using worker::EncodeReply;

class Script final {
 public:
  explicit Script(std::filesystem::path file) : file_(std::move(file)) {}

  // What to do at the stage; nullopt: what a worker does.
  std::optional<std::string> Take(const std::string& stage) {
    const std::lock_guard lock(mutex_);
    std::ifstream in(file_);
    std::string first;
    std::string behaviour;
    if (!(in >> first >> behaviour) || first != stage) return std::nullopt;
    std::string rest;
    std::getline(in >> std::ws, rest, '\0');
    in.close();
    std::ofstream(file_, std::ios::trunc) << rest;
    return behaviour;
  }

 private:
  const std::filesystem::path file_;
  std::mutex mutex_;
};

class HostileWorker final {
 public:
  explicit HostileWorker(const std::filesystem::path& folder) : script_(folder / "script") {
    std::ofstream(folder / "starts", std::ios::app) << '.';
  }

  // Until the server has gone.
  void Run() {
    ControlSocket socket{base::FileDescriptor(worker::kWorkerSocket)};
    if (!socket.Receive().has_value()) return;
    auto order = socket.Receive();
    if (!order.has_value()) return;
    calls_ = std::move(order->descriptor);
    Reply(socket, "start", "");
    for (;;) {
      auto model = socket.Receive();
      if (!model.has_value()) return;
      models_.emplace_back(std::move(model->descriptor));
      std::thread([this, &line = models_.back()] { Host(line); }).detach();
    }
  }

 private:
  void Reply(const ControlSocket& socket, const std::string& stage, std::string_view content) {
    const std::string reply = EncodeReply(base::OkStatus(), content);
    const AskedOrder order{.socket = socket.descriptor(), .reply = reply};
    if (const auto name = script_.Take(stage); !name.has_value()) {
      SendBytes(socket.descriptor(), Framed(reply));
    } else if (name->starts_with("description_")) {
      Do(DescriptionBehaviours(), name->substr(12), order);
    } else {
      Do(OrderBehaviours(), *name, order);
    }
  }

  template <typename Behaviour, typename What>
  static void Do(std::span<const Behaviour> all, std::string_view name, const What& what) {
    for (const Behaviour& each : all) {
      if (each.name == name) return each.run(what);
    }
    Leave(5);
  }

  void Host(ControlSocket& socket) {
    auto load = socket.Receive();
    if (!load.has_value()) return;
    const int bodies = load->descriptor ? ::dup(load->descriptor.get()) : -1;
    Reply(socket, "load", worker::EncodeDescriptions(Descriptions()));
    for (;;) {
      const auto next = socket.Receive();
      if (!next.has_value()) return socket.Shutdown();
      const auto order = worker::DecodeInstanceOrder(next->text);
      const auto memory = worker::ChannelMemory::Open(next->descriptor.get());
      if (!order.has_value() || !memory.has_value()) Leave(6);
      const int file = ::dup(next->descriptor.get());
      Reply(socket, "instance", "");
      std::thread([this, memory = *memory, file, bodies, number = order->channel] {
        Execute(
            {.memory = *memory, .memory_file = file, .bodies_file = bodies, .calls = calls_.get(), .channel = number});
      }).detach();
    }
  }

  void Execute(const PlacedExecution& placed) {
    worker::ChannelHeader& header = placed.memory.header();
    header.thread.store(::gettid());
    for (uint32_t seen = 0;;) {
      const uint32_t rung = header.calls.rung.load(std::memory_order_acquire);
      if (rung == seen) {
        header.calls.Wait(seen, 1'000'000'000);
        continue;
      }
      seen = rung;
      const auto name = script_.Take("execute");
      if (!name.has_value()) {
        AnswerWell(placed);
      } else if (name->starts_with("asks_")) {
        Do(CallBehaviours(), name->substr(5), placed);
      } else {
        Do(ExecutionBehaviours(), *name, placed);
      }
    }
  }

  Script script_;
  base::FileDescriptor calls_;
  std::list<ControlSocket> models_;
};

void List() {
  for (const OrderBehaviour& each : OrderBehaviours()) std::cout << "load " << each.name << '\n';
  // Replies to the other orders are read by the same code.
  for (const std::string stage : {"start", "instance"}) {
    for (const std::string_view name : {"junk", "a_message_of_junk", "half_of_a_message_and_the_end",
                                        "closes_its_socket", "leaves", "silent_never_replies"}) {
      std::cout << stage << ' ' << name << '\n';
    }
  }
  for (const OrderBehaviour& each : DescriptionBehaviours()) std::cout << "load description_" << each.name << '\n';
  for (const ExecutionBehaviour& each : ExecutionBehaviours()) std::cout << "execute " << each.name << '\n';
  for (const ExecutionBehaviour& each : CallBehaviours()) std::cout << "execute asks_" << each.name << '\n';
}

}  // namespace
}  // namespace inferd::support

// The thread sanitizer has each process wait for a second before it ends, and this one races with itself on purpose.
extern "C" const char* __tsan_default_options() {  // NOLINT(bugprone-reserved-identifier)
  return "atexit_sleep_ms=0:report_bugs=0";
}

int main(int argc, char** argv) {
  using inferd::support::HostileWorker;
  if (argc > 1 && std::string_view(argv[1]) == "--list") {
    inferd::support::List();
    return 0;
  }
  // Ends with its server, and leaves no core files of its crashes.
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  const rlimit none{.rlim_cur = 0, .rlim_max = 0};
  ::setrlimit(RLIMIT_CORE, &none);
  HostileWorker worker(std::filesystem::path(argv[0]).parent_path());
  worker.Run();
  _exit(0);
}
