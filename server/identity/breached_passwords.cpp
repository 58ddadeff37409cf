#include "server/identity/breached_passwords.hpp"

#include "server/base/hex.hpp"

#include <algorithm>
#include <cctype>
#include <optional>
#include <string>

#include <fcntl.h>
#include <openssl/evp.h>
#include <sys/stat.h>
#include <unistd.h>

namespace plimsoll::identity {
namespace {

constexpr std::size_t kHashDigits = 40;
constexpr std::size_t kLongestLine = 64;  // with its count and the end of line

std::string sha1_digits(std::string_view text) {
    unsigned char digest[EVP_MAX_MD_SIZE];
    unsigned length = 0;
    EVP_Digest(text.data(), text.size(), digest, &length, EVP_sha1(), nullptr);
    auto digits = hex({reinterpret_cast<const char*>(digest), length});
    std::ranges::transform(digits, digits.begin(), [](unsigned char c) { return std::toupper(c); });
    return digits;
}

}  // namespace

struct BreachedPasswords::File {
    explicit File(int opened) : descriptor(opened) {}
    ~File() { close(descriptor); }
    File(const File&) = delete;
    File& operator=(const File&) = delete;

    // The text at `offset`, at most two lines long.
    Result<std::string> read(std::size_t offset) const {
        std::string text(2 * kLongestLine, '\0');
        const auto count = pread(descriptor, text.data(), text.size(), static_cast<off_t>(offset));
        if (count < 0) {
            return fail(Errc::unavailable, "The list of breached passwords cannot be read.");
        }
        text.resize(static_cast<std::size_t>(count));
        return text;
    }

    // The digits at the beginning of a line, in upper case.
    static std::optional<std::string> digits_of(std::string_view line) {
        if (line.size() < kHashDigits) return std::nullopt;
        if (line.size() > kHashDigits && line[kHashDigits] != ':' && line[kHashDigits] != '\r' &&
            line[kHashDigits] != '\n') {
            return std::nullopt;
        }
        std::string digits(line.substr(0, kHashDigits));
        for (auto& c : digits) {
            if (std::isxdigit(static_cast<unsigned char>(c)) == 0) return std::nullopt;
            c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
        }
        return digits;
    }

    const int descriptor;
};

Result<BreachedPasswords> BreachedPasswords::open(const std::filesystem::path& path) {
    const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) return fail(Errc::invalid_input, "cannot be read: " + path.string());
    auto file = std::make_shared<File>(descriptor);
    const auto start = file->read(0);
    if (!start || !File::digits_of(*start)) {
        return fail(Errc::invalid_input,
                    "must begin with a SHA-1 of 40 hexadecimal digits: " + path.string());
    }
    return BreachedPasswords(std::move(file));
}

// Binary search by position: the line that begins after the middle decides which half contains the
// searched one. `low` is always the beginning of a line.
Result<bool> BreachedPasswords::contains(std::string_view password) const {
    const auto wanted = sha1_digits(password);
    struct stat status{};
    if (fstat(file_->descriptor, &status) != 0) {
        return fail(Errc::unavailable, "The list of breached passwords cannot be read.");
    }
    std::size_t low = 0;
    auto high = static_cast<std::size_t>(status.st_size);
    while (low < high) {
        const auto middle = low + (high - low) / 2;
        auto line_at = low;
        auto text = file_->read(middle > low ? middle - 1 : low);
        if (!text) return fail(text.error());
        if (middle > low) {
            const auto end = text->find('\n');
            if (end == std::string::npos || middle + end >= high) {  // no line begins there
                high = middle;
                continue;
            }
            line_at = middle + end;
            text->erase(0, end + 1);
        }
        const auto digits = File::digits_of(*text);
        if (!digits)
            return fail(Errc::corrupt, "The list of breached passwords has an invalid line.");
        if (*digits == wanted) return true;
        if (*digits > wanted) {
            high = middle;
        } else {
            const auto end = text->find('\n');
            if (end == std::string::npos) return false;
            low = line_at + end + 1;
        }
    }
    return false;
}

}  // namespace plimsoll::identity
