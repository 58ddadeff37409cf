#include "server/outbound/aws_signature.hpp"

#include "server/base/hex.hpp"

#include <stdexcept>

#include <openssl/hmac.h>
#include <openssl/sha.h>

namespace plimsoll::outbound {
namespace {

constexpr std::string_view kAlgorithm = "AWS4-HMAC-SHA256";
constexpr std::string_view kSignedFields = "host;x-amz-content-sha256;x-amz-date";

const unsigned char* raw(std::string_view text) {
    return reinterpret_cast<const unsigned char*>(text.data());
}

std::string hmac(std::string_view key, std::string_view text) {
    std::string digest(SHA256_DIGEST_LENGTH, '\0');
    if (!HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()), raw(text), text.size(),
              reinterpret_cast<unsigned char*>(digest.data()), nullptr))
        throw std::runtime_error("HMAC-SHA-256 is not available");
    return digest;
}

}  // namespace

std::string sha256_hex(std::string_view text) {
    std::string digest(SHA256_DIGEST_LENGTH, '\0');
    SHA256(raw(text), text.size(), reinterpret_cast<unsigned char*>(digest.data()));
    return hex(digest);
}

std::string aws_authorization(const AwsRequest& request, const AwsKey& key) {
    const auto line = [](auto... parts) {
        std::string text;
        (text.append(parts), ...);
        return text + "\n";
    };
    const std::string day(request.time.substr(0, 8));
    const auto scope = day + "/" + key.region + "/s3/aws4_request";
    const auto canonical =
        line(request.method) + line(request.path) + line(request.query) +
        line("host:", request.host) + line("x-amz-content-sha256:", request.hash) +
        line("x-amz-date:", request.time) + "\n" + line(kSignedFields) + std::string(request.hash);
    const auto text = line(kAlgorithm) + line(request.time) + line(scope) + sha256_hex(canonical);
    const auto of_region = hmac(hmac("AWS4" + key.secret, day), key.region);
    const auto signature = hex(hmac(hmac(hmac(of_region, "s3"), "aws4_request"), text));
    return std::string(kAlgorithm) + " Credential=" + key.id + "/" + scope +
           ",SignedHeaders=" + std::string(kSignedFields) + ",Signature=" + signature;
}

}  // namespace plimsoll::outbound
