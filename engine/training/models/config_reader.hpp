#pragma once

#include "engine/base/result.hpp"
#include "engine/training/models/model_shape.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace plimsoll::training {

// Reads keys of a config.json into a shape and remembers the first error. Absent and null keys
// leave the value as it is, unless they are required.
class ConfigReader {
  public:
    explicit ConfigReader(const nlohmann::json& json) : json_(json) {}

    bool has(const std::string& key) const;
    // Reads `key` and records, under its name, which of our fields it became.
    template <class Int>
    void required(const std::string& key, Int& out, const char* field = nullptr) {
        if (!has(key)) return note(key, "is missing.");
        integer(key, out, field);
    }
    template <class Int>
    void integer(const std::string& key, Int& out, const char* field = nullptr) {
        if (field != nullptr) keys_[field] = key;
        if (const auto value = whole(key)) out = static_cast<Int>(*value);
    }
    void number(const std::string& key, double& out, const char* field = nullptr);
    void boolean(const std::string& key, bool& out);
    void activation(const std::string& key, Activation& out);
    // A key that must be absent, false, null, zero or empty: other values are not modelled.
    void refuse(const std::string& key, const std::string& why);
    void note(const std::string& key, const std::string& rule);

    const nlohmann::json& json() const { return json_; }
    const std::optional<Error>& error() const { return error_; }
    // validated() names our fields; this names the file's.
    Error in_their_words(Error error) const;

  private:
    std::optional<std::int64_t> whole(const std::string& key);

    const nlohmann::json& json_;
    std::map<std::string, std::string> keys_;  // ours -> theirs
    std::optional<Error> error_;
};

// Layers, hidden size, heads and feed-forward by the names of most types.
void read_sizes(ConfigReader& read, ModelShape& shape);
// Which layers have full attention.
void read_layer_types(ConfigReader& read, ModelShape& shape);
void set_full_layers(ModelShape& shape, std::vector<bool> full);

// What Gemma's types add to Llama's keys; the fourth's layers differ from each other.
void read_gemma(ConfigReader& read, Family family, ModelShape& shape);
void read_gemma4(ConfigReader& read, ModelShape& shape);

// Qwen's windows are of the layers from a number on, and of none unless the file says so.
void read_later_windows(ConfigReader& read, ModelShape& shape);
// DeepSeek's: a head's q and k consist of numbers that turn and of others; v has a size of its own.
void read_latents(ConfigReader& read, ModelShape& shape);
// Qwen3.5's and Qwen3-Next's heads of linear attention, and which layers have it.
void read_linear_attention(ConfigReader& read, ModelShape& shape);
// LFM2's convolutions, and its feed-forward.
void read_short_convolutions(ConfigReader& read, const std::string& type, ModelShape& shape);

// Readers of model types: fill all but name, labels and head.
void read_encoder_config(ConfigReader& read, const std::string& type, ModelShape& shape);
void read_decoder_config(ConfigReader& read, const std::string& type, ModelShape& shape);

// Why a type that is not among the known ones is refused, and what comes nearest.
Error unknown_type(const nlohmann::json& config, std::vector<std::string> known);

// Parameters of the encoder of images in the file of a multimodal model, with what joins it to a
// text of hidden size `text`.
std::optional<std::int64_t> count_towers(const nlohmann::json& config, const std::string& type,
                                         std::int64_t text);

}  // namespace plimsoll::training
