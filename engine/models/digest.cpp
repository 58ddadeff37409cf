#include "engine/models/digest.hpp"

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <vector>

#include <openssl/evp.h>

namespace plimsoll::models {
namespace {

class Sha256 {
  public:
    Sha256() { EVP_DigestInit_ex(context_.get(), EVP_sha256(), nullptr); }

    void add(const void* bytes, std::size_t count) {
        EVP_DigestUpdate(context_.get(), bytes, count);
    }
    std::string hexadecimal() {
        std::array<unsigned char, 32> digest{};
        EVP_DigestFinal_ex(context_.get(), digest.data(), nullptr);
        std::string text;
        for (const unsigned byte : digest) {
            constexpr std::string_view kDigits = "0123456789abcdef";
            text.push_back(kDigits[byte >> 4U]);
            text.push_back(kDigits[byte & 15U]);
        }
        return text;
    }

  private:
    std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context_{EVP_MD_CTX_new(),
                                                                     EVP_MD_CTX_free};
};

struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, Close>;

tl::unexpected<Error> trouble(const std::filesystem::path& file, const char* verb) {
    return fail(Errc::unavailable,
                file.filename().string() + " cannot be " + verb + ": " + std::strerror(errno) + ".",
                file.string());
}

}  // namespace

std::string sha256_of(std::string_view text) {
    Sha256 sha;
    sha.add(text.data(), text.size());
    return sha.hexadecimal();
}

Result<std::string> sha256_of_file(const std::filesystem::path& file,
                                   const std::filesystem::path& copy, const Watch& watch) {
    const File from(std::fopen(file.c_str(), "rbe"));
    if (from == nullptr) return trouble(file, "read");
    // Created, never opened: nothing that stands there already is followed or written over.
    File to(copy.empty() ? nullptr : std::fopen(copy.c_str(), "wbxe"));
    if (!copy.empty() && to == nullptr) return trouble(copy, "written");
    Sha256 sha;
    std::vector<char> buffer(std::size_t{1} << 20);
    while (const auto got = std::fread(buffer.data(), 1, buffer.size(), from.get())) {
        if (watch.stopped()) return fail(Errc::cancelled, "It was stopped.");
        sha.add(buffer.data(), got);
        if (to != nullptr && std::fwrite(buffer.data(), 1, got, to.get()) != got) {
            return trouble(copy, "written");
        }
        if (watch.progress != nullptr) watch.progress->advance(static_cast<std::int64_t>(got));
    }
    if (std::ferror(from.get()) != 0) return trouble(file, "read");
    if (to != nullptr && std::fclose(to.release()) != 0) return trouble(copy, "written");
    return sha.hexadecimal();
}

}  // namespace plimsoll::models
