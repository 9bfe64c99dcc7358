#include "kserve/node/replica.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <optional>
#include <utility>

#include "base/system/child_process.h"
#include "kserve/node/probe/ask.h"

namespace inferd::node {

namespace {

using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

// Limits the reads in a row, so that a process that writes without pause cannot delay its limits, its probe and a stop.
constexpr int kOutputReadsMax = 64;
constexpr milliseconds kProbePause{10};
constexpr milliseconds kProbePauseMax{500};
constexpr milliseconds kModelsPause{1'000};
// A program may open its gRPC port a moment after HTTP. After this time, it counts as ready without gRPC, because a
// program with a gRPC port need not listen on it.
constexpr milliseconds kGrpcPatience{10'000};
// The pause between two processes. The first restart comes at once. After a long run, the pauses begin anew.
constexpr milliseconds kPause{250};
constexpr milliseconds kPauseMax{60'000};
constexpr std::chrono::minutes kLongLife{5};

struct Pipe {
  base::FileDescriptor read, write;
};

base::Result<Pipe> MakePipe() {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) return std::unexpected(base::ResourceExhausted("no pipe can be made"));
  Pipe made{base::FileDescriptor(ends[0]), base::FileDescriptor(ends[1])};
  // The process may block on its end. This thread must not.
  fcntl(made.read.get(), F_SETFL, O_NONBLOCK);
  return made;
}

base::Result<base::ChildProcess> Start(const ProcessSpec& spec, int output, int control_group) {
  std::vector<std::string> arguments = {spec.program};
  arguments.insert(arguments.end(), spec.arguments.begin(), spec.arguments.end());
  auto child = base::ChildProcess::Start({.program = spec.program,
                                          .arguments = std::move(arguments),
                                          .environment = spec.environment,
                                          .apart = true,
                                          .output = output,
                                          .ends_with_thread = true,
                                          .control_group = control_group});
  if (child.has_value()) return child;
  return std::unexpected(base::FailedPrecondition("cannot start '" + spec.program + "': " + child.error().message()));
}

// Kills the process and its group. Processes that left the group are not killed. The group's number is still valid,
// because its leader has not been waited for.
void KillAll(const base::ChildProcess& child) {
  kill(-child.pid(), SIGKILL);
  child.Kill();
}

// Removes the sockets, which a killed process leaves.
void RemoveSockets(const ProcessSpec& spec) {
  for (const std::string& socket : {spec.http_socket, spec.grpc_socket}) {
    if (!socket.empty()) unlink(socket.c_str());
  }
}

// The output of a probe is discarded.
base::Result<base::ChildProcess> StartProbe(const ProcessSpec& spec) {
  const base::FileDescriptor nowhere(open("/dev/null", O_WRONLY | O_CLOEXEC));
  return base::ChildProcess::Start({.program = spec.probe.command.front(),
                                    .arguments = spec.probe.command,
                                    .environment = spec.environment,
                                    .apart = true,
                                    .output = nowhere.get(),
                                    .ends_with_thread = true});
}

}  // namespace

Replica::Replica(ReplicaOptions options)
    : options_(std::move(options)), stop_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)), thread_([this] { Run(); }) {}

Replica::~Replica() {
  Stop();
  thread_.join();
}

void Replica::Stop() {
  stop_source_.request_stop();
  const uint64_t one = 1;
  static_cast<void>(write(stop_.get(), &one, sizeof(one)));
}

bool Replica::Sleep(milliseconds duration) const {
  pollfd file{.fd = stop_.get(), .events = POLLIN, .revents = 0};
  return poll(&file, 1, static_cast<int>(duration.count())) <= 0;
}

ReplicaState Replica::state() const {
  const base::MutexLock lock(mutex_);
  return state_;
}

std::string Replica::grpc_address() const {
  const base::MutexLock lock(mutex_);
  return grpc_address_;
}

std::string Replica::address() const {
  const base::MutexLock lock(mutex_);
  return address_;
}

std::string Replica::failure() const {
  const base::MutexLock lock(mutex_);
  return failure_;
}

std::optional<int> Replica::exit_code() const {
  const base::MutexLock lock(mutex_);
  return exit_code_;
}

std::optional<ProcessEnd> Replica::last_end() const {
  const base::MutexLock lock(mutex_);
  return last_end_;
}

int Replica::restarts() const {
  const base::MutexLock lock(mutex_);
  return restarts_;
}

std::map<std::string, int> Replica::reloads() const {
  const base::MutexLock lock(mutex_);
  return reloads_;
}

void Replica::Set(ReplicaState state) {
  {
    const base::MutexLock lock(mutex_);
    state_ = state;
    if (state == ReplicaState::kReady) {
      failure_.clear();
      exit_code_.reset();
    }
  }
  options_.on_change();
}

void Replica::Fail(std::string why, std::optional<ProcessEnd> end) {
  {
    const base::MutexLock lock(mutex_);
    state_ = ReplicaState::kFailed;
    failure_ = std::move(why);
    exit_code_ = end.has_value() ? std::optional(end->exit_code) : std::nullopt;
    if (end.has_value()) {
      last_end_ = std::move(end);
      last_end_->message = failure_;
    }
    ++restarts_;
  }
  options_.on_change();
}

void Replica::Run() {
  milliseconds pause{0};
  while (!stopped()) {
    const Clock::time_point begun = Clock::now();
    const uint64_t log_begins = log_->end();
    const base::Result<ProcessEnd> over = RunOnce();
    if (stopped()) break;
    if (Clock::now() - begun >= kLongLife) pause = {};
    const std::string why = over.has_value() ? over->message : std::string(over.error().message());
    options_.on_log(options_.name + " " + why +
                    (pause.count() > 0 ? "; it is started again in " + std::to_string(pause.count()) + " ms" : ""));
    const std::string said = LastLines(log_->Read(log_begins).text);
    Fail(why + (said.empty() ? "" : ": " + said), over.has_value() ? std::optional(*over) : std::nullopt);
    if (!Sleep(pause)) break;
    pause = std::clamp(2 * pause, kPause, kPauseMax);
    Set(ReplicaState::kStarting);
  }
  log_->End();
  Set(ReplicaState::kEnded);
}

base::Result<ProcessLimits> Replica::Hold(const ContainerResources& resources) const {
  if (options_.keeper == nullptr) return ProcessLimits();
  return options_.keeper->Hold(options_.name, resources);
}

base::Result<ProcessEnd> Replica::RunOnce() {
  INFERD_ASSIGN_OR_RETURN(const ProcessSpec spec, options_.make(stop_source_.get_token()));
  INFERD_ASSIGN_OR_RETURN(Pipe output, MakePipe());
  INFERD_ASSIGN_OR_RETURN(ProcessLimits limits, Hold(spec.resources));
  INFERD_ASSIGN_OR_RETURN(base::ChildProcess child, Start(spec, output.write.get(), limits.join()));
  log_->BeginProcess();
  // The end of the process is detected by its handle, because its children may keep the pipe open.
  output.write = base::FileDescriptor();
  {
    const base::MutexLock lock(mutex_);
    address_ = spec.http_address();
    grpc_address_ = spec.grpc_address();
  }
  Attend(spec, child, output.read.get(), limits);
  if (stopped()) End(spec, child, output.read.get());
  // The whole group ends with its first process, as in a container. Before WaitForEnd, no other group can have its
  // number.
  KillAll(child);
  std::string how = child.WaitForEnd();
  TakeOutput(output.read.get());
  RemoveSockets(spec);
  const bool out_of_memory = limits.EndedForMemory();
  if (out_of_memory) {
    how = "wanted more memory than its limit of " + std::to_string(*spec.resources.memory_limit_bytes) +
          " bytes, and was ended (OOMKilled)";
  }
  return ProcessEnd{.exit_code = child.exit_code(), .message = std::move(how), .out_of_memory = out_of_memory};
}

void Replica::Attend(const ProcessSpec& spec, const base::ChildProcess& child, int output, ProcessLimits& limits) {
  // Each command probe costs a process.
  milliseconds pause = spec.probe.command.empty() ? kProbePause : kProbePauseMax;
  const Clock::time_point first_probe = Clock::now() + spec.probe.initial_delay;
  bool ready = false;
  std::optional<Clock::time_point> answers_since;
  std::optional<modelcalls::ModelKeeper> keeper;
  Clock::time_point models_at{};
  while (!stopped() && !child.EndsBefore(Clock::now())) {
    if (limits.Passed(child.pid())) return KillAll(child);
    if (!ready && Clock::now() >= first_probe && Probe(spec, output)) {
      if (!answers_since.has_value()) answers_since = Clock::now();
      ready = spec.grpc_port == 0 || spec.grpc_address() == spec.http_address() ||
              TakesConnections(spec.grpc_address()) || Clock::now() - *answers_since >= kGrpcPatience;
      if (ready && !spec.model_address.empty()) keeper.emplace(spec.model_address);
      // Learn its models before the first request comes.
      if (keeper.has_value()) KeepModels(*keeper);
      if (ready) Set(ReplicaState::kReady);
    } else if (keeper.has_value() && Clock::now() >= models_at) {
      KeepModels(*keeper);
      models_at = Clock::now() + kModelsPause;
    }
    std::array<pollfd, 3> files = {pollfd{.fd = stop_.get(), .events = POLLIN, .revents = 0},
                                   pollfd{.fd = child.handle(), .events = POLLIN, .revents = 0},
                                   pollfd{.fd = output, .events = POLLIN, .revents = 0}};
    milliseconds wait = ready ? limits.look_every().value_or(milliseconds(-1)) : pause;
    if (keeper.has_value() && (wait < milliseconds(0) || wait > kModelsPause)) wait = kModelsPause;
    poll(files.data(), files.size(), static_cast<int>(wait.count()));
    TakeOutput(output);
    // A closed pipe would always be readable, and poll would not wait.
    if ((files[2].revents & POLLHUP) != 0 && (files[2].revents & POLLIN) == 0) child.EndsBefore(Clock::now() + pause);
    pause = std::min(pause + pause / 4, kProbePauseMax);
  }
}

void Replica::KeepModels(modelcalls::ModelKeeper& keeper) {
  const modelcalls::ModelKeeper::Seen seen = keeper.Look();
  for (const std::string& failure : seen.failures) options_.on_log(options_.name + ": " + failure);
  if (seen.reloaded.empty()) return;
  {
    const base::MutexLock lock(mutex_);
    for (const std::string& model : seen.reloaded) ++reloads_[model];
  }
  for (const std::string& model : seen.reloaded) {
    options_.on_log(options_.name + ": another process unloaded model '" + model + "', which is loaded again");
  }
  options_.on_change();
}

void Replica::End(const ProcessSpec& spec, const base::ChildProcess& child, int output) {
  Set(ReplicaState::kStopping);
  child.Terminate();
  if (TakeOutputUntilEnd(child, output, Clock::now() + spec.grace)) return;
  options_.on_log(options_.name + " did not end within its " + std::to_string(spec.grace.count()) +
                  " s, and is killed");
}

bool Replica::TakeOutputUntilEnd(const base::ChildProcess& child, int output, Clock::time_point deadline) {
  while (!child.EndsBefore(Clock::now())) {
    const auto left = std::chrono::duration_cast<milliseconds>(deadline - Clock::now());
    if (left.count() <= 0) return false;
    std::array<pollfd, 2> files = {pollfd{.fd = child.handle(), .events = POLLIN, .revents = 0},
                                   pollfd{.fd = output, .events = POLLIN, .revents = 0}};
    poll(files.data(), files.size(), static_cast<int>(left.count()));
    TakeOutput(output);
    if ((files[1].revents & POLLIN) == 0) child.EndsBefore(std::min(deadline, Clock::now() + kProbePause));
  }
  return true;
}

void Replica::TakeOutput(int output) {
  std::array<char, 16 * 1024> space;
  for (int reads = 0; reads < kOutputReadsMax; ++reads) {
    const ssize_t bytes = read(output, space.data(), space.size());
    if (bytes <= 0) return;
    const std::string_view text(space.data(), static_cast<size_t>(bytes));
    log_->Append(text, std::chrono::system_clock::now());
    static_cast<void>(!write(STDERR_FILENO, text.data(), text.size()));
  }
}

bool Replica::Probe(const ProcessSpec& spec, int output) {
  if (spec.probe.way == ReadinessProbe::Way::kCommand) return ProbeByCommand(spec, output);
  return AnswersReady(spec.probe, spec.probe_address());
}

bool Replica::ProbeByCommand(const ProcessSpec& spec, int output) {
  auto probe = StartProbe(spec);
  if (!probe.has_value()) return false;
  const Clock::time_point deadline = Clock::now() + spec.probe.timeout;
  bool ended = false;
  while (!ended && !stopped() && Clock::now() < deadline) {
    ended = TakeOutputUntilEnd(*probe, output, std::min(deadline, Clock::now() + kProbePauseMax));
  }
  KillAll(*probe);
  probe->WaitForEnd();
  return ended && probe->exit_code() == 0;
}

}  // namespace inferd::node
