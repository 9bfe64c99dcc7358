#include "net/tls.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <openssl/ssl.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "net/server.h"
#include "tests/support/certificates.h"
#include "tests/support/raw_client.h"

namespace inferd::net {
namespace tls_test {

using ::inferd::support::CertificateAuthority;
using ::inferd::support::RawClient;
using ::testing::EndsWith;
using ::testing::HasSubstr;

constexpr std::string_view kGet = "GET /v2 HTTP/1.1\r\nHost: a\r\n\r\n";

class EchoHandler final : public HttpHandler {
 public:
  BodyPlan OnHead(const RequestHead& head) override {
    EXPECT_TRUE(head.tls);
    return {};
  }
  void OnRequest(HttpRequest request, Reply reply) override {
    HttpResponse response = HttpResponse::Text(200, "text/plain", request.body.empty() ? "secret" : "");
    if (!request.body.empty()) response.body.push_back(request.body);
    reply.Send(std::move(response));
  }
};

// Answers whether the request came over TLS.
class TransportHandler final : public HttpHandler {
 public:
  BodyPlan OnHead(const RequestHead&) override { return {}; }
  void OnRequest(HttpRequest request, Reply reply) override {
    reply.Send(HttpResponse::Text(200, "text/plain", request.head.tls ? "over TLS" : "plainly"));
  }
};

// A blocking TLS client.
class TlsClient {
 public:
  struct Options {
    int max_version = TLS1_3_VERSION;
    std::string alpn;         // length-prefixed names
    std::string certificate;  // stem of the files' names
  };
  TlsClient(uint16_t port, const std::string& ca_file, const Options& options)
      : raw_(port), context_(SSL_CTX_new(TLS_client_method()), &SSL_CTX_free), ssl_(nullptr, &SSL_free) {
    SSL_CTX_load_verify_locations(context_.get(), ca_file.c_str(), nullptr);
    SSL_CTX_set_verify(context_.get(), SSL_VERIFY_PEER, nullptr);
    SSL_CTX_set_max_proto_version(context_.get(), options.max_version);
    SSL_CTX_set_options(context_.get(), SSL_OP_IGNORE_UNEXPECTED_EOF);
    if (!options.certificate.empty()) {
      SSL_CTX_use_certificate_chain_file(context_.get(), (options.certificate + ".pem").c_str());
      SSL_CTX_use_PrivateKey_file(context_.get(), (options.certificate + ".key").c_str(), SSL_FILETYPE_PEM);
    }
    ssl_.reset(SSL_new(context_.get()));
    if (!options.alpn.empty()) {
      SSL_set_alpn_protos(ssl_.get(), reinterpret_cast<const unsigned char*>(options.alpn.data()),
                          static_cast<unsigned int>(options.alpn.size()));
    }
    SSL_set_fd(ssl_.get(), raw_.fd());
    connected_ = SSL_connect(ssl_.get()) == 1;
  }
  bool connected() const { return connected_; }
  bool Send(std::string_view bytes) { return SSL_write(ssl_.get(), bytes.data(), static_cast<int>(bytes.size())) > 0; }
  std::string ReadUntil(std::string_view end) {
    std::string text;
    std::array<char, 16 * 1024> part;
    while (!text.ends_with(end)) {
      const int got = SSL_read(ssl_.get(), part.data(), part.size());
      if (got <= 0) break;
      text.append(part.data(), static_cast<size_t>(got));
    }
    return text;
  }
  std::string peer_name() const {
    const std::unique_ptr<X509, decltype(&X509_free)> certificate(SSL_get1_peer_certificate(ssl_.get()), &X509_free);
    std::array<char, 100> name{};
    X509_NAME_get_text_by_NID(X509_get_subject_name(certificate.get()), NID_commonName, name.data(), name.size());
    return name.data();
  }
  std::string protocol() const {
    const unsigned char* name = nullptr;
    unsigned int size = 0;
    SSL_get0_alpn_selected(ssl_.get(), &name, &size);
    return {reinterpret_cast<const char*>(name), size};
  }

