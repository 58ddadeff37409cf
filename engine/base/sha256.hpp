#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <string>

struct evp_md_ctx_st;

namespace plimsoll {

// SHA-256 of bytes that arrive in pieces.
class Sha256 {
  public:
    using Digest = std::array<unsigned char, 32>;

    Sha256();

    void add(const void* bytes, std::size_t count);
    // Ends the hash: add nothing afterwards.
    Digest digest();

  private:
    struct Free {
        void operator()(evp_md_ctx_st* context) const;
    };
    std::unique_ptr<evp_md_ctx_st, Free> context_;
};

// Two lower-case hexadecimal digits per byte.
std::string hexadecimal(const Sha256::Digest& digest);

}  // namespace plimsoll
