#include "engine/model_files/model.hpp"

#include "engine/model_files/safetensors.hpp"
#include "engine/model_files/torch_file.hpp"

#include <algorithm>
#include <initializer_list>

namespace plimsoll::model_files {
namespace {

// How the families name their parts; "*" stands for the layer's number.
struct Names {
    std::string prefix;  // of everything but the head; missing where the encoder was saved alone
    std::string words, positions, types, embedding_norm;
    std::string query, key, value, output, attention_norm, up, down, output_norm;
    std::string head, labels;
};

Names bert_names(const std::string& prefix) {
    return {.prefix = prefix,
            .words = "embeddings.word_embeddings",
            .positions = "embeddings.position_embeddings",
            .types = "embeddings.token_type_embeddings",
            .embedding_norm = "embeddings.LayerNorm",
            .query = "encoder.layer.*.attention.self.query",
            .key = "encoder.layer.*.attention.self.key",
            .value = "encoder.layer.*.attention.self.value",
            .output = "encoder.layer.*.attention.output.dense",
            .attention_norm = "encoder.layer.*.attention.output.LayerNorm",
            .up = "encoder.layer.*.intermediate.dense",
            .down = "encoder.layer.*.output.dense",
            .output_norm = "encoder.layer.*.output.LayerNorm",
            .head = prefix + "pooler.dense",
            .labels = "classifier"};
}

Names names_of(Family family) {
    if (family == Family::bert) return bert_names("bert.");
    if (family == Family::roberta) {
        auto names = bert_names("roberta.");
        names.head = "classifier.dense";
        names.labels = "classifier.out_proj";
        return names;
    }
    return {.prefix = "distilbert.",
            .words = "embeddings.word_embeddings",
            .positions = "embeddings.position_embeddings",
            .types = "",
            .embedding_norm = "embeddings.LayerNorm",
            .query = "transformer.layer.*.attention.q_lin",
            .key = "transformer.layer.*.attention.k_lin",
            .value = "transformer.layer.*.attention.v_lin",
            .output = "transformer.layer.*.attention.out_lin",
            .attention_norm = "transformer.layer.*.sa_layer_norm",
            .up = "transformer.layer.*.ffn.lin1",
            .down = "transformer.layer.*.ffn.lin2",
            .output_norm = "transformer.layer.*.output_layer_norm",
            .head = "pre_classifier",
            .labels = "classifier"};
}

using Shape = std::vector<std::uint64_t>;

// Finds tensors and keeps the first error.
class Finder {
  public:
    Finder(const TensorFile& file, std::string prefix) : file_(file), prefix_(std::move(prefix)) {}

    Named tensor(const std::string& name, const Shape& shape) {
        return first_of({prefix_ + name, name}, shape);
    }
    Linear linear(const std::string& name, std::uint64_t outputs, std::uint64_t inputs) {
        return {tensor(name + ".weight", {outputs, inputs}), tensor(name + ".bias", {outputs})};
    }
    // Converted from TensorFlow: gamma and beta.
    LayerNorm norm(const std::string& name, std::uint64_t size) {
        return {first_of({prefix_ + name + ".weight", name + ".weight", prefix_ + name + ".gamma",
                          name + ".gamma"},
                         {size}),
                first_of({prefix_ + name + ".bias", name + ".bias", prefix_ + name + ".beta",
                          name + ".beta"},
                         {size})};
    }

    Error problem{.code = Errc::invalid_input, .message = {}, .where = {}};

  private:
    Named first_of(std::initializer_list<std::string> names, const Shape& shape) {
        for (const auto& name : names) {
            const auto found = file_.tensors.find(name);
            if (found == file_.tensors.end()) continue;
            if (found->second.shape != shape) {
                refuse("The tensor \"" + name + "\" is " + to_string(found->second.shape) +
                       ", but config.json says " + to_string(shape) + ".");
            } else if (found->second.type == NumberType::other) {
                refuse("The tensor \"" + name + "\" does not have a floating-point type.");
            }
            return {name, &found->second};
        }
        refuse("The tensor \"" + *names.begin() + "\" is missing." + wrapped(*names.begin()));
        return {*names.begin(), nullptr};
    }
    // DistributedDataParallel and torch.compile put their own names in front.
    std::string wrapped(const std::string& name) const {
        for (const auto& [other, tensor] : file_.tensors)
            if (other.ends_with("." + name))
                return " The file has \"" + other + "\": save the model inside of its wrapper.";
        return {};
    }
    void refuse(std::string why) {
        if (problem.message.empty()) problem.message = std::move(why);
    }