 private:
  RawClient raw_;
  std::unique_ptr<SSL_CTX, decltype(&SSL_CTX_free)> context_;
  std::unique_ptr<SSL, decltype(&SSL_free)> ssl_;
  bool connected_ = false;
};

class TlsTest : public ::testing::Test {
 protected:
  TlsTest() : folder_(std::filesystem::temp_directory_path() / ("inferd-tls-" + std::to_string(getpid()))) {
    std::filesystem::create_directories(folder_);
    authority_.Write(File("ca.pem"));
    authority_.Issue("first", File("server"));
  }
  ~TlsTest() override { std::filesystem::remove_all(folder_); }

  std::string File(const std::string& name) const { return (folder_ / name).string(); }
  TlsOptions Files() const {
    return {.certificate_file = File("server.pem"), .key_file = File("server.key"), .client_ca_file = ""};
  }
  template <typename Handler = EchoHandler>
  void Start(const TlsOptions& tls) {
    ListenerOptions options;
    options.name = "https";
    options.address = "127.0.0.1";
    options.tls = tls;
    options.handlers = [](Loop&) { return std::make_unique<Handler>(); };
    ASSERT_TRUE(server_.Listen(std::move(options)).ok());
  }
  TlsClient Connect(const TlsClient::Options& options = {}) { return {server_.port("https"), File("ca.pem"), options}; }

