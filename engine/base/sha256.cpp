#include "engine/base/sha256.hpp"

#include <string_view>

#include <openssl/evp.h>

namespace plimsoll {

void Sha256::Free::operator()(evp_md_ctx_st* context) const { EVP_MD_CTX_free(context); }

Sha256::Sha256() : context_(EVP_MD_CTX_new()) {
    EVP_DigestInit_ex(context_.get(), EVP_sha256(), nullptr);
}

void Sha256::add(const void* bytes, std::size_t count) {
    EVP_DigestUpdate(context_.get(), bytes, count);
}

Sha256::Digest Sha256::digest() {
    Digest digest{};
    EVP_DigestFinal_ex(context_.get(), digest.data(), nullptr);
    return digest;
}

std::string hexadecimal(const Sha256::Digest& digest) {
    constexpr std::string_view kDigits = "0123456789abcdef";
    std::string text;
    for (const unsigned byte : digest) {
        text.push_back(kDigits[byte >> 4U]);
        text.push_back(kDigits[byte & 15U]);
    }
    return text;
}

}  // namespace plimsoll
