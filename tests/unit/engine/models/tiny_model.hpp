#pragma once

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <random>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

// A published BERT classifier of random numbers, small enough to be written and scored in
// milliseconds. Tests change its parts before it is written.
namespace plimsoll {

struct TinyModel {
    using Tensors =
        std::map<std::string, std::pair<std::vector<std::uint64_t>, std::vector<float>>>;

    nlohmann::json config{{"model_type", "bert"},
                          {"hidden_size", 32},
                          {"num_hidden_layers", 2},
                          {"num_attention_heads", 2},
                          {"intermediate_size", 64},
                          {"vocab_size", 12},
                          {"max_position_embeddings", 40},
                          {"type_vocab_size", 2},
                          {"hidden_act", "gelu"},
                          {"id2label", {{"0", "positive"}, {"1", "negative"}, {"2", "neutral"}}}};
    std::vector<std::string> words{"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "good",
                                   "bad",   "news",  "for",   "every", "##one",  "."};
    Tensors tensors = random_tensors(1);

    static Tensors random_tensors(unsigned seed) {
        std::mt19937 bits(seed);
        std::normal_distribution<float> normal(0, 0.2F);
        Tensors made;
        const auto add = [&](const std::string& name, std::vector<std::uint64_t> shape,
                             float base) {
            std::size_t count = 1;
            for (const auto size : shape) count *= size;
            std::vector<float> numbers(count);
            for (auto& number : numbers) number = base + normal(bits);
            made[name] = {std::move(shape), std::move(numbers)};
        };
        const auto linear = [&](const std::string& name, std::uint64_t out, std::uint64_t in) {
            add(name + ".weight", {out, in}, 0);
            add(name + ".bias", {out}, 0);
        };
        const auto norm = [&](const std::string& name) {
            add(name + ".weight", {32}, 1);
            add(name + ".bias", {32}, 0);
        };
        add("bert.embeddings.word_embeddings.weight", {12, 32}, 0);
        add("bert.embeddings.position_embeddings.weight", {40, 32}, 0);
        add("bert.embeddings.token_type_embeddings.weight", {2, 32}, 0);
        norm("bert.embeddings.LayerNorm");
        for (const std::string layer : {"0", "1"}) {
            const auto at = "bert.encoder.layer." + layer + ".";
            for (const std::string part : {"query", "key", "value"})
                linear(at + "attention.self." + part, 32, 32);
            linear(at + "attention.output.dense", 32, 32);
            norm(at + "attention.output.LayerNorm");
            linear(at + "intermediate.dense", 64, 32);
            linear(at + "output.dense", 32, 64);
            norm(at + "output.LayerNorm");
        }
        linear("bert.pooler.dense", 32, 32);
        linear("classifier", 3, 32);
        return made;
    }

    // The bytes of model.safetensors.
    std::string safetensors() const {
        nlohmann::json header = nlohmann::json::object();
        std::string data;
        for (const auto& [name, tensor] : tensors) {
            const auto begin = data.size();
            data.append(reinterpret_cast<const char*>(tensor.second.data()),
                        tensor.second.size() * sizeof(float));
            header[name] = {
                {"dtype", "F32"}, {"shape", tensor.first}, {"data_offsets", {begin, data.size()}}};
        }
        return with_header(header.dump(), data);
    }
    static std::string with_header(const std::string& header, const std::string& data) {
        const std::uint64_t length = header.size();
        std::string bytes(sizeof length, '\0');
        std::memcpy(bytes.data(), &length, sizeof length);
        return bytes + header + data;
    }

    void write(const std::filesystem::path& folder) const {
        std::filesystem::create_directories(folder);
        std::ofstream(folder / "config.json") << config.dump();
        std::ofstream vocabulary(folder / "vocab.txt");
        for (const auto& word : words) vocabulary << word << '\n';
        std::ofstream(folder / "model.safetensors", std::ios::binary) << safetensors();
    }
    // The weights in two files with an index, as large models are saved.
    void write_in_parts(const std::filesystem::path& folder) const {
        write(folder);
        std::filesystem::remove(folder / "model.safetensors");
        nlohmann::json index;
        for (const std::string part : {"1", "2"}) {
            const auto file = "model-0000" + part + "-of-00002.safetensors";
            TinyModel half;
            std::erase_if(half.tensors = tensors, [&](const auto& tensor) {
                return tensor.first.starts_with("bert.encoder.layer.1.") != (part == "2");
            });
            for (const auto& [name, tensor] : half.tensors) index["weight_map"][name] = file;
            std::ofstream(folder / file, std::ios::binary) << half.safetensors();
        }
        std::ofstream(folder / "model.safetensors.index.json") << index.dump();
    }
};

}  // namespace plimsoll