  std::filesystem::path folder_;
  CertificateAuthority authority_;
  std::unique_ptr<base::Logger> logger_ = base::Logger::Silent();
  LoopGroup loops_{1};
  Server server_{loops_, Limits(), nullptr, *logger_};
};

TEST_F(TlsTest, ServesVersions12And13) {
  Start(Files());
  for (const int version : {TLS1_2_VERSION, TLS1_3_VERSION}) {
    TlsClient client = Connect({.max_version = version, .alpn = "", .certificate = ""});
    ASSERT_TRUE(client.connected());
    for (int i = 0; i < 3; ++i) {
      client.Send(kGet);
      EXPECT_THAT(client.ReadUntil("secret"), EndsWith("\r\n\r\nsecret"));
    }
  }
  EXPECT_FALSE(Connect({.max_version = TLS1_1_VERSION, .alpn = "", .certificate = ""}).connected());
}

TEST_F(TlsTest, LongBodiesPassBothWays) {
  Start(Files());
  TlsClient client = Connect();
  const std::string body = std::string(5'000'000, 'x') + "end";
  // The echo begins when everything has arrived, so that writing first and then reading cannot deadlock.
  client.Send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n");
  for (size_t at = 0; at < body.size(); at += 100'000)
    ASSERT_TRUE(client.Send(std::string_view(body).substr(at, 100'000)));
  EXPECT_THAT(client.ReadUntil("end"), EndsWith("\r\n\r\n" + body));
}

TEST_F(TlsTest, ChoosesTheProtocolByAlpn) {
  Start(Files());
  EXPECT_EQ(Connect({.max_version = TLS1_3_VERSION, .alpn = "\x08http/1.1\x02h2", .certificate = ""}).protocol(), "h2");
  EXPECT_EQ(Connect({.max_version = TLS1_3_VERSION, .alpn = "\x08http/1.1", .certificate = ""}).protocol(), "http/1.1");
  TlsClient other = Connect({.max_version = TLS1_3_VERSION, .alpn = "\x04spdy", .certificate = ""});
  EXPECT_TRUE(other.connected());
  EXPECT_EQ(other.protocol(), "");
}

TEST_F(TlsTest, ReloadServesNewConnectionsAndKeepsOpenOnes) {
  Start(Files());
  TlsClient old = Connect();
  EXPECT_EQ(old.peer_name(), "first");
  authority_.Issue("second", File("server"));
  EXPECT_EQ(Connect().peer_name(), "first");
  ASSERT_TRUE(server_.ReloadTls().ok());
  EXPECT_EQ(Connect().peer_name(), "second");
  old.Send(kGet);
  EXPECT_THAT(old.ReadUntil("secret"), EndsWith("secret"));
  // Unreadable files change nothing.
  std::ofstream(File("server.key")) << "broken";
  const base::Status status = server_.ReloadTls();
  EXPECT_EQ(status.code(), base::StatusCode::kInvalidArgument);
  EXPECT_THAT(status.message(), HasSubstr("listener 'https': TLS key"));
  EXPECT_EQ(Connect().peer_name(), "second");
}

TEST_F(TlsTest, ACertificateInMemoryIsAskedForAtEachReload) {
  const auto text_of = [this](const std::string& name) {
    std::ifstream file(File(name));
    return std::string(std::istreambuf_iterator<char>(file), {});
  };
  const auto read = [&] { return PemPair{.certificate = text_of("server.pem"), .key = text_of("server.key")}; };
  PemPair own = read();
  TlsOptions options;
  options.own_certificate = [&own] { return own; };
  Start(options);
  TlsClient old = Connect();
  EXPECT_EQ(old.peer_name(), "first");
  authority_.Issue("second", File("server"));
  const PemPair second = read();
  for (const PemPair& broken : {PemPair{.certificate = second.certificate, .key = own.key},
                                PemPair{.certificate = "x", .key = second.key}, PemPair{}}) {
    own = broken;
    EXPECT_EQ(server_.ReloadTls().code(), base::StatusCode::kInvalidArgument);
    EXPECT_EQ(Connect().peer_name(), "first");
  }
  own = second;
  own.certificate += text_of("ca.pem");
  ASSERT_TRUE(server_.ReloadTls().ok());
  EXPECT_EQ(Connect().peer_name(), "second");
  old.Send(kGet);
  EXPECT_THAT(old.ReadUntil("secret"), EndsWith("secret"));
}

TEST_F(TlsTest, AsksForClientCertificates) {
  TlsOptions files = Files();
  files.client_ca_file = File("ca.pem");
  files.require_client_certificate = true;
  Start(files);
  authority_.Issue("client", File("client"));
  CertificateAuthority().Issue("stranger", File("stranger"));
  const auto answer = [this](const std::string& certificate) {
    TlsClient client = Connect({.max_version = TLS1_3_VERSION, .alpn = "", .certificate = certificate});
    client.Send(kGet);
    return client.ReadUntil("secret");
  };
  EXPECT_THAT(answer(File("client")), EndsWith("secret"));
  EXPECT_EQ(answer(""), "");
  EXPECT_EQ(answer(File("stranger")), "");
}

TEST_F(TlsTest, FilesThatCannotBeUsedAreNamed) {
  TlsOptions missing = Files();
  missing.certificate_file = File("none.pem");
  const auto loaded = TlsContext::Load(missing);
  ASSERT_FALSE(loaded.has_value());
  EXPECT_EQ(loaded.error().code(), base::StatusCode::kInvalidArgument);
  EXPECT_THAT(loaded.error().message(), HasSubstr("TLS certificate '" + File("none.pem") + "'"));
  TlsOptions mixed = Files();
  authority_.Issue("other", File("other"));
  mixed.key_file = File("other.key");
  EXPECT_FALSE(TlsContext::Load(mixed).has_value());
  TlsOptions no_authorities = Files();
  no_authorities.client_ca_file = File("server.key");
  EXPECT_FALSE(TlsContext::Load(no_authorities).has_value());
}

TEST_F(TlsTest, OnePortServesClientsOfTlsAndPlainOnes) {
  TlsOptions both = Files();
  both.or_plain = true;
  Start<TransportHandler>(both);
  for (const char* const alpn : {"", "\x08http/1.1"}) {
    TlsClient client = Connect({.max_version = TLS1_3_VERSION, .alpn = alpn, .certificate = ""});
    ASSERT_TRUE(client.connected());
    client.Send(kGet);
    EXPECT_THAT(client.ReadUntil("over TLS"), EndsWith("over TLS"));
  }
  RawClient plain(server_.port("https"));
  plain.Send(kGet.substr(0, 1));
  plain.Send(kGet.substr(1));
  EXPECT_THAT(plain.ReadUntil("plainly"), EndsWith("plainly"));
  RawClient leaving(server_.port("https"));
  leaving.FinishSending();
  EXPECT_EQ(leaving.ReadUntil(), "");
  RawClient broken(server_.port("https"));
  broken.Send("\x16no record");
  broken.ReadUntil();
}

TEST_F(TlsTest, APlainOrBrokenClientLeavesNothing) {
  Start(Files());
  RawClient plain(server_.port("https"));
  plain.Send(kGet);
  plain.ReadUntil();
  RawClient silent(server_.port("https"));
  silent.Reset();
  plain.Close();
  EXPECT_TRUE(server_.WaitUntilIdle(std::chrono::milliseconds(10'000)));
}

}  // namespace tls_test
}  // namespace inferd::net
