#include "net/server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/un.h>
#include <unistd.h>

#include <filesystem>
#include <future>
#include <map>

#include "base/mutex.h"
#include "tests/support/raw_client.h"

namespace inferd::net {
namespace {

using ::inferd::support::RawClient;
using std::chrono::milliseconds;
using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr std::string_view kGet = "GET /v2 HTTP/1.1\r\nHost: a\r\n\r\n";
constexpr milliseconds kLong{10'000};

// Requests that wait for the test to answer them.
class HeldReplies {
 public:
  void Add(Reply reply) {
    const base::MutexLock lock(mutex_);
    replies_.push_back(std::move(reply));
    changed_.NotifyAll();
  }
  Reply Take() {
    const base::MutexLock lock(mutex_);
    while (replies_.empty()) changed_.Wait(mutex_);
    Reply reply = std::move(replies_.back());
    replies_.pop_back();
    return reply;
  }

 private:
  base::Mutex mutex_;
  base::CondVar changed_;
  std::vector<Reply> replies_ GUARDED_BY(mutex_);
};

// Makes a loop's thread wait for the test.
struct HeldLoop {
  std::promise<void> entered;
  std::promise<void> released;
};

// Echoes. "/hold" waits for the test, "/block" blocks its loop too, "/drain" waits for the drain, "/big" answers 64 MB.
class TestHandler final : public HttpHandler {
 public:
  TestHandler(HeldReplies& held, HeldLoop& held_loop) : held_(held), held_loop_(held_loop) {}
  BodyPlan OnHead(const RequestHead&) override { return {}; }
  void OnRequest(HttpRequest request, Reply reply) override {
    if (request.head.target == "/hold") return held_.Add(std::move(reply));
    if (request.head.target == "/drain") {
      until_drain_.push_back(std::move(reply));
      return;
    }
    if (request.head.target == "/block") {
      held_loop_.entered.set_value();
      held_loop_.released.get_future().wait();
    }
    HttpResponse response;
    if (request.head.target == "/big") {
      const base::BufferSlice piece(base::Buffer::CopyOf(std::string(1 << 20, 'b')));
      for (int i = 0; i < 64; ++i) response.body.push_back(piece);
    } else if (!request.body.empty()) {
      response.body.push_back(request.body);
    }
    reply.Send(std::move(response));
  }
  void OnDrain() override {
    for (Reply& reply : until_drain_) reply.Send(HttpResponse::Text(200, "", "drained"));
  }

 private:
  HeldReplies& held_;
  HeldLoop& held_loop_;
  std::vector<Reply> until_drain_;
};

class ServerTest : public ::testing::Test {
 protected:
  ServerTest() {
    limits_.header_timeout = milliseconds(60);
    limits_.body_timeout = milliseconds(60);
    limits_.idle_timeout = milliseconds(5000);
    limits_.drain_idle = milliseconds(40);
    limits_.connections_max = 50;
    limits_.body_bytes_max = 100 << 20;
    limits_.body_bytes_in_flight_max = 200 << 20;
  }
  void Start() {
    server_ = std::make_unique<Server>(loops_, limits_, &registry_, *logger_);
    ASSERT_TRUE(server_->Listen(Options()).ok());
  }
  ListenerOptions Options() {
    ListenerOptions options;
    options.name = "http";
    options.address = "127.0.0.1";
    options.handlers = [this](Loop&) { return std::make_unique<TestHandler>(held_, held_loop_); };
    return options;
  }
  uint16_t port() const { return server_->port("http"); }
  // Answers from this thread, as an engine would.
  static void Answer(Reply reply, std::string_view text) {
    Loop& loop = reply.loop();
    loop.Post([reply = std::move(reply), text = std::string(text)]() mutable {
      reply.Send(HttpResponse::Text(200, "", text));
    });
  }
  void ExpectNothingLeft() {
    EXPECT_TRUE(server_->WaitUntilIdle(kLong));
    EXPECT_EQ(server_->requests_in_flight(), 0u);
    EXPECT_EQ(server_->body_bytes_in_flight(), 0u);
  }

  Limits limits_;
  HeldReplies held_;
  HeldLoop held_loop_;
  metrics::Registry registry_;
  std::unique_ptr<base::Logger> logger_ = base::Logger::Silent();
  LoopGroup loops_{2};
  std::unique_ptr<Server> server_;
};

TEST_F(ServerTest, EchoesOnOneConnection) {
  Start();
  RawClient client(port());
  for (const size_t size : {size_t{5}, size_t{100'000}, size_t{3'000'000}}) {
    const std::string body = std::string(size, 'x') + "end";
    std::future<bool> sent = std::async(std::launch::async, [&] {
      return client.Send("POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" +
                         body);
    });
    EXPECT_THAT(client.ReadUntil("end"), EndsWith("\r\n\r\n" + body));
    EXPECT_TRUE(sent.get());
  }
  EXPECT_EQ(server_->connections(), 1u);
  EXPECT_THAT(registry_.PrometheusText(), HasSubstr("inferd_http_requests_total{code=\"200\"} 3\n"));
  client.Close();
  ExpectNothingLeft();
}

// A client that learns on one port that the server is ready must find the other ports open.
TEST_F(ServerTest, NoListenerAnswersBeforeAllAreBound) {
  server_ = std::make_unique<Server>(loops_, limits_, &registry_, *logger_);
  ASSERT_TRUE(server_->Bind(Options()).ok());
  RawClient early(port());
  early.Send("GET /early HTTP/1.1\r\nHost: a\r\n\r\n");
  ListenerOptions other = Options();
  other.name = "other";
  ASSERT_TRUE(server_->Bind(std::move(other)).ok());
  EXPECT_EQ(server_->connections(), 0u);
  RawClient second(server_->port("other"));
  server_->Accept();
  EXPECT_THAT(early.ReadUntil("\r\n\r\n"), StartsWith("HTTP/1.1 200 OK\r\n"));
  second.Send("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
  EXPECT_THAT(second.ReadUntil("\r\n\r\n"), StartsWith("HTTP/1.1 200 OK\r\n"));
}

TEST_F(ServerTest, AnswersFromAnotherThread) {
  Start();
  RawClient client(port());
  client.Send("GET /hold HTTP/1.1\r\nHost: a\r\n\r\n");
  Answer(held_.Take(), "from afar");
  EXPECT_THAT(client.ReadUntil("afar"), StartsWith("HTTP/1.1 200 OK\r\n"));
}

TEST_F(ServerTest, ConnectionsFillALoopAndThenSpread) {
  limits_.connections_per_loop = 2;
  Start();
  std::vector<std::unique_ptr<RawClient>> clients;
  std::map<size_t, int> loops;
  std::vector<Reply> replies;
  const auto connect = [&] {
    clients.push_back(std::make_unique<RawClient>(port()));
    clients.back()->Send("GET /hold HTTP/1.1\r\nHost: a\r\n\r\n");
    replies.push_back(held_.Take());
    ++loops[replies.back().loop().index()];
  };
  connect();
  connect();
  EXPECT_EQ(loops, (std::map<size_t, int>{{0, 2}}));
  for (int i = 0; i < 4; ++i) connect();
  EXPECT_EQ(loops, (std::map<size_t, int>{{0, 3}, {1, 3}}));
}

// The loop whose turn is next, and that of the first connection.
TEST_F(ServerTest, WhoComesWhileALoopIsHeldIsServedByAnother) {
  limits_.loop_held_after = milliseconds(0);
  Start();
  RawClient holder(port());
  holder.Send("GET /block HTTP/1.1\r\nHost: a\r\n\r\n");
  held_loop_.entered.get_future().wait();
  RawClient next(port());
  next.Send(kGet);
  EXPECT_THAT(next.ReadUntil("\r\n\r\n"), StartsWith("HTTP/1.1 200 OK\r\n"));
  held_loop_.released.set_value();
  EXPECT_THAT(holder.ReadUntil("\r\n\r\n"), StartsWith("HTTP/1.1 200 OK\r\n"));
}

TEST_F(ServerTest, SlowHeadsAndBodiesAreToldSoAndClosed) {
  Start();
  for (const char* start :
       {"GET / HTTP/1.1\r\nHo", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\n\r\nabc"}) {
    RawClient client(port());
    client.Send(start);
    EXPECT_THAT(client.ReadUntil(), StartsWith("HTTP/1.1 408 Request Timeout\r\n"));
    client.Close();
  }
  ExpectNothingLeft();
}

TEST_F(ServerTest, IdleConnectionsAreClosedSilently) {
  limits_.idle_timeout = milliseconds(40);
  Start();
  RawClient silent(port());
  EXPECT_EQ(silent.ReadUntil(), "");
  RawClient once(port());
  once.Send(kGet);
  EXPECT_THAT(once.ReadUntil(), EndsWith("Content-Length: 0\r\n\r\n"));
  silent.Close();
  once.Close();
  ExpectNothingLeft();
}

TEST_F(ServerTest, AHalfClosedClientGetsItsAnswer) {
  Start();
  RawClient client(port());
  client.Send("GET /hold HTTP/1.1\r\nHost: a\r\n\r\n");
  client.FinishSending();
  Reply reply = held_.Take();
  std::promise<void> gone;
  reply.loop().Post([&] { reply.OnPeerGone([&gone] { gone.set_value(); }); });
  gone.get_future().wait();
  Answer(std::move(reply), "running work is answered");
  EXPECT_THAT(client.ReadUntil(), EndsWith("running work is answered"));
  ExpectNothingLeft();
}

// The connection is not read while so many bytes wait after a request.
TEST_F(ServerTest, AClientThatLeavesWhatItPipelinedCancelsItsRequest) {
  Start();
  RawClient client(port());
  client.Send("GET /hold HTTP/1.1\r\nHost: a\r\n\r\n" + std::string(64 << 10, 'x'));
  Reply reply = held_.Take();
  std::promise<void> gone;
  std::promise<void> asked;
  reply.loop().Post([&] {
    reply.OnPeerGone([&gone] { gone.set_value(); });
    asked.set_value();
  });
  asked.get_future().wait();
  client.Close();
  gone.get_future().wait();
  Answer(std::move(reply), "nobody reads this");
  ExpectNothingLeft();
}

TEST_F(ServerTest, AResetClientCancelsItsRequest) {
  Start();
  RawClient client(port());
  client.Send("GET /hold HTTP/1.1\r\nHost: a\r\n\r\n");
  Reply reply = held_.Take();
  std::promise<void> gone;
  std::promise<void> asked;
  reply.loop().Post([&] {
    reply.OnPeerGone([&gone] { gone.set_value(); });
    asked.set_value();
  });
  asked.get_future().wait();
  client.Reset();
  gone.get_future().wait();
  ExpectNothingLeft();
  Answer(std::move(reply), "nobody reads this");
}

TEST_F(ServerTest, BrokenClientsLeaveNothing) {
  Start();
  const std::string post = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n\r\n" + std::string(70'000, 'x');
  for (const std::string& bytes :
       {std::string("\x16\x03\x01\x02garbage\r\n\r\n"), std::string(300'000, 'g'), std::string("\0\0\0", 3),
        std::string("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 200000000\r\n\r\n"), post,
        std::string("GET / HTTP/1.1\r\nHost")}) {
    RawClient truncated(port());
    truncated.Send(bytes);
    truncated.FinishSending();
    truncated.ReadUntil();
    RawClient reset(port());
    reset.Send(bytes);
    reset.Reset();
  }
  ExpectNothingLeft();
}

TEST_F(ServerTest, ALateAnswerReachesAPeerThatStillSends) {
  Start();
  RawClient client(port());
  // The request is refused at its head. The rest is more than the sockets hold, and must not reset the response away.
  client.Send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 200000000\r\n\r\n");
  client.Send(std::string(1 << 20, 'x'));
  EXPECT_THAT(client.ReadUntil(), StartsWith("HTTP/1.1 413 "));
}

TEST_F(ServerTest, APeerThatDoesNotReadIsCutOff) {
  Start();
  RawClient client(port());
  client.Send("GET /big HTTP/1.1\r\nHost: a\r\n\r\n");
  ExpectNothingLeft();
}

TEST_F(ServerTest, ABigAnswerArrivesWhole) {
  limits_.body_timeout = kLong;
  Start();
  RawClient client(port());
  client.Send("GET /big HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
  const std::string answer = client.ReadUntil();
  EXPECT_EQ(answer.size() - answer.find("\r\n\r\n") - 4, size_t{64} << 20);
  client.Close();
  ExpectNothingLeft();
}

TEST_F(ServerTest, TooManyConnectionsAreToldSo) {
  limits_.connections_max = 2;
  Start();
  RawClient first(port());
  RawClient second(port());
  first.Send(kGet);
  second.Send(kGet);
  first.ReadUntil("\r\n\r\n");
  second.ReadUntil("\r\n\r\n");
  RawClient third(port());
  EXPECT_THAT(third.ReadUntil(), StartsWith("HTTP/1.1 503 Service Unavailable\r\n"));
  first.Close();
  second.Close();
  ExpectNothingLeft();
  RawClient fourth(port());
  fourth.Send(kGet);
  EXPECT_THAT(fourth.ReadUntil("\r\n\r\n"), StartsWith("HTTP/1.1 200 OK\r\n"));
}

TEST_F(ServerTest, VitalRequestsFindRoomBeyondTheLimit) {
  limits_.connections_max = 1;
  limits_.connections_reserved = 1;
  server_ = std::make_unique<Server>(loops_, limits_, &registry_, *logger_);
  ListenerOptions options = Options();
  options.vital = [](const RequestHead& head) { return head.target == "/health"; };
  ASSERT_TRUE(server_->Listen(std::move(options)).ok());
  options = Options();
  options.name = "apart";
  options.apart = true;
  ASSERT_TRUE(server_->Listen(std::move(options)).ok());
  const std::string health = "GET /health HTTP/1.1\r\nHost: a\r\n\r\n";
  RawClient first(port());
  first.Send(kGet);
  first.ReadUntil("\r\n\r\n");
  for (int i = 0; i < 3; ++i) {
    RawClient checks(port());
    checks.Send(health);
    EXPECT_THAT(checks.ReadUntil(), AllOf(StartsWith("HTTP/1.1 200 OK\r\n"), HasSubstr("Connection: close\r\n")));
    checks.Close();
    while (server_->connections() > 1) std::this_thread::yield();
    RawClient asks(port());
    asks.Send(kGet);
    EXPECT_THAT(asks.ReadUntil(), AllOf(StartsWith("HTTP/1.1 503 "), HasSubstr("Retry-After: 1\r\n")));
    asks.Close();
    while (server_->connections() > 1) std::this_thread::yield();
  }
  // The other listener's room is its own, and so is the room beyond the limit.
  RawClient apart(server_->port("apart"));
  for (int i = 0; i < 2; ++i) {
    apart.Send(kGet);
    EXPECT_THAT(apart.ReadUntil("\r\n\r\n"), StartsWith("HTTP/1.1 200 OK\r\n"));
  }
  EXPECT_THAT(RawClient(server_->port("apart")).ReadUntil(), StartsWith("HTTP/1.1 503 "));
  RawClient silent(port());
  while (server_->connections() < 3) std::this_thread::yield();
  EXPECT_THAT(RawClient(port()).ReadUntil(), StartsWith("HTTP/1.1 503 "));
}

TEST_F(ServerTest, ListenersApartAndNewcomersAreServedThoughAllLoopsAreHeld) {
  limits_.loop_held_after = milliseconds(20);
  LoopGroup one(1);
  server_ = std::make_unique<Server>(one, limits_, &registry_, *logger_);
  ASSERT_TRUE(server_->Listen(Options()).ok());
  ListenerOptions options = Options();
  options.name = "apart";
  options.apart = true;
  ASSERT_TRUE(server_->Listen(std::move(options)).ok());
  RawClient apart(server_->port("apart"));
  RawClient holder(port());
  holder.Send("GET /block HTTP/1.1\r\nHost: a\r\n\r\n");
  held_loop_.entered.get_future().wait();
  const auto entered = std::chrono::steady_clock::now();
  apart.Send(kGet);
  EXPECT_THAT(apart.ReadUntil("\r\n\r\n"), StartsWith("HTTP/1.1 200 OK\r\n"));
  while (std::chrono::steady_clock::now() - entered <= 2 * limits_.loop_held_after) std::this_thread::yield();
  RawClient next(port());
  next.Send(kGet);
  EXPECT_THAT(next.ReadUntil("\r\n\r\n"), StartsWith("HTTP/1.1 200 OK\r\n"));
  // A drain does not wait for it either.
  server_->AnnounceDrain();
  server_->RefuseConnections();
  server_->BeginDrain();
  EXPECT_FALSE(server_->WaitUntilIdle(milliseconds(1)));
  // This is enough time for the other loops, even on a busy machine.
  EXPECT_EQ(server_->StopWithin(milliseconds(1000)), std::vector<std::string>{"loop-0"});
  held_loop_.released.set_value();
  one.Stop();
  server_.reset();
}

TEST_F(ServerTest, APortInUseIsNamed) {
  Start();
  ListenerOptions options = Options();
  options.port = port();
  const base::Status status = server_->Listen(std::move(options));
  EXPECT_EQ(status.code(), base::StatusCode::kAlreadyExists);
  EXPECT_EQ(status.message(), "cannot listen on 127.0.0.1:" + std::to_string(port()) + ": Address already in use");
  options = Options();
  options.address = "no.such.host.invalid";
  EXPECT_EQ(server_->Listen(std::move(options)).code(), base::StatusCode::kInvalidArgument);
}

TEST_F(ServerTest, ListensOnAUnixSocket) {
  Start();
  const std::string path =
      (std::filesystem::temp_directory_path() / ("inferd-" + std::to_string(getpid()) + ".sock")).string();
  ListenerOptions options = Options();
  options.name = "unix";
  options.unix_path = path;
  ASSERT_TRUE(server_->Listen(std::move(options)).ok());
  EXPECT_EQ(server_->port("unix"), 0);
  const base::FileDescriptor fd(socket(AF_UNIX, SOCK_STREAM, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  path.copy(address.sun_path, sizeof(address.sun_path) - 1);
  ASSERT_EQ(connect(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)), 0);
  ASSERT_EQ(send(fd.get(), kGet.data(), kGet.size(), 0), static_cast<ssize_t>(kGet.size()));
  std::array<char, 12> answer;
  ASSERT_EQ(recv(fd.get(), answer.data(), answer.size(), MSG_WAITALL), 12);
  EXPECT_EQ(std::string_view(answer.data(), answer.size()), "HTTP/1.1 200");
  server_->Stop();
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST_F(ServerTest, AUnixSocketMayBeForOneProcess) {
  Start();
  const std::string path =
      (std::filesystem::temp_directory_path() / ("inferd-" + std::to_string(getpid()) + ".own.sock")).string();
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  path.copy(address.sun_path, sizeof(address.sun_path) - 1);
  for (const bool own : {true, false}) {
    ListenerOptions options = Options();
    options.name = own ? "own" : "other";
    options.unix_path = path;
    options.unix_client_pid = static_cast<uint32_t>(own ? getpid() : getppid());
    std::filesystem::remove(path);
    ASSERT_TRUE(server_->Listen(std::move(options)).ok());
    const base::FileDescriptor fd(socket(AF_UNIX, SOCK_STREAM, 0));
    ASSERT_EQ(connect(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)), 0);
    // The connection may be closed before everything is sent.
    static_cast<void>(send(fd.get(), kGet.data(), kGet.size(), MSG_NOSIGNAL));
    std::array<char, 12> answer;
    EXPECT_EQ(recv(fd.get(), answer.data(), answer.size(), MSG_WAITALL) == 12, own);
  }
}

TEST_F(ServerTest, DrainLetsRequestsFinishAndClosesTheRest) {
  Start();
  RawClient idle(port());
  idle.Send(kGet);
  idle.ReadUntil("\r\n\r\n");
  RawClient busy(port());
  busy.Send("GET /hold HTTP/1.1\r\nHost: a\r\n\r\n");
  Reply reply = held_.Take();
  server_->BeginDrain();
  EXPECT_EQ(idle.ReadUntil(), "");
  EXPECT_FALSE(RawClient(port()).connected());
  EXPECT_FALSE(server_->WaitUntilIdle(milliseconds(1)));
  Answer(std::move(reply), "done");
  EXPECT_THAT(busy.ReadUntil(), HasSubstr("Connection: close\r\n"));
  idle.Close();
  busy.Close();
  ExpectNothingLeft();
}

TEST_F(ServerTest, ConnectionsThatHaveBegunAreServedThoughNoMoreBegin) {
  Start();
  server_->AnnounceDrain();
  RawClient first(port());
  first.Send(kGet);
  EXPECT_THAT(first.ReadUntil("\r\n\r\n"), HasSubstr("Connection: close\r\n"));
  RawClient begun(port());
  server_->RefuseConnections();
  begun.Send(kGet);
  server_->BeginDrain();
  EXPECT_THAT(begun.ReadUntil("\r\n\r\n"), HasSubstr("Connection: close\r\n"));
  first.Close();
  begun.Close();
  ExpectNothingLeft();
}

// Requests are answered that a client sends while its connection is being accepted, or after it has long been idle.
TEST_F(ServerTest, NothingIsLostThatWasSentBeforeTheEnd) {
  limits_.drain_idle = milliseconds(5000);
  Start();
  std::vector<std::unique_ptr<RawClient>> clients;
  for (int i = 0; i < 20; ++i) {
    clients.push_back(std::make_unique<RawClient>(port()));
    if (i % 2 == 0) clients.back()->Send(kGet);
  }
  server_->BeginDrain();
  for (int i = 1; i < 20; i += 2) clients[static_cast<size_t>(i)]->Send(kGet);
  for (auto& client : clients) {
    EXPECT_THAT(client->ReadUntil("\r\n\r\n"), StartsWith("HTTP/1.1 200 OK\r\n"));
  }
  clients.clear();
  ExpectNothingLeft();
}

TEST_F(ServerTest, HandlersHearOfTheDrain) {
  Start();
  RawClient client(port());
  client.Send("GET /drain HTTP/1.1\r\nHost: a\r\n\r\n");
  RawClient other(port());
  other.Send(kGet);
  other.ReadUntil("\r\n\r\n");
  while (server_->requests_in_flight() == 0) std::this_thread::yield();
  server_->BeginDrain();
  EXPECT_THAT(client.ReadUntil(), EndsWith("drained"));
  client.Close();
  other.Close();
  ExpectNothingLeft();
}

TEST_F(ServerTest, StopCutsOffWhatRunsAndRepliesFindNothing) {
  Start();
  RawClient client(port());
  client.Send("GET /hold HTTP/1.1\r\nHost: a\r\n\r\n");
  Reply reply = held_.Take();
  server_.reset();
  EXPECT_EQ(client.ReadUntil(), "");
  Answer(std::move(reply), "too late");
  loops_.Stop();
}

}  // namespace
}  // namespace inferd::net
