#include "engine/base/json.hpp"
#include "engine/tokenizers/description.hpp"

namespace plimsoll::tokenizers {
namespace {

// A member that may be null or missing.
template <class T>
T value_of(const json& object, const char* key, T otherwise) {
    const auto found = object.find(key);
    if (found == object.end() || found->is_null()) return otherwise;
    return found->get<T>();
}

const json& part_of(const json& object, const char* key) {
    static const json kNothing = json::object();
    const auto found = object.find(key);
    return found == object.end() || !found->is_object() ? kNothing : *found;
}

// "type" of a part; empty where the part is missing.
std::string type_of(const json& part) { return value_of<std::string>(part, "type", ""); }

tl::unexpected<Error> not_supported(const std::string& what, const std::string& type,
                                    const std::string& supported) {
    return fail(Errc::invalid_input, "Its " + what + " is \"" + (type.empty() ? "none" : type) +
                                         "\"; supported: " + supported + ".");
}

// The steps do the same in any order, but accents are stripped only where NFD was there before.
Result<void> read_normalizer(const json& normalizer, BertRules& into) {
    const json steps = type_of(normalizer) == "Sequence" ? normalizer.at("normalizers")
                                                         : json::array({normalizer});
    into = {.lower_case = false, .strip_accents = false, .split_chinese = false, .clean = false};
    bool decomposed = false;
    for (const json& step : steps) {
        const auto type = type_of(step);
        if (type == "BertNormalizer") {
            const bool lower = value_of(step, "lowercase", true);
            into.lower_case |= lower;
            into.strip_accents |= value_of(step, "strip_accents", lower);
            into.split_chinese |= value_of(step, "handle_chinese_chars", true);
            into.clean |= value_of(step, "clean_text", true);
        } else if (type == "Lowercase") {
            into.lower_case = true;
        } else if (type == "NFD") {
            decomposed = true;
        } else if (type == "StripAccents" && decomposed) {
            into.strip_combining = true;
        } else {
            return not_supported("normalizer", type,
                                 "BertNormalizer, Lowercase, and NFD followed by StripAccents");
        }
    }
    if (decomposed && !into.strip_combining)
        return not_supported("normalizer", "NFD", "NFD followed by StripAccents");
    return {};
}

Result<void> read_word_piece(const json& file, Description& into) {
    const json& model = file.at("model");
    auto& rules = into.word_piece;
    rules.unknown = value_of<std::string>(model, "unk_token", rules.unknown);
    rules.continuation =
        value_of<std::string>(model, "continuing_subword_prefix", rules.continuation);
    rules.longest_word = value_of(model, "max_input_chars_per_word", rules.longest_word);
    TRY_DO(read_normalizer(part_of(file, "normalizer"), rules.words));
    const json& words_part = part_of(file, "pre_tokenizer");
    if (type_of(words_part) != "BertPreTokenizer")
        return not_supported("pre_tokenizer", type_of(words_part), "BertPreTokenizer");
    return {};
}

Result<void> read_byte_pairs(const json& file, Description& into) {
    const json& model = file.at("model");
    for (const char* key : {"dropout", "continuing_subword_prefix", "end_of_word_suffix"}) {
        const auto found = model.find(key);
        if (found == model.end() || found->is_null() || *found == "") continue;
        return fail(Errc::invalid_input,
                    "Its model has \"" + std::string(key) + "\", which is not supported.");
    }
    if (value_of(model, "byte_fallback", false) || value_of(model, "ignore_merges", false)) {
        return fail(
            Errc::invalid_input,
            "Its model has \"byte_fallback\" or \"ignore_merges\", which are not supported.");
    }
    if (const auto found = file.find("normalizer"); found != file.end() && !found->is_null())
        return not_supported("normalizer", type_of(*found), "none with a BPE model");
    const json& words = part_of(file, "pre_tokenizer");
    if (type_of(words) != "ByteLevel" || !value_of(words, "use_regex", true))
        return not_supported("pre_tokenizer", type_of(words), "ByteLevel");
    into.space_before = value_of(words, "add_prefix_space", true);
    TRY(into.merges, merges_of(model.at("merges")));
    return {};
}

// [cls, sep] of BertProcessing and RobertaProcessing; the "single" of a template.
Result<void> read_ends(const json& processor, Description& into) {
    const auto type = type_of(processor);
    if (type == "BertProcessing" || type == "RobertaProcessing") {
        into.before = processor.at("cls").at(0);
        into.behind = processor.at("sep").at(0);
        return {};
    }
    const auto single = processor.find("single");
    if (type == "TemplateProcessing" && single->is_array() && single->size() == 3 &&
        (*single)[1].contains("Sequence")) {
        into.before = (*single)[0].at("SpecialToken").at("id");
        into.behind = (*single)[2].at("SpecialToken").at("id");
        return {};
    }
    return not_supported("post_processor", type,
                         "BertProcessing, RobertaProcessing and a template of one token before and "
                         "one after the text");
}

Result<Description> read_parts(const json& file) {
    Description description;
    const json& model = file.at("model");
    const auto type =
        value_of<std::string>(model, "type", model.contains("merges") ? "BPE" : "WordPiece");
    if (type != "WordPiece" && type != "BPE") return not_supported("model", type, "WordPiece, BPE");
    TRY(description.vocabulary, vocabulary_of(model.at("vocab")));
    auto done =
        type == "BPE" ? read_byte_pairs(file, description) : read_word_piece(file, description);
    for (const json& one : value_of(file, "added_tokens", json::array()))
        add_token(one, one.at("id"), description);
    if (done) done = read_ends(part_of(file, "post_processor"), description);
    if (!done) return fail(done.error());
    return description;
}

}  // namespace

Result<Description> read_tokenizer_json(const std::filesystem::path& file) try {
    TRY(const auto parsed, read_json_object(file));
    return read_parts(parsed);
} catch (const json::exception&) {
    return fail(Errc::invalid_input, "A member of tokenizer.json is missing or of the wrong type.");
}

}  // namespace plimsoll::tokenizers
