// The same server over TLS: handshake, cookie, and what a client without TLS gets.
#include "tests/unit/server/http/live/database_server.hpp"
#include "tests/unit/server/http/live/raw_client.hpp"

#include <cstdio>
#include <filesystem>
#include <memory>

#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/write.hpp>
#include <gtest/gtest.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

namespace plimsoll::http::test {
namespace {

namespace fs = std::filesystem;
namespace ssl = boost::asio::ssl;
using boost::asio::ip::tcp;

// A key and a certificate that it signed itself, valid for a day.
TlsFiles make_certificate(const fs::path& folder) {
    const std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)> key(EVP_EC_gen("P-256"),
                                                                  EVP_PKEY_free);
    const std::unique_ptr<X509, decltype(&X509_free)> certificate(X509_new(), X509_free);
    ASN1_INTEGER_set(X509_get_serialNumber(certificate.get()), 1);
    X509_gmtime_adj(X509_getm_notBefore(certificate.get()), 0);
    X509_gmtime_adj(X509_getm_notAfter(certificate.get()), 24 * 60 * 60);
    X509_set_pubkey(certificate.get(), key.get());
    X509_sign(certificate.get(), key.get(), EVP_sha256());
    const TlsFiles files{folder / "certificate.pem", folder / "key.pem"};
    const auto write = [](const std::string& path, auto writer) {
        std::FILE* file = std::fopen(path.c_str(), "w");
        writer(file);
        std::fclose(file);
    };
    write(files.certificate, [&](std::FILE* file) { PEM_write_X509(file, certificate.get()); });
    write(files.key, [&](std::FILE* file) {
        PEM_write_PrivateKey(file, key.get(), nullptr, nullptr, 0, nullptr, nullptr);
    });
    return files;
}

class Tls : public DatabaseServer {
  protected:
    Tls() {
        std::string name = (fs::temp_directory_path() / "plimsoll-tls-XXXXXX").string();
        if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
        folder_ = name;
        options_.tls = make_certificate(folder_);
    }
    ~Tls() override { fs::remove_all(folder_); }

    fs::path folder_;
    ListenOptions options_;
};

TEST_F(Tls, SignsInWithACookieThatIsBoundToIt) {
    const auto port = start(options_).value();
    boost::asio::io_context io;
    ssl::context context(ssl::context::tls_client);
    ssl::stream<tcp::socket> client(io, context);
    client.next_layer().connect({boost::asio::ip::address_v4::loopback(), port});
    client.handshake(ssl::stream_base::client);
    const auto body = R"({"sign_in_token":")" + identity_.link + "\"}";
    boost::asio::write(
        client, boost::asio::buffer("POST /v1/sessions HTTP/1.1\r\nHost: localhost\r\nConnection: "
                                    "close\r\nContent-Type: application/json\r\nContent-Length: " +
                                    std::to_string(body.size()) + "\r\n\r\n" + body));
    std::string answer;
    boost::system::error_code end;
    for (char piece[4096]; !end;)
        answer.append(piece, client.read_some(boost::asio::buffer(piece), end));
    EXPECT_TRUE(answer.starts_with("HTTP/1.1 201 ")) << answer;
    EXPECT_NE(answer.find("Set-Cookie: __Host-plimsoll=plm_"), std::string::npos);
    EXPECT_NE(answer.find("; Secure\r\n"), std::string::npos);
    EXPECT_NE(answer.find("Strict-Transport-Security: "), std::string::npos);
    EXPECT_EQ(end, boost::asio::error::eof);  // a proper goodbye, no truncation
}

TEST_F(Tls, Tls12HasForwardSecretAuthenticatedCiphersOnly) {
    const auto port = start(options_).value();
    const auto agreed = [&](const char* cipher) {
        boost::asio::io_context io;
        ssl::context context(ssl::context::tlsv12_client);
        // The client's own library would refuse the oldest of them.
        EXPECT_EQ(SSL_CTX_set_cipher_list(context.native_handle(),
                                          (std::string(cipher) + ":@SECLEVEL=0").c_str()),
                  1);
        ssl::stream<tcp::socket> client(io, context);
        client.next_layer().connect({boost::asio::ip::address_v4::loopback(), port});
        boost::system::error_code refused;
        client.handshake(ssl::stream_base::client, refused);
        return !refused;
    };
    EXPECT_TRUE(agreed("ECDHE-ECDSA-AES128-GCM-SHA256"));
    EXPECT_TRUE(agreed("ECDHE-ECDSA-CHACHA20-POLY1305"));
    EXPECT_FALSE(agreed("ECDHE-ECDSA-AES128-SHA"));
    EXPECT_FALSE(agreed("ECDHE-ECDSA-AES256-SHA384"));
}

TEST_F(Tls, ClosesPlainHttpConnections) {
    RawClient client(start(options_).value());
    client.send("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n");
    EXPECT_EQ(client.receive().status, 0);
}

TEST_F(Tls, AnUnusableFileIsNamed) {
    options_.tls->key = folder_ / "missing.pem";
    const auto port = start(options_);
    ASSERT_FALSE(port);
    EXPECT_EQ(port.error().where, options_.tls->key);
}

}  // namespace
}  // namespace plimsoll::http::test
