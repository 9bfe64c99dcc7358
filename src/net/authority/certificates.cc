#include "net/authority/certificates.h"

#include <arpa/inet.h>
#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

#include <algorithm>
#include <array>
#include <ctime>
#include <memory>
#include <optional>
#include <span>
#include <utility>

namespace inferd::net {

namespace {

template <auto kFree>
struct Freed {
  template <typename T>
  void operator()(T* object) const {
    kFree(object);
  }
};
using KeyPointer = std::unique_ptr<EVP_PKEY, Freed<&EVP_PKEY_free>>;
using CertificatePointer = std::unique_ptr<X509, Freed<&X509_free>>;
using BioPointer = std::unique_ptr<BIO, Freed<&BIO_free>>;
using ExtensionPointer = std::unique_ptr<X509_EXTENSION, Freed<&X509_EXTENSION_free>>;
using NamesPointer = std::unique_ptr<GENERAL_NAMES, Freed<&GENERAL_NAMES_free>>;

constexpr int64_t kNotBeforeS = 1'577'836'800;  // 2020-01-01
constexpr int64_t kTimeMaxS = 7'258'118'400;    // 2200-01-01
constexpr size_t kNameMax = 40;
constexpr size_t kNamesMax = 100;
constexpr size_t kDnsNameMax = 253;
constexpr size_t kPemBytesMax = 64 << 10;
constexpr size_t kCertificatesMax = 16;
constexpr std::string_view kPemEnd = "-----END CERTIFICATE-----";

base::Status Failed(const std::string& what) {
  const char* const reason = ERR_reason_error_string(ERR_get_error());
  ERR_clear_error();
  return base::Internal(what + (reason == nullptr ? "" : std::string(": ") + reason));
}

BioPointer Reading(std::string_view text) {
  return BioPointer(BIO_new_mem_buf(text.data(), static_cast<int>(std::min(text.size(), kPemBytesMax))));
}

// Refuses passphrases, so that OpenSSL does not ask for one at a terminal.
int NoPassphrase(char*, int, int, void*) { return 0; }

CertificatePointer ParseCertificate(std::string_view pem) {
  const BioPointer bio = Reading(pem);
  CertificatePointer certificate(PEM_read_bio_X509(bio.get(), nullptr, &NoPassphrase, nullptr));
  ERR_clear_error();
  return certificate;
}

KeyPointer ParseKey(std::string_view pem) {
  const BioPointer bio = Reading(pem);
  KeyPointer key(PEM_read_bio_PrivateKey(bio.get(), nullptr, &NoPassphrase, nullptr));
  ERR_clear_error();
  return key;
}

std::string TextOf(BIO* bio) {
  char* data = nullptr;
  const long size = BIO_get_mem_data(bio, &data);
  return size > 0 ? std::string(data, static_cast<size_t>(size)) : std::string();
}

base::Result<PemPair> ToPem(X509* certificate, EVP_PKEY* key) {
  const BioPointer first(BIO_new(BIO_s_mem()));
  const BioPointer second(BIO_new(BIO_s_mem()));
  if (PEM_write_bio_X509(first.get(), certificate) != 1 ||
      PEM_write_bio_PKCS8PrivateKey(second.get(), key, nullptr, nullptr, 0, nullptr, nullptr) != 1) {
    return std::unexpected(Failed("cannot write a certificate"));
  }
  return PemPair{.certificate = TextOf(first.get()), .key = TextOf(second.get())};
}

// Returns an address in network order, or an empty text if it is not one.
std::string AddressBytes(const std::string& text) {
  std::array<char, 16> bytes{};
  if (inet_pton(AF_INET, text.c_str(), bytes.data()) == 1) return {bytes.data(), 4};
  if (inet_pton(AF_INET6, text.c_str(), bytes.data()) == 1) return {bytes.data(), 16};
  return {};
}

std::string AddressText(std::string_view bytes) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  const int family = bytes.size() == 4 ? AF_INET : AF_INET6;
  if (bytes.size() != 4 && bytes.size() != 16) return {};
  return inet_ntop(family, bytes.data(), text.data(), text.size()) == nullptr ? std::string() : text.data();
}

bool IsDnsName(std::string_view name) {
  return !name.empty() && name.size() <= kDnsNameMax && std::ranges::all_of(name, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '.';
  });
}

std::string_view BytesOf(const ASN1_STRING* text) {
  return {reinterpret_cast<const char*>(ASN1_STRING_get0_data(text)), static_cast<size_t>(ASN1_STRING_length(text))};
}

GENERAL_NAME* MakeName(const std::string& name) {
  const std::string address = AddressBytes(name);
  const std::string& bytes = address.empty() ? name : address;
  ASN1_STRING* const text = address.empty() ? ASN1_IA5STRING_new() : ASN1_OCTET_STRING_new();
  ASN1_STRING_set(text, bytes.data(), static_cast<int>(bytes.size()));
  GENERAL_NAME* const made = GENERAL_NAME_new();
  GENERAL_NAME_set0_value(made, address.empty() ? GEN_DNS : GEN_IPADD, text);
  return made;
}

