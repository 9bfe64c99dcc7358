#include "net/tls.h"

#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <filesystem>
#include <span>
#include <system_error>
#include <utility>

#include "base/system/regular_file.h"

namespace inferd::net {

namespace {

SSL_CTX* Native(const TlsContext& context) { return static_cast<SSL_CTX*>(context.native()); }

base::Status FileError(const std::string& what, const std::string& file) {
  std::string reason = "cannot be used";
  if (const unsigned long code = ERR_get_error(); code != 0) {
    const char* text = ERR_reason_error_string(code);
    if (text != nullptr) reason = text;
  }
  ERR_clear_error();
  return base::InvalidArgument(what + " '" + file + "': " + reason);
}

// Selects the server's preference: h2, then http/1.1 (RFC 7301). A client that offers neither continues without ALPN.
int SelectProtocol(SSL*, const unsigned char** out, unsigned char* out_size, const unsigned char* offered,
                   unsigned int size, void*) {
  static constexpr unsigned char kOurs[] = "\x02h2\x08http/1.1";
  unsigned char* chosen = nullptr;
  if (SSL_select_next_proto(&chosen, out_size, kOurs, sizeof(kOurs) - 1, offered, size) != OPENSSL_NPN_NEGOTIATED) {
    return SSL_TLSEXT_ERR_NOACK;
  }
  *out = chosen;
  return SSL_TLSEXT_ERR_OK;
}

// OpenSSL would wait for a pipe. It reports missing files itself.
base::Status CheckRegular(std::span<const std::string> files) {
  for (const std::string& file : files) {
    if (file.empty()) continue;
    const auto opened = base::OpenRegularFile(file);
    if (!opened && opened.error().code() == base::StatusCode::kInvalidArgument)
      return opened.error().WithContext("TLS");
  }
  return base::OkStatus();
}

base::Status LoadOwnCertificate(SSL_CTX* context, const std::string& certificate_file, const std::string& key_file) {
  if (SSL_CTX_use_certificate_chain_file(context, certificate_file.c_str()) != 1) {
    return FileError("TLS certificate", certificate_file);
  }
  if (SSL_CTX_use_PrivateKey_file(context, key_file.c_str(), SSL_FILETYPE_PEM) != 1) {
    return FileError("TLS key", key_file);
  }
  if (SSL_CTX_check_private_key(context) != 1)
    return FileError("TLS key does not belong to the certificate:", key_file);
  return base::OkStatus();
}

base::Status MemoryError(const std::string& what) {
  ERR_clear_error();
  return base::InvalidArgument(what + " cannot be used");
}

// A key in memory has no passphrase: OpenSSL would ask for it at the terminal.
int NoPassphrase(char*, int, int, void*) { return 0; }

// Loads a certificate in memory, with the rest of its chain.
base::Status UseOwnCertificate(SSL_CTX* context, const PemPair& own) {
  using Bio = std::unique_ptr<BIO, decltype(&BIO_free)>;
  const Bio certificates(BIO_new_mem_buf(own.certificate.data(), static_cast<int>(own.certificate.size())), &BIO_free);
  const auto next = [&] {
    return std::unique_ptr<X509, decltype(&X509_free)>(
        PEM_read_bio_X509(certificates.get(), nullptr, &NoPassphrase, nullptr), &X509_free);
  };
  const auto first = next();
  if (first == nullptr || SSL_CTX_use_certificate(context, first.get()) != 1) return MemoryError("TLS certificate");
  for (auto chained = next(); chained != nullptr; chained = next()) {
    if (SSL_CTX_add1_chain_cert(context, chained.get()) != 1) return MemoryError("TLS certificate's chain");
  }
  ERR_clear_error();  // the error of the text's end
  const Bio keys(BIO_new_mem_buf(own.key.data(), static_cast<int>(own.key.size())), &BIO_free);
  const std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)> key(
      PEM_read_bio_PrivateKey(keys.get(), nullptr, &NoPassphrase, nullptr), &EVP_PKEY_free);
  if (key == nullptr || SSL_CTX_use_PrivateKey(context, key.get()) != 1) return MemoryError("TLS key");
  return base::OkStatus();
}

base::Status LoadServerCertificate(SSL_CTX* context, const TlsOptions& options) {
  if (options.own_certificate != nullptr) return UseOwnCertificate(context, options.own_certificate());
  return LoadOwnCertificate(context, options.certificate_file, options.key_file);
}

base::Status LoadFiles(SSL_CTX* context, const TlsOptions& options) {
  INFERD_RETURN_IF_ERROR(CheckRegular(std::array{options.certificate_file, options.key_file, options.client_ca_file}));
  INFERD_RETURN_IF_ERROR(LoadServerCertificate(context, options));
  if (options.client_ca_file.empty()) return base::OkStatus();
  STACK_OF(X509_NAME)* names = SSL_load_client_CA_file(options.client_ca_file.c_str());
  if (names == nullptr || SSL_CTX_load_verify_locations(context, options.client_ca_file.c_str(), nullptr) != 1) {
    sk_X509_NAME_pop_free(names, X509_NAME_free);
    return FileError("TLS client authorities", options.client_ca_file);
  }
  SSL_CTX_set_client_CA_list(context, names);
  SSL_CTX_set_verify(
      context, SSL_VERIFY_PEER | (options.require_client_certificate ? SSL_VERIFY_FAIL_IF_NO_PEER_CERT : 0), nullptr);
  return base::OkStatus();
}

base::Status LoadFiles(SSL_CTX* context, const ClientTlsOptions& options) {
  INFERD_RETURN_IF_ERROR(CheckRegular(std::array{options.ca_file, options.certificate_file, options.key_file}));
  SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nullptr);
  if (options.ca_file.empty() && options.ca_folder.empty()) SSL_CTX_set_default_verify_paths(context);
  if (!options.ca_file.empty() && SSL_CTX_load_verify_file(context, options.ca_file.c_str()) != 1) {
    return FileError("TLS authorities", options.ca_file);
  }
  if (!options.ca_folder.empty()) {
    std::error_code error;
    if (!std::filesystem::is_directory(options.ca_folder, error) ||
        SSL_CTX_load_verify_dir(context, options.ca_folder.c_str()) != 1) {
      return base::InvalidArgument("TLS authorities '" + options.ca_folder + "': there is no such folder");
    }
  }
  if (options.certificate_file.empty()) return base::OkStatus();
  return LoadOwnCertificate(context, options.certificate_file, options.key_file);
}

