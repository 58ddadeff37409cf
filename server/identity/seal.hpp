#pragma once

#include <optional>
#include <string>
#include <string_view>

// Text that goes out and comes back, as cursors do: whoever returns it can have changed nothing. It
// is readable; it only cannot be made. HMAC-SHA-512/256, of which 128 bits are kept.
namespace plimsoll::identity {

inline constexpr std::size_t kSealKeyBytes = 32;

// URL-safe. `context`: where the text may be used.
std::string seal(std::string_view key, std::string_view context, std::string_view text);

// The text that was sealed with this key for this context; nullopt for anything else.
std::optional<std::string> unseal(std::string_view key, std::string_view context,
                                  std::string_view sealed);

}  // namespace plimsoll::identity
