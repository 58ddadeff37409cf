#pragma once

#include "engine/training/models/parameters.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace plimsoll::training {

// At the beginning of the tables of positions of OPT and BART.
inline constexpr std::int64_t kUnusedPositions = 2;

// Collects a model's parameters in module order; a linear layer is its weight, its bias, then its
// adapters.
class ParameterLister {
  public:
    ParameterLister(const ModelShape& shape, const Lora& lora) : s_(shape), lora_(lora) {}

    const ModelShape& shape() const { return s_; }
    void set_part(Part part) { part_ = part; }
    void next_layer() { ++layer_; }
    void previous_layer() { --layer_; }
    // A table that never trains.
    void fixed_matrix(std::int64_t rows, std::int64_t columns) {
        add(rows * columns, true, rows, false, false);
    }
    // A table of words or a head; of a tied head, only the copy that trains whole is listed.
    void table(std::string_view name, std::int64_t rows, std::int64_t columns, bool tied = false);
    // Of all experts, in one tensor.
    void stacked_matrix(std::int64_t rows, std::int64_t columns) {
        matrix(s_.experts * rows, columns);
        parameters_.back().blocks = s_.experts;
    }
    // Of the experts that a card has.
    void divided_matrix(std::int64_t rows, std::int64_t columns) {
        matrix(rows, columns);
        parameters_.back().divided = true;
    }
    // The following also trains with adapters.
    void always_train() { always_trains_ = true; }

    void vector(std::int64_t n) { add(n, false, 0, lora_.rank == 0, false); }
    void matrix(std::int64_t rows, std::int64_t columns) {
        add(rows * columns, true, rows, lora_.rank == 0, false);
    }
    void norm(std::int64_t n) {
        vector(n);
        vector(n);
    }
    // Adapters on queries and values go to the layers with `query_value`.
    enum class Use { other, query_value };
    void linear(std::string_view name, std::int64_t in, std::int64_t out, bool bias,
                Use use = Use::other);

    std::vector<Parameter> take() { return std::move(parameters_); }
    // Of the layers' linear layers, of those with adapters, and of tables and heads, each once.
    struct Names {
        std::vector<std::string> linear, wrapped, tables;
    };
    Names take_names() { return std::move(names_); }

  private:
    bool wraps(std::string_view name, Use use) const;
    void add(std::int64_t n, bool is_matrix, std::int64_t rows, bool trainable, bool adapter);

    const ModelShape& s_;
    const Lora& lora_;
    std::vector<Parameter> parameters_;
    Names names_;
    Part part_ = Part::embeddings;
    std::int32_t layer_ = 0;
    bool always_trains_ = false;
};

void list_encoder(ParameterLister& list);
void list_deberta(ParameterLister& list);
void list_modernbert(ParameterLister& list);
void list_vit(ParameterLister& list);
void list_whisper(ParameterLister& list);
void list_t5(ParameterLister& list);
void list_bart(ParameterLister& list);
void list_decoder(ParameterLister& list);
void list_naics(ParameterLister& list);
void list_temporal(ParameterLister& list);
void list_lstm(ParameterLister& list);

}  // namespace plimsoll::training
