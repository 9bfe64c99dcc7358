#include "net/http1/session.h"

#include <algorithm>
#include <utility>

#include "net/body/body.h"
#include "net/http/net_metrics.h"
#include "net/http/transport_answer.h"

namespace inferd::net::http1 {

namespace {

// A refused body up to this size is read and dropped, so that the connection stays usable.
constexpr uint64_t kDropBytesMax = 256 * 1024;

}  // namespace

Session::Session(SessionHost& host, Successor* successor)
    : host_(host), successor_(successor), requests_(host, successor != nullptr), answer_(host, *this, requests_) {}

Session::~Session() { answer_.Release(); }

void Session::OnRead(size_t bytes) {
  if (!requests_.Commit(bytes)) answer_.Refuse(requests_.error().status, requests_.error().message);
  Advance();
}

// Processes as much as the input allows. A response that the handler makes meanwhile only changes the reader's state.
void Session::Advance() {
  if (std::exchange(advancing_, true)) return;
  for (bool more = true; more;) {
    if (requests_.state() == RequestReader::State::kHead && answer_.above_high_water()) break;
    switch (requests_.Read()) {
      case RequestReader::Event::kNone: more = false; break;
      case RequestReader::Event::kHead: OnHead(); break;
      case RequestReader::Event::kBody: Execute(); break;
      case RequestReader::Event::kDropped:
        if (answer_.last()) Finish();
        break;
      case RequestReader::Event::kHttp2:
        requests_.Stop();
        successor_->OnHttp2Preface(std::as_bytes(std::span(requests_.input().text())));
        break;
      case RequestReader::Event::kRefused: RefuseRequest(); break;
      case RequestReader::Event::kEnd: Finish(); break;
    }
  }
  advancing_ = false;
  UpdateReading();
}

void Session::RefuseRequest() {
  answer_.BeginRefused(requests_.request().head);
  answer_.Refuse(requests_.error().status, requests_.error().message);
}

void Session::OnHead() {
  const RequestHead& head = requests_.request().head;
  answer_.BeginRequest(head, requests_.framing());
  BodyPlan plan = host_.handler().OnHead(head);
  answer_.TakePlan(plan);
  requests_.request().choice = plan.choice;
  if (plan.refuse.has_value()) return RefuseBody(*std::move(plan.refuse));
  sink_ = std::move(plan.sink);
  if (!requests_.has_body()) return Execute();
  const uint64_t limit = plan.bytes_max != 0 ? plan.bytes_max : host_.limits().body_bytes_max;
  const std::optional<uint64_t> length = requests_.body_length();
  if (length > limit) return RefuseBody(TransportAnswer(413, "request body too large", plan.refusal_form));
  requests_.BeginBody(Body(host_.bodies(), length, limit, plan.align_at, std::move(plan.memory)));
  if (requests_.framing().expect_continue && requests_.input().empty()) answer_.Continue();
}

// Drops a short refused body, so that the connection stays usable. A peer that waits for "100 Continue" may or may not
// send its body, so the connection is closed.
void Session::RefuseBody(HttpResponse response) {
  const std::optional<uint64_t> length = requests_.body_length();
  const bool has_body = requests_.has_body();
  response.close |= has_body && (length > kDropBytesMax || requests_.framing().expect_continue);
  answer_.Send(std::move(response));
  if (!has_body || requests_.state() == RequestReader::State::kFinished) return;
  requests_.DropBody(length, kDropBytesMax);
}

void Session::Execute() {
  if (Upgrade()) return;
  requests_.Hold();
  host_.metrics().BeginRequest();
  if (sink_ != nullptr) return ExecuteSink();
  HttpRequest& request = requests_.request();
  request.body = requests_.TakeBody();
  Reply reply = answer_.Open();
  host_.handler().OnRequest(std::move(request), std::move(reply));
}

void Session::ExecuteSink() {
  sink_->Begin(host_.bodies());
  const base::BufferSlice body = requests_.TakeBody();
  if (!body.empty()) sink_->OnBody(body.bytes());
  sink_->OnBodyEnd();
  Reply reply = answer_.Open();
  sink_->Open(std::move(requests_.request()), std::move(reply));
  if (answer_.open()) sink_->Proceed();
}

bool Session::Upgrade() {
  const Framing& framing = requests_.framing();
  if (successor_ == nullptr || !framing.upgrade_h2c || host_.tls() || sink_ != nullptr) return false;
  const std::string_view behind = requests_.input().text();
  if (!successor_->OnHttp2Upgrade(framing.http2_settings, requests_.request(), std::as_bytes(std::span(behind))))
    return false;
  requests_.Stop();
  return true;
}

void Session::OnAnswered(bool close) {
  // The sink may be the caller.
  if (sink_ != nullptr) host_.loop().Post([sink = std::move(sink_)] {});
  requests_.Next();
  if (close) Finish();
  Advance();
}

void Session::UpdateReading() {
  const RequestReader::State state = requests_.state();
  const bool full = state == RequestReader::State::kExecuting && requests_.input().full();
  const bool pause = state != RequestReader::State::kFinished && (full || answer_.above_high_water());
  if (pause == reading_paused_) return;
  reading_paused_ = pause;
  if (pause) {
    host_.PauseReading();
  } else {
    host_.ResumeReading();
  }
}

size_t Session::TakeOutput(std::vector<base::BufferSlice>& out, size_t bytes_max) {
  return answer_.output().Take(out, bytes_max);
}

void Session::OnWritten(size_t bytes) {
  writing_clock_.Restart();
  if (answer_.OnWritten(bytes) && reading_paused_) Advance();
}

void Session::OnEof() {
  requests_.OnEof();
  const bool keep = host_.limits().keep_half_closed;
  switch (requests_.state()) {
    case RequestReader::State::kExecuting:
      // The peer is considered gone: queued requests are cancelled, running ones are still answered.
      if (!keep) answer_.OnEof();
      break;
    case RequestReader::State::kHead:
      if (!answer_.above_high_water() || requests_.input().empty() || !keep) Finish();
      break;
    case RequestReader::State::kBody:
    case RequestReader::State::kDropping: Finish(); break;
    case RequestReader::State::kFinished: break;
  }
}

void Session::OnClosed() {
  requests_.Stop();
  base::Task gone = answer_.OnClosed();
  sink_ = nullptr;
  if (gone) gone();
}

void Session::Finish() {
  requests_.Stop();
  host_.CloseAfterWrite();
}

void Session::BeginDrain() {
  AnnounceDrain();
  draining_ = true;
}

bool Session::idle() const {
  const RequestReader::State state = requests_.state();
  const bool waits = state == RequestReader::State::kHead || state == RequestReader::State::kFinished;
  return waits && requests_.input().empty() && answer_.output().bytes() == 0;
}

void Session::OnTick(int64_t now_ns) {
  const Limits& limits = host_.limits();
  if (answer_.output().bytes() > 0) {
    if (writing_clock_.Passed(now_ns, limits.body_timeout)) host_.Abort();
    return;
  }
  writing_clock_.Restart();
  Stopwatch& reading = requests_.clock();
  switch (requests_.state()) {
    case RequestReader::State::kHead:
      if (requests_.input().empty() || (draining_ && !requests_.HasNext())) return OnIdleTick(now_ns);
      if (reading.Passed(now_ns, limits.header_timeout)) answer_.Refuse(408, "request header did not arrive in time");
      return;
    case RequestReader::State::kBody:
      if (reading.Passed(now_ns, limits.body_timeout)) answer_.Refuse(408, "request body did not arrive in time");
      return;
    case RequestReader::State::kDropping:
      if (reading.Passed(now_ns, limits.body_timeout)) Finish();
      return;
    case RequestReader::State::kExecuting:
    case RequestReader::State::kFinished: return;
  }
}

void Session::OnIdleTick(int64_t now_ns) {
  const Limits& limits = host_.limits();
  if (requests_.input().empty()) {  // an idle connection holds no memory
    requests_.Shrink();
    answer_.output().Shrink();
  }
  const auto limit = draining_ ? std::min(limits.drain_idle, limits.idle_timeout) : limits.idle_timeout;
  if (requests_.clock().Passed(now_ns, limit)) Finish();
}

}  // namespace inferd::net::http1