bool AddNames(X509& certificate, const std::vector<std::string>& names) {
  const NamesPointer list(sk_GENERAL_NAME_new_null());
  for (const std::string& name : names) sk_GENERAL_NAME_push(list.get(), MakeName(name));
  return X509_add1_ext_i2d(&certificate, NID_subject_alt_name, list.get(), 0, X509V3_ADD_DEFAULT) == 1;
}

bool AddExtension(X509& certificate, X509V3_CTX& context, int id, const char* value) {
  const ExtensionPointer extension(X509V3_EXT_conf_nid(nullptr, &context, id, value));
  return extension != nullptr && X509_add_ext(&certificate, extension.get(), -1) == 1;
}

bool SetCommonName(X509& certificate, const std::string& name) {
  return X509_NAME_add_entry_by_txt(X509_get_subject_name(&certificate), "CN", MBSTRING_ASC,
                                    reinterpret_cast<const unsigned char*>(name.data()), static_cast<int>(name.size()),
                                    -1, 0) == 1;
}

// Returns 16 random bytes; the first makes the number positive and keeps its length.
std::optional<std::array<unsigned char, 16>> RandomSerial() {
  std::array<unsigned char, 16> bytes{};
  if (RAND_bytes(bytes.data(), static_cast<int>(bytes.size())) != 1) return std::nullopt;
  bytes[0] = static_cast<unsigned char>((bytes[0] & 0x3F) | 0x40);
  return bytes;
}

std::string Hex(std::span<const unsigned char> bytes) {
  static constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (const unsigned char byte : bytes) {
    text += kDigits[byte >> 4U];
    text += kDigits[byte & 0x0FU];
  }
  return text;
}

// Makes a certificate without its issuer and extensions.
CertificatePointer Begin(EVP_PKEY& key, std::span<const unsigned char> serial, int64_t not_after_s) {
  CertificatePointer made(X509_new());
  const std::unique_ptr<BIGNUM, Freed<&BN_free>> number(
      BN_bin2bn(serial.data(), static_cast<int>(serial.size()), nullptr));
  const bool done =
      X509_set_version(made.get(), X509_VERSION_3) == 1 &&
      BN_to_ASN1_INTEGER(number.get(), X509_get_serialNumber(made.get())) != nullptr &&
      ASN1_TIME_set(X509_getm_notBefore(made.get()), kNotBeforeS) != nullptr &&
      ASN1_TIME_set(X509_getm_notAfter(made.get()), std::clamp(not_after_s, int64_t{0}, kTimeMaxS)) != nullptr &&
      X509_set_pubkey(made.get(), &key) == 1;
  return done ? std::move(made) : nullptr;
}

std::optional<int64_t> SecondsOf(const ASN1_TIME* time) {
  std::tm parts{};
  if (ASN1_TIME_to_tm(time, &parts) != 1) return std::nullopt;
  return timegm(&parts);
}

std::vector<std::string> NamesOf(X509& certificate) {
  const NamesPointer list(
      static_cast<GENERAL_NAMES*>(X509_get_ext_d2i(&certificate, NID_subject_alt_name, nullptr, nullptr)));
  std::vector<std::string> names;
  for (int i = 0; list != nullptr && i < sk_GENERAL_NAME_num(list.get()); ++i) {
    int kind = 0;
    const void* const value = GENERAL_NAME_get0_value(sk_GENERAL_NAME_value(list.get(), i), &kind);
    if (kind == GEN_DNS) names.emplace_back(BytesOf(static_cast<const ASN1_STRING*>(value)));
    if (kind == GEN_IPADD) names.push_back(AddressText(BytesOf(static_cast<const ASN1_STRING*>(value))));
  }
  std::ranges::sort(names);
  return names;
}

}  // namespace

base::Result<PemPair> MakeAuthority(std::string_view name, int64_t not_after_s) {
  const KeyPointer key(EVP_EC_gen("P-256"));
  const auto serial = RandomSerial();
  if (key == nullptr || !serial.has_value()) return std::unexpected(Failed("cannot make a key"));
  const CertificatePointer made = Begin(*key, *serial, not_after_s);
  const std::string called = std::string(name.substr(0, kNameMax)) + " " + Hex(std::span(*serial).first(8));
  if (made == nullptr || !SetCommonName(*made, called)) return std::unexpected(Failed("cannot make an authority"));
  X509V3_CTX context;
  X509V3_set_ctx(&context, made.get(), made.get(), nullptr, nullptr, 0);
  const bool done = X509_set_issuer_name(made.get(), X509_get_subject_name(made.get())) == 1 &&
                    AddExtension(*made, context, NID_basic_constraints, "critical,CA:TRUE,pathlen:0") &&
                    AddExtension(*made, context, NID_key_usage, "critical,keyCertSign,cRLSign") &&
                    AddExtension(*made, context, NID_subject_key_identifier, "hash") &&
                    X509_sign(made.get(), key.get(), EVP_sha256()) > 0;
  if (!done) return std::unexpected(Failed("cannot make an authority"));
  return ToPem(made.get(), key.get());
}

