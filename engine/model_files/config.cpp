#include "engine/model_files/config.hpp"

#include "engine/base/json.hpp"
#include "engine/base/outside_json.hpp"
#include "engine/model_files/mapped_file.hpp"

#include <algorithm>
#include <array>

namespace plimsoll::model_files {
namespace {

tl::unexpected<Error> refuse(const std::string& why) {
    return fail(Errc::invalid_input, "config.json: " + why);
}

// How a family spells its fields.
struct Keys {
    std::string_view type;
    Family family;
    const char* hidden;
    const char* layers;
    const char* heads;
    const char* intermediate;
    const char* activation;
};
constexpr std::array kFamilies = {
    Keys{"bert", Family::bert, "hidden_size", "num_hidden_layers", "num_attention_heads",
         "intermediate_size", "hidden_act"},
    Keys{"distilbert", Family::distilbert, "dim", "n_layers", "n_heads", "hidden_dim",
         "activation"},
    Keys{"roberta", Family::roberta, "hidden_size", "num_hidden_layers", "num_attention_heads",
         "intermediate_size", "hidden_act"},
};

class Fields {
  public:
    explicit Fields(const json& config) : config_(config) {}

    std::uint32_t number(const char* key, std::uint64_t max, std::uint64_t min = 1) {
        const auto found = config_.find(key);
        if (found == config_.end() || !found->is_number_unsigned() ||
            found->get<std::uint64_t>() < min || found->get<std::uint64_t>() > max) {
            if (problem.empty()) {
                problem = "\"" + std::string(key) + "\" must be a whole number from " +
                          std::to_string(min) + " to " + std::to_string(max) + ".";
            }
            return 1;
        }
        return found->get<std::uint32_t>();
    }
    std::string text(const char* key, const std::string& otherwise) const {
        const auto found = config_.find(key);
        return found != config_.end() && found->is_string() ? found->get<std::string>() : otherwise;
    }
    std::string first(const char* key) const {
        const auto found = config_.find(key);
        return found != config_.end() && found->is_array() && !found->empty() &&
                       found->front().is_string()
                   ? found->front().get<std::string>()
                   : std::string();
    }
    bool has(const char* key) const {
        const auto found = config_.find(key);
        return found != config_.end() && !found->is_null();
    }

    std::string problem;

  private:
    const json& config_;
};

// {"0": "positive", …} by number.
Result<std::vector<std::string>> labels_of(const json& config) {
    constexpr std::size_t kMax = 100;
    const auto found = config.find("id2label");
    if (found == config.end() || found->is_null()) return std::vector<std::string>{};
    std::vector<std::string> labels(found->is_object() ? found->size() : 0);
    if (labels.empty() || labels.size() > kMax)
        return refuse("\"id2label\" must name 1 to 100 labels.");
    for (const auto& [number, label] : found->items()) {
        const bool digits = !number.empty() && number.size() <= 3 &&
                            number.find_first_not_of("0123456789") == std::string::npos;
        const auto place = digits ? std::stoul(number) : labels.size();
        if (place >= labels.size() || !label.is_string() || !labels[place].empty() ||
            label.get<std::string>().empty()) {
            return refuse("\"id2label\" must number its labels from 0 without gaps.");
        }
        labels[place] = label.get<std::string>();
    }
    return labels;
}

Result<void> check_supported(const Fields& fields, const Keys& keys) {
    if (const auto act = fields.text(keys.activation, "gelu"); act != "gelu") {
        return refuse("\"" + std::string(keys.activation) + "\" is \"" + act +
                      "\"; supported: gelu.");
    }
    if (const auto kind = fields.text("position_embedding_type", "absolute"); kind != "absolute")
        return refuse("\"position_embedding_type\" is \"" + kind + "\"; supported: absolute.");
    const auto saved = fields.first("architectures");
    for (const char* other :
         {"ForTokenClassification", "ForQuestionAnswering", "ForMultipleChoice"})
        if (saved.ends_with(other))
            return refuse("\"architectures\" is \"" + saved +
                          "\"; supported: classifiers of whole texts "
                          "(ForSequenceClassification) and encoders.");
    const auto problem = fields.text("problem_type", "single_label_classification");
    if (problem != "single_label_classification") {
        return refuse("\"problem_type\" is \"" + problem +
                      "\"; supported: single_label_classification.");
    }
    if (fields.has("quantization_config"))
        return refuse("The weights are quantized; supported: fp32, fp16, bf16.");
    return {};
}

Result<void> check_shape(const Config& config) {
    if (config.hidden % config.heads != 0 || config.hidden / config.heads % 16 != 0 ||
        config.hidden / config.heads > 256) {
        return refuse("The head size is " + std::to_string(config.hidden) + " / " +
                      std::to_string(config.heads) + "; supported: multiples of 16 up to 256.");
    }
    if (config.positions < config.first_position + 2) {
        return refuse("\"max_position_embeddings\" must be at least " +
                      std::to_string(config.first_position + 2) + ".");
    }
    if (!(config.epsilon > 0 && config.epsilon < 1))
        return refuse("\"layer_norm_eps\" must be above 0 and below 1.");
    return {};
}

}  // namespace

std::string_view to_string(Family family) {
    return kFamilies[static_cast<std::size_t>(family)].type;
}

Result<Config> read_config(const std::filesystem::path& model) {
    constexpr std::size_t kMaxBytes = std::size_t{4} << 20;
    TRY(const auto text, read_text(model / "config.json", kMaxBytes));
    const json parsed = parse_outside_json(text);
    if (!parsed.is_object()) return refuse("config.json is not a JSON object.");
    Fields fields(parsed);
    const auto type = fields.text("model_type", "");
    const auto* const keys = std::ranges::find(kFamilies, type, &Keys::type);
    if (keys == kFamilies.end())
        return refuse("\"model_type\" is \"" + type + "\"; supported: bert, distilbert, roberta.");
    TRY_DO(check_supported(fields, *keys));
    constexpr std::uint64_t kMaxVocabulary = 10'000'000;
    Config config;
    config.family = keys->family;
    config.hidden = fields.number(keys->hidden, 8192);
    config.layers = fields.number(keys->layers, 200);
    config.heads = fields.number(keys->heads, 512);
    config.intermediate = fields.number(keys->intermediate, 65536);
    config.vocabulary = fields.number("vocab_size", kMaxVocabulary);
    // Attention takes 4,096 tokens at most.
    config.positions = fields.number("max_position_embeddings", 4096 + 2);
    if (config.family == Family::roberta) {
        config.first_position =
            fields.has("pad_token_id") ? fields.number("pad_token_id", 4096, 0) + 1 : 2;
    }
    if (config.family != Family::distilbert) {
        config.token_types =
            fields.has("type_vocab_size") ? fields.number("type_vocab_size", 100) : 2;
        if (fields.has("layer_norm_eps") && parsed["layer_norm_eps"].is_number())
            config.epsilon = parsed["layer_norm_eps"].get<float>();
    }
    if (!fields.problem.empty()) return refuse(fields.problem);
    TRY_DO(check_shape(config));
    TRY(config.labels, labels_of(parsed));
    return config;
}

}  // namespace plimsoll::model_files