class TlsTransport final : public Transport {
 public:
  TlsTransport(int fd, std::shared_ptr<TlsContext> context)
      : context_(std::move(context)), plain_(fd), ssl_(SSL_new(Native(*context_)), &SSL_free) {
    SSL_set_accept_state(ssl_.get());
    BIO* bio = BIO_new(SocketMethod());
    BIO_set_data(bio, this);
    BIO_set_init(bio, 1);
    SSL_set_bio(ssl_.get(), bio, bio);
  }

  // Prepares the client's side, for a server whose certificate is for `name`. Returns false if it is not a name.
  bool ConnectTo(const std::string& name) {
    SSL_set_connect_state(ssl_.get());
    if (X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl_.get()), name.c_str()) == 1) return true;
    return !name.empty() && SSL_set_tlsext_host_name(ssl_.get(), name.c_str()) == 1 &&
           SSL_set1_host(ssl_.get(), name.c_str()) == 1;
  }

  State Handshake() override { return StateOf(SSL_do_handshake(ssl_.get())); }

  Progress Read(std::span<std::byte> space) override {
    size_t bytes = 0;
    const State state = StateOf(SSL_read_ex(ssl_.get(), space.data(), space.size(), &bytes));
    return {state, bytes};
  }

  Progress Write(std::span<const base::BufferSlice> pieces, size_t offset) override {
    size_t bytes = 0;
    const std::byte* data = pieces[0].data() + offset;
    const State state = StateOf(SSL_write_ex(ssl_.get(), data, pieces[0].size() - offset, &bytes));
    return {state, bytes};
  }

  bool HasBuffered() const override { return SSL_has_pending(ssl_.get()) == 1; }

  void FinishWriting() override {
    ERR_clear_error();
    if (SSL_is_init_finished(ssl_.get()) == 1) SSL_shutdown(ssl_.get());
    ERR_clear_error();
    plain_.FinishWriting();
  }

  bool ChoseHttp2() const override {
    const unsigned char* name = nullptr;
    unsigned int size = 0;
    SSL_get0_alpn_selected(ssl_.get(), &name, &size);
    return size == 2 && name[0] == 'h' && name[1] == '2';
  }

  bool is_tls() const override { return true; }

  std::string Failure() const override { return failure_; }

 private:
  // OpenSSL's own socket BIO writes without MSG_NOSIGNAL.
  static const BIO_METHOD* SocketMethod() {
    static const BIO_METHOD* const method = [] {
      BIO_METHOD* made = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "inferd socket");
      BIO_meth_set_read_ex(made, &OnBioRead);
      BIO_meth_set_write_ex(made, &OnBioWrite);
      BIO_meth_set_ctrl(made, [](BIO*, int command, long, void*) -> long { return command == BIO_CTRL_FLUSH ? 1 : 0; });
      return made;
    }();
    return method;
  }

  static int OnBioRead(BIO* bio, char* data, size_t size, size_t* done) {
    auto& self = *static_cast<TlsTransport*>(BIO_get_data(bio));
    BIO_clear_retry_flags(bio);
    const Progress progress = self.plain_.Read({reinterpret_cast<std::byte*>(data), size});
    if (progress.state == State::kWantRead) BIO_set_retry_read(bio);
    if (progress.state == State::kEof) self.eof_ = true;
    *done = progress.bytes;
    return progress.state == State::kOk ? 1 : 0;
  }

  static int OnBioWrite(BIO* bio, const char* data, size_t size, size_t* done) {
    auto& self = *static_cast<TlsTransport*>(BIO_get_data(bio));
    BIO_clear_retry_flags(bio);
    const base::BufferSlice piece(base::Buffer(), reinterpret_cast<const std::byte*>(data), size);
    const Progress progress = self.plain_.Write({&piece, 1}, 0);
    if (progress.state == State::kWantWrite) BIO_set_retry_write(bio);
    *done = progress.bytes;
    return progress.state == State::kOk ? 1 : 0;
  }

  State StateOf(int result) {
    if (result == 1) return State::kOk;
    const int error = SSL_get_error(ssl_.get(), result);
    if (error == SSL_ERROR_SSL) NoteFailure();
    ERR_clear_error();
    switch (error) {
      case SSL_ERROR_WANT_READ: return State::kWantRead;
      case SSL_ERROR_WANT_WRITE: return State::kWantWrite;
      case SSL_ERROR_ZERO_RETURN: return State::kEof;
      default:
        // Many clients close without close_notify; HTTP's own framing tells whether a message is complete.
        return eof_ ? State::kEof : State::kFailed;
    }
  }

  void NoteFailure() {
    const long verified = SSL_get_verify_result(ssl_.get());
    const char* const reason = ERR_reason_error_string(ERR_peek_error());
    if (verified != X509_V_OK) {
      failure_ = X509_verify_cert_error_string(verified);
    } else if (reason != nullptr) {
      failure_ = reason;
    }
  }

  std::shared_ptr<TlsContext> context_;
  PlainTransport plain_;
  std::unique_ptr<SSL, decltype(&SSL_free)> ssl_;
  bool eof_ = false;
  std::string failure_;
};