bool IsCertificateName(std::string_view name) { return IsDnsName(name) || !AddressBytes(std::string(name)).empty(); }

base::Result<PemPair> IssueCertificate(const PemPair& authority, const std::vector<std::string>& names,
                                       int64_t not_after_s) {
  if (names.empty() || names.size() > kNamesMax) {
    return std::unexpected(base::InvalidArgument("a certificate is for 1 to " + std::to_string(kNamesMax) + " names"));
  }
  for (const std::string& name : names) {
    if (!IsCertificateName(name)) {
      return std::unexpected(base::InvalidArgument("'" + name + "' is no DNS name and no address"));
    }
  }
  const CertificatePointer issuer = ParseCertificate(authority.certificate);
  const KeyPointer issuer_key = ParseKey(authority.key);
  if (issuer == nullptr || issuer_key == nullptr || !IsPair(authority)) {
    return std::unexpected(base::InvalidArgument("the authority is no certificate with its key"));
  }
  const KeyPointer key(EVP_EC_gen("P-256"));
  const auto serial = RandomSerial();
  if (key == nullptr || !serial.has_value()) return std::unexpected(Failed("cannot make a key"));
  const CertificatePointer made = Begin(*key, *serial, not_after_s);
  // A common name has at most 64 characters; verifiers check the other names.
  if (made == nullptr || !SetCommonName(*made, names.front().substr(0, kNameMax))) {
    return std::unexpected(Failed("cannot make a certificate"));
  }
  X509V3_CTX context;
  X509V3_set_ctx(&context, issuer.get(), made.get(), nullptr, nullptr, 0);
  const bool done = X509_set_issuer_name(made.get(), X509_get_subject_name(issuer.get())) == 1 &&
                    AddExtension(*made, context, NID_basic_constraints, "critical,CA:FALSE") &&
                    AddExtension(*made, context, NID_key_usage, "critical,digitalSignature") &&
                    AddExtension(*made, context, NID_ext_key_usage, "serverAuth") &&
                    AddExtension(*made, context, NID_authority_key_identifier, "keyid") && AddNames(*made, names) &&
                    X509_sign(made.get(), issuer_key.get(), EVP_sha256()) > 0;
  if (!done) return std::unexpected(Failed("cannot make a certificate"));
  return ToPem(made.get(), key.get());
}

base::Result<CertificateFacts> ReadCertificate(std::string_view pem) {
  const CertificatePointer certificate = ParseCertificate(pem);
  if (certificate == nullptr) return std::unexpected(base::InvalidArgument("is no certificate"));
  const auto not_before = SecondsOf(X509_get0_notBefore(certificate.get()));
  const auto not_after = SecondsOf(X509_get0_notAfter(certificate.get()));
  if (!not_before.has_value() || !not_after.has_value()) {
    return std::unexpected(base::InvalidArgument("is a certificate without times"));
  }
  return CertificateFacts{.not_before_s = *not_before,
                          .not_after_s = *not_after,
                          .is_authority = X509_check_ca(certificate.get()) == 1,
                          .names = NamesOf(*certificate)};
}

bool IsPair(const PemPair& pair) {
  const CertificatePointer certificate = ParseCertificate(pair.certificate);
  const KeyPointer key = ParseKey(pair.key);
  const bool is = certificate != nullptr && key != nullptr && X509_check_private_key(certificate.get(), key.get()) == 1;
  ERR_clear_error();
  return is;
}

bool IsSignedBy(std::string_view pem, std::string_view authority) {
  const CertificatePointer certificate = ParseCertificate(pem);
  const CertificatePointer issuer = ParseCertificate(authority);
  if (certificate == nullptr || issuer == nullptr) return false;
  EVP_PKEY* const key = X509_get0_pubkey(issuer.get());
  const bool is = X509_check_issued(issuer.get(), certificate.get()) == X509_V_OK && key != nullptr &&
                  X509_verify(certificate.get(), key) == 1;
  ERR_clear_error();
  return is;
}

std::vector<std::string> SplitCertificates(std::string_view pem) {
  std::vector<std::string> certificates;
  while (certificates.size() < kCertificatesMax) {
    const size_t end = pem.find(kPemEnd);
    if (end == std::string_view::npos) break;
    const CertificatePointer certificate = ParseCertificate(pem.substr(0, end + kPemEnd.size()));
    if (certificate == nullptr) break;
    const BioPointer bio(BIO_new(BIO_s_mem()));
    if (PEM_write_bio_X509(bio.get(), certificate.get()) != 1) break;
    certificates.push_back(TextOf(bio.get()));
    pem.remove_prefix(end + kPemEnd.size());
  }
  return certificates;
}

}  // namespace inferd::net