    const TensorFile& file_;
    std::string prefix_;
};

std::string of_layer(std::string name, std::uint32_t layer) {
    return name.replace(name.find('*'), 1, std::to_string(layer));
}

EncoderLayer find_layer(Finder& finder, const Names& names, std::uint32_t layer,
                        const Config& config) {
    const auto named = [&](const std::string& name) { return of_layer(name, layer); };
    const std::uint64_t hidden = config.hidden;
    return {.query = finder.linear(named(names.query), hidden, hidden),
            .key = finder.linear(named(names.key), hidden, hidden),
            .value = finder.linear(named(names.value), hidden, hidden),
            .output = finder.linear(named(names.output), hidden, hidden),
            .attention_norm = finder.norm(named(names.attention_norm), hidden),
            .up = finder.linear(named(names.up), config.intermediate, hidden),
            .down = finder.linear(named(names.down), hidden, config.intermediate),
            .output_norm = finder.norm(named(names.output_norm), hidden)};
}

Result<Weights> find_weights(const TensorFile& file, const Config& config) {
    const auto names = names_of(config.family);
    Finder finder(file, names.prefix);
    const std::uint64_t hidden = config.hidden;
    Weights weights;
    weights.words = finder.tensor(names.words + ".weight", {config.vocabulary, hidden});
    weights.positions = finder.tensor(names.positions + ".weight", {config.positions, hidden});
    if (config.token_types != 0)
        weights.types = finder.tensor(names.types + ".weight", {config.token_types, hidden});
    weights.embedding_norm = finder.norm(names.embedding_norm, hidden);
    for (std::uint32_t layer = 0; layer < config.layers; ++layer)
        weights.layers.push_back(find_layer(finder, names, layer, config));
    if (!config.labels.empty()) {
        weights.head = finder.linear(names.head, hidden, hidden);
        weights.labels = finder.linear(names.labels, config.labels.size(), hidden);
    }
    if (!finder.problem.message.empty()) return fail(finder.problem);
    return weights;
}

Result<TensorFile> read_tensors(const std::filesystem::path& folder) {
    if (std::filesystem::exists(folder / "model.safetensors"))
        return read_safetensors(folder / "model.safetensors");
    if (std::filesystem::exists(folder / "model.safetensors.index.json"))
        return read_safetensors_parts(folder / "model.safetensors.index.json");
    if (std::filesystem::exists(folder / "pytorch_model.bin"))
        return read_torch(folder / "pytorch_model.bin");
    if (std::filesystem::exists(folder / "pytorch_model.bin.index.json")) {
        return fail(Errc::invalid_input,
                    "The weights are in several .bin files; supported: one pytorch_model.bin, or "
                    "model.safetensors in one file or in parts with an index.",
                    folder.string());
    }
    return fail(Errc::not_found, "The folder has neither model.safetensors nor pytorch_model.bin.",
                folder.string());
}

}  // namespace

std::uint64_t Model::parameters() const {
    std::uint64_t numbers = 0;
    for (const auto& [name, tensor] : file.tensors)
        if (tensor.type != NumberType::other) numbers += tensor.count();
    return numbers;
}

Result<Model> open_model(const std::filesystem::path& folder) {
    TRY(auto config, read_config(folder));
    TRY(auto file, read_tensors(folder));
    if (!file.tensors.contains(names_of(config.family).labels + ".weight"))
        config.labels.clear();
    else if (config.labels.empty())
        return fail(Errc::invalid_input, "config.json names no labels (\"id2label\").");
    TRY(auto weights, find_weights(file, config));
    return Model{std::move(config), std::move(file), std::move(weights)};
}

}  // namespace plimsoll::model_files