constexpr uint64_t kModes =
    SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER | SSL_MODE_RELEASE_BUFFERS;

}  // namespace

base::Result<std::shared_ptr<TlsContext>> TlsContext::Load(const TlsOptions& options) {
  SSL_CTX* native = SSL_CTX_new(TLS_server_method());
  if (native == nullptr) return std::unexpected(base::Internal("cannot make a TLS context"));
  std::shared_ptr<TlsContext> context(new TlsContext(native));
  SSL_CTX_set_min_proto_version(native, TLS1_2_VERSION);
  SSL_CTX_set_options(native, SSL_OP_NO_RENEGOTIATION | SSL_OP_CIPHER_SERVER_PREFERENCE | SSL_OP_NO_COMPRESSION);
  SSL_CTX_set_mode(native, kModes);
  // Reads a record's head and body with one read of the socket.
  SSL_CTX_set_read_ahead(native, 1);
  SSL_CTX_set_alpn_select_cb(native, &SelectProtocol, nullptr);
  static constexpr unsigned char kSessionContext[] = "inferd";
  SSL_CTX_set_session_id_context(native, kSessionContext, sizeof(kSessionContext) - 1);
  INFERD_RETURN_IF_ERROR(LoadFiles(native, options));
  return context;
}

base::Result<std::shared_ptr<TlsContext>> TlsContext::LoadClient(const ClientTlsOptions& options) {
  SSL_CTX* native = SSL_CTX_new(TLS_client_method());
  if (native == nullptr) return std::unexpected(base::Internal("cannot make a TLS context"));
  std::shared_ptr<TlsContext> context(new TlsContext(native));
  SSL_CTX_set_min_proto_version(native, TLS1_2_VERSION);
  SSL_CTX_set_mode(native, kModes);
  SSL_CTX_set_read_ahead(native, 1);
  INFERD_RETURN_IF_ERROR(LoadFiles(native, options));
  return context;
}

TlsContext::~TlsContext() { SSL_CTX_free(static_cast<SSL_CTX*>(native_)); }

base::Result<std::unique_ptr<Transport>> MakeTlsClientTransport(int fd, std::shared_ptr<TlsContext> context,
                                                                const std::string& name) {
  auto transport = std::make_unique<TlsTransport>(fd, std::move(context));
  if (!transport->ConnectTo(name)) return std::unexpected(base::InvalidArgument("'" + name + "' is no server's name"));
  return transport;
}

std::unique_ptr<Transport> MakeTlsTransport(int fd, std::shared_ptr<TlsContext> context) {
  return std::make_unique<TlsTransport>(fd, std::move(context));
}

}  // namespace inferd::net
