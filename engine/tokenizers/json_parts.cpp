#include "engine/base/json.hpp"
#include "engine/base/outside_json.hpp"
#include "engine/model_files/mapped_file.hpp"
#include "engine/tokenizers/description.hpp"

namespace plimsoll::tokenizers {

Result<json> read_json_object(const std::filesystem::path& file) {
    constexpr std::size_t kMax = std::size_t{64} << 20;
    TRY(const auto text, model_files::read_text(file, kMax));
    json parsed = parse_outside_json(text);
    if (!parsed.is_object()) {
        return fail(Errc::invalid_input, file.filename().string() + " is not a JSON object.",
                    file.string());
    }
    return parsed;
}

void add_token(const json& described, std::uint32_t id, Description& into) {
    const auto flag = [&](const char* key) { return described.value(key, false); };
    SpecialToken token{.content = described.at("content"),
                       .id = id,
                       .takes_space_before = flag("lstrip"),
                       .takes_space_after = flag("rstrip"),
                       .whole_word = flag("single_word"),
                       .normalized = flag("normalized")};
    if (!token.content.empty()) into.special.push_back(std::move(token));
}

Result<Vocabulary> vocabulary_of(const json& tokens) {
    constexpr std::uint64_t kMax = 10'000'000;
    if (!tokens.is_object() || tokens.empty())
        return fail(Errc::invalid_input, "The vocabulary does not map tokens to numbers.");
    Vocabulary vocabulary;
    for (const auto& [token, id] : tokens.items()) {
        if (!id.is_number_unsigned() || id.get<std::uint64_t>() > kMax) {
            return fail(Errc::invalid_input, "The token \"" + token.substr(0, 100) +
                                                 "\" has no ID from 0 to 10,000,000.");
        }
        vocabulary.emplace(token, id.get<std::uint32_t>());
    }
    return vocabulary;
}

Result<Merges> merges_of(const json& list) {
    if (!list.is_array()) return fail(Errc::invalid_input, "\"merges\" is not a list.");
    Merges merges;
    for (const json& one : list) {
        if (one.is_array() && one.size() == 2 && one[0].is_string() && one[1].is_string()) {
            merges.emplace_back(one[0].get<std::string>(), one[1].get<std::string>());
            continue;
        }
        const std::string pair = one.is_string() ? one.get<std::string>() : "";
        const auto space = pair.find(' ');
        if (space == std::string::npos || space == 0 || space + 1 == pair.size()) {
            return fail(Errc::invalid_input,
                        "Merge " + std::to_string(merges.size() + 1) + " is not a pair of tokens.");
        }
        merges.emplace_back(pair.substr(0, space), pair.substr(space + 1));
    }
    return merges;
}

}  // namespace plimsoll::tokenizers
