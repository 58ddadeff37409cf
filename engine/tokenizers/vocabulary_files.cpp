#include "engine/base/json.hpp"
#include "engine/model_files/mapped_file.hpp"
#include "engine/tokenizers/description.hpp"

#include <array>
#include <set>
#include <span>

namespace plimsoll::tokenizers {
namespace {

constexpr std::size_t kMaxBytes = std::size_t{64} << 20;

template <class Take>
void each_line(std::string_view text, Take take) {
    while (!text.empty()) {
        const auto end = std::min(text.find('\n'), text.size());
        auto line = text.substr(0, end);
        if (line.ends_with('\r')) line.remove_suffix(1);
        take(line);
        text.remove_prefix(std::min(end + 1, text.size()));
    }
}

bool flag(const json& config, const char* key, bool otherwise) {
    const auto found = config.find(key);
    return found != config.end() && found->is_boolean() ? found->get<bool>() : otherwise;
}

// A token by its role; also in the form {"content": …}.
std::string token_of(const json& config, const char* key, std::string otherwise) {
    const auto found = config.find(key);
    if (found == config.end()) return otherwise;
    if (found->is_string()) return found->get<std::string>();
    if (found->is_object()) return found->value("content", otherwise);
    return otherwise;
}

struct Role {
    const char* key;
    const char* token;
};

// The special tokens, and those added beside the vocabulary, as the library `transformers` reads
// them: as "added_tokens_decoder" of tokenizer_config.json describes them, else from
// added_tokens.json, which says less: what is no special token is found in normalized text.
Result<void> add_tokens(const std::filesystem::path& model, const json& config,
                        std::span<const Role> roles, Description& into) {
    json ids = json::object();
    const json described = config.value("added_tokens_decoder", json::object());
    for (const auto& [id, one] : described.items())
        ids[one.at("content").get<std::string>()] = json::parse(id, nullptr, false);
    if (described.empty()) {
        auto beside = read_json_object(model / "added_tokens.json");
        if (!beside && beside.error().code != Errc::not_found) return fail(beside.error());
        if (beside) ids = std::move(*beside);
    }
    TRY(const auto added, ids.empty() ? Vocabulary{} : vocabulary_of(ids));
    for (const json& one : described) add_token(one, added.at(one.at("content")), into);

    std::set<std::string, std::less<>> known;
    for (const auto& one : into.special) known.insert(one.content);
    const auto add = [&](SpecialToken token) {
        if (known.insert(token.content).second) into.special.push_back(std::move(token));
    };
    const auto id_of = [&](const std::string& token) -> std::optional<std::uint32_t> {
        if (const auto found = into.vocabulary.find(token); found != into.vocabulary.end())
            return found->second;
        const auto found = added.find(token);
        return found == added.end() ? std::nullopt : std::optional(found->second);
    };
    for (const Role& role : roles) {
        const auto token = token_of(config, role.key, role.token);
        const auto id = id_of(token);
        if (!id || token.empty()) {
            return fail(Errc::invalid_input,
                        "The vocabulary lacks the token \"" + token + "\" (" + role.key + ").");
        }
        // As RoBERTa's is published: it belongs to the word before it.
        const bool mask = into.merges && role.key == std::string_view("mask_token");
        add({.content = token, .id = *id, .takes_space_before = mask});
    }
    for (const json& one : config.value("additional_special_tokens", json::array())) {
        const std::string token = one.is_object() ? one.at("content") : one;
        if (const auto id = id_of(token)) add({.content = token, .id = *id});
    }
    for (const auto& [token, id] : added) add({.content = token, .id = id, .normalized = true});
    return {};
}

Result<Description> read_words(const std::filesystem::path& model, const json& config) {
    TRY(const auto text, model_files::read_text(model / "vocab.txt", kMaxBytes));
    Description description;
    std::uint32_t id = 0;
    std::string twice;
    each_line(text, [&](std::string_view line) {
        const bool added = description.vocabulary.insert_or_assign(std::string(line), id++).second;
        if (!added && line.starts_with('[') && line.ends_with(']')) twice = line;
    });
    if (!twice.empty())
        return fail(Errc::invalid_input, "The vocabulary has the token \"" + twice + "\" twice.");
    auto& words = description.word_piece.words;
    words.lower_case = flag(config, "do_lower_case", true);
    words.strip_accents = flag(config, "strip_accents", words.lower_case);
    words.split_chinese = flag(config, "tokenize_chinese_chars", true);
    description.word_piece.unknown = token_of(config, "unk_token", "[UNK]");
    description.before = token_of(config, "cls_token", "[CLS]");
    description.behind = token_of(config, "sep_token", "[SEP]");
    constexpr std::array kRoles = {Role{"unk_token", "[UNK]"}, Role{"sep_token", "[SEP]"},
                                   Role{"pad_token", "[PAD]"}, Role{"cls_token", "[CLS]"},
                                   Role{"mask_token", "[MASK]"}};
    auto added = add_tokens(model, config, kRoles, description);
    return added ? std::move(description) : Result<Description>(fail(added.error()));
}

Result<Description> read_pairs(const std::filesystem::path& model, const json& config) {
    TRY(const auto tokens, read_json_object(model / "vocab.json"));
    TRY(auto vocabulary, vocabulary_of(tokens));
    TRY(const auto text, model_files::read_text(model / "merges.txt", kMaxBytes));
    json lines = json::array();
    each_line(text, [&](std::string_view line) {
        if (!line.empty() && !line.starts_with("#version")) lines.push_back(line);
    });
    TRY(auto merges, merges_of(lines));
    Description description;
    description.vocabulary = std::move(vocabulary);
    description.merges = std::move(merges);
    description.space_before = flag(config, "add_prefix_space", false);
    description.before = token_of(config, "cls_token", "<s>");
    description.behind = token_of(config, "sep_token", "</s>");
    constexpr std::array kRoles = {Role{"bos_token", "<s>"}, Role{"eos_token", "</s>"},
                                   Role{"unk_token", "<unk>"}, Role{"pad_token", "<pad>"},
                                   Role{"mask_token", "<mask>"}};
    auto added = add_tokens(model, config, kRoles, description);
    return added ? std::move(description) : Result<Description>(fail(added.error()));
}

}  // namespace

Result<Description> read_vocabulary_files(const std::filesystem::path& model) try {
    auto config = read_json_object(model / "tokenizer_config.json");
    if (!config) {
        if (config.error().code != Errc::not_found) return fail(config.error());
        config = json::object();
    }
    // Where earlier versions saved the special tokens.
    if (auto tokens = read_json_object(model / "special_tokens_map.json"); tokens) {
        tokens->update(*config);
        config = std::move(tokens);
    }
    return std::filesystem::exists(model / "vocab.txt") ? read_words(model, *config)
                                                        : read_pairs(model, *config);
} catch (const json::exception&) {
    return fail(Errc::invalid_input,
                "The vocabulary is not UTF-8, or an added token lacks its parts.");
}

}  // namespace plimsoll::tokenizers
