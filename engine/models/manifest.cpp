#include "engine/models/manifest.hpp"

#include "engine/base/json.hpp"

#include <algorithm>

namespace plimsoll::models {

bool is_model_name(std::string_view name) {
    constexpr std::size_t kLongest = 64;
    const auto plain = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); };
    return !name.empty() && name.size() <= kLongest && plain(name.front()) &&
           std::ranges::all_of(
               name, [&](char c) { return plain(c) || c == '.' || c == '_' || c == '-'; });
}

Result<Manifest> manifest_from_json(const json& stored) try {
    auto manifest = stored.get<Manifest>();
    if (!is_model_name(manifest.name)) return fail(Errc::corrupt, "A model's name is invalid.");
    return manifest;
} catch (const json::exception&) {
    return fail(Errc::corrupt, "A model's plimsoll.json is corrupt.");
}

}  // namespace plimsoll::models
