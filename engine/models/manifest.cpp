#include "engine/models/manifest.hpp"

#include <algorithm>

#include <nlohmann/json.hpp>

namespace plimsoll::models {

using nlohmann::json;

bool is_model_name(std::string_view name) {
    constexpr std::size_t kLongest = 64;
    const auto plain = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); };
    return !name.empty() && name.size() <= kLongest && plain(name.front()) &&
           std::ranges::all_of(
               name, [&](char c) { return plain(c) || c == '.' || c == '_' || c == '-'; });
}

json to_json(const Manifest& manifest) {
    auto files = json::array();
    for (const auto& file : manifest.files) {
        files.push_back({{"name", file.name}, {"bytes", file.bytes}, {"sha256", file.sha256}});
    }
    auto proofs = json::array();
    for (const auto& proof : manifest.proofs) proofs.push_back(to_json(proof));
    auto accuracies = json::array();
    for (const auto& one : manifest.accuracies) accuracies.push_back(to_json(one));
    return {{"name", manifest.name},
            {"hash", manifest.hash},
            {"source", manifest.source},
            {"licence", manifest.licence},
            {"added_at", manifest.added_at},
            {"added_by", manifest.added_by},
            {"audience", manifest.audience},
            {"family", manifest.family},
            {"labels", manifest.labels},
            {"parameters", manifest.parameters},
            {"longest_text", manifest.longest_text},
            {"layers", manifest.layers},
            {"hidden", manifest.hidden},
            {"intermediate", manifest.intermediate},
            {"proofs", std::move(proofs)},
            {"accuracies", std::move(accuracies)},
            {"bytes", manifest.bytes},
            {"files", std::move(files)}};
}

Result<Manifest> manifest_from_json(const json& stored) try {
    Manifest manifest{.name = stored.at("name"),
                      .hash = stored.at("hash"),
                      .source = stored.at("source"),
                      .licence = stored.at("licence"),
                      .added_at = stored.at("added_at"),
                      .added_by = stored.value("added_by", ""),
                      .audience = stored.value("audience", ""),
                      .family = stored.at("family"),
                      .labels = stored.at("labels"),
                      .parameters = stored.at("parameters"),
                      .longest_text = stored.at("longest_text"),
                      .layers = stored.at("layers"),
                      .hidden = stored.at("hidden"),
                      .intermediate = stored.at("intermediate"),
                      .proofs = {},
                      .accuracies = {},
                      .bytes = stored.value("bytes", std::uint64_t{0}),
                      .files = {}};
    for (const auto& proof : stored.value("proofs", json::array())) {
        manifest.proofs.push_back(proof_from_json(proof));
    }
    for (const auto& one : stored.value("accuracies", json::array())) {
        manifest.accuracies.push_back(accuracy_from_json(one));
    }
    for (const auto& file : stored.value("files", json::array())) {
        manifest.files.push_back({file.at("name"), file.at("bytes"), file.at("sha256")});
    }
    if (manifest.bytes == 0) {
        for (const auto& file : manifest.files) manifest.bytes += file.bytes;
    }
    if (!is_model_name(manifest.name)) return fail(Errc::corrupt, "A model's name is invalid.");
    return manifest;
} catch (const json::exception&) {
    return fail(Errc::corrupt, "A model's plimsoll.json is corrupt.");
}

}  // namespace plimsoll::models
