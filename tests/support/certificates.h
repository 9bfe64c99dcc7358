#pragma once

#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

#include <cstdio>
#include <memory>
#include <string>
#include <utility>

// Keys and certificates for tests, made when they run.

namespace inferd::support {

using KeyPtr = std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)>;
using CertificatePtr = std::unique_ptr<X509, decltype(&X509_free)>;

// An authority of its own; issues certificates into PEM files. The files' folder is the caller's.
class CertificateAuthority {
 public:
  CertificateAuthority()
      : key_(EVP_EC_gen("P-256"), &EVP_PKEY_free), certificate_(Make("inferd test authority", *key_, true)) {}

  // `<stem>.pem` and `<stem>.key`, for 127.0.0.1 and localhost, as server or client. `name` is the common name.
  void Issue(const std::string& name, const std::string& stem) {
    const KeyPtr key(EVP_EC_gen("P-256"), &EVP_PKEY_free);
    const CertificatePtr certificate = Make(name, *key, false);
    WriteCertificate(*certificate, stem + ".pem");
    const std::unique_ptr<FILE, int (*)(FILE*)> file(std::fopen((stem + ".key").c_str(), "w"), &std::fclose);
    PEM_write_PrivateKey(file.get(), key.get(), nullptr, nullptr, 0, nullptr, nullptr);
  }
  void Write(const std::string& file) { WriteCertificate(*certificate_, file); }

 private:
  static void WriteCertificate(X509& certificate, const std::string& path) {
    const std::unique_ptr<FILE, int (*)(FILE*)> file(std::fopen(path.c_str(), "w"), &std::fclose);
    PEM_write_X509(file.get(), &certificate);
  }

  static void AddExtension(X509& certificate, int id, const char* value) {
    X509_EXTENSION* extension = X509V3_EXT_conf_nid(nullptr, nullptr, id, value);
    X509_add_ext(&certificate, extension, -1);
    X509_EXTENSION_free(extension);
  }

  CertificatePtr Make(const std::string& name, EVP_PKEY& key, bool authority) {
    CertificatePtr made(X509_new(), &X509_free);
    X509_set_version(made.get(), 2);
    ASN1_INTEGER_set(X509_get_serialNumber(made.get()), ++serial_);
    X509_gmtime_adj(X509_getm_notBefore(made.get()), -3600);
    X509_gmtime_adj(X509_getm_notAfter(made.get()), 24 * 3600);
    X509_set_pubkey(made.get(), &key);
    X509_NAME* subject = X509_get_subject_name(made.get());
    X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_ASC, reinterpret_cast<const unsigned char*>(name.c_str()), -1,
                               -1, 0);
    X509_set_issuer_name(made.get(), authority ? subject : X509_get_subject_name(certificate_.get()));
    AddExtension(*made, NID_basic_constraints, authority ? "critical,CA:TRUE" : "CA:FALSE");
    if (!authority) AddExtension(*made, NID_subject_alt_name, "IP:127.0.0.1,DNS:localhost");
    X509_sign(made.get(), key_.get(), EVP_sha256());
    return made;
  }

  long serial_ = 0;
  KeyPtr key_;
  CertificatePtr certificate_;
};

}  // namespace inferd::support
