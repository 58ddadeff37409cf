#pragma once

#include <optional>
#include <string>
#include <string_view>

// Signs text that is sent out and comes back, such as cursors: it can be read, but neither changed
// nor forged. HMAC-SHA-512/256, truncated to 128 bits.
namespace plimsoll::identity {

inline constexpr std::size_t kSealKeyBytes = 32;

// URL-safe. `context`: where the text may be used.
std::string seal(std::string_view key, std::string_view context, std::string_view text);

// The text that was sealed with this key for this context; nullopt for anything else.
std::optional<std::string> unseal(std::string_view key, std::string_view context,
                                  std::string_view sealed);

}  // namespace plimsoll::identity
