#include "engine/training/models/parameters.hpp"

namespace plimsoll::training {
namespace {

// Builds the list in module order; a linear layer is its weight, its bias, then its adapters.
class Lister {
  public:
    Lister(const ModelShape& shape, const Lora& lora) : s_(shape), lora_(lora) {}

    std::vector<Parameter> run() {
        switch (s_.family) {
            case Family::bert:
            case Family::distilbert:
            case Family::roberta:
                text_encoder();
                break;
            case Family::gpt2:
                gpt2();
                break;
            case Family::llama:
                llama();
                break;
            case Family::naics:
                naics();
                break;
            case Family::temporal:
                temporal();
                break;
            case Family::lstm:
                lstm();
                break;
        }
        return std::move(out_);
    }

  private:
    enum class Use { other, query_value };

    void vector(std::int64_t n) { add(n, false, 0, lora_.rank == 0, false); }
    void matrix(std::int64_t rows, std::int64_t columns) {
        add(rows * columns, true, rows, lora_.rank == 0, false);
    }
    void norm(std::int64_t n) {
        vector(n);
        vector(n);
    }
    void linear(std::int64_t in, std::int64_t out, bool bias, Use use = Use::other) {
        matrix(out, in);
        if (bias) vector(out);
        const bool wanted = lora_.targets == Lora::Targets::all_linear || use == Use::query_value;
        if (lora_.rank == 0 || part_ != Part::layer || !wanted) return;
        add(lora_.rank * in, true, lora_.rank, true, true);
        add(out * lora_.rank, true, out, true, true);
    }
    void add(std::int64_t n, bool is_matrix, std::int64_t rows, bool trainable, bool adapter) {
        out_.push_back({.elements = n,
                        .layer = part_ == Part::layer ? layer_ : -1,
                        .part = part_,
                        .trainable = trainable || always_trains_,
                        .adapter = adapter,
                        .matrix = is_matrix,
                        .rows = static_cast<std::int32_t>(rows)});
    }

    void encoder_embeddings() {
        const std::int64_t h = s_.hidden;
        part_ = Part::embeddings;
        const bool positions_last = s_.family == Family::roberta;
        matrix(s_.vocab, h);
        if (!positions_last) matrix(s_.positions, h);
        if (s_.family != Family::distilbert) matrix(s_.token_types, h);
        norm(h);
        if (positions_last) matrix(s_.positions, h);
    }
    void encoder_layers() {
        const std::int64_t h = s_.hidden;
        part_ = Part::layer;
        for (int l = 0; l < s_.layers; ++l, ++layer_) {
            linear(h, h, true, Use::query_value);
            linear(h, h, true);
            linear(h, h, true, Use::query_value);
            linear(h, h, true);
            norm(h);
            linear(h, s_.ffn, true);
            linear(s_.ffn, h, true);
            norm(h);
        }
    }
    void text_encoder() {
        const std::int64_t h = s_.hidden;
        encoder_embeddings();
        encoder_layers();
        part_ = Part::head;
        if (s_.head == Head::language_model) {
            vector(s_.vocab);  // the bias of the tied decoder comes first in the module
            linear(h, h, true);
            norm(h);
            if (!s_.tied_head) matrix(s_.vocab, h);
        } else {
            linear(h, h, true);  // pooler (BERT), pre_classifier (DistilBERT), dense (RoBERTa)
            linear(h, s_.labels, true);
        }
    }
    void gpt2() {
        const std::int64_t h = s_.hidden;
        part_ = Part::embeddings;
        matrix(s_.vocab, h);
        matrix(s_.positions, h);
        part_ = Part::layer;
        for (int l = 0; l < s_.layers; ++l, ++layer_) {
            norm(h);
            linear(h, 3 * h, true, Use::query_value);
            linear(h, h, true);
            norm(h);
            linear(h, s_.ffn, true);
            linear(s_.ffn, h, true);
        }
        decoder_head(true);
    }
    void llama() {
        const std::int64_t h = s_.hidden;
        part_ = Part::embeddings;
        matrix(s_.vocab, h);
        part_ = Part::layer;
        for (int l = 0; l < s_.layers; ++l, ++layer_) {
            linear(h, s_.q_width(), s_.qkv_bias, Use::query_value);
            linear(h, s_.kv_width(), s_.qkv_bias);
            linear(h, s_.kv_width(), s_.qkv_bias, Use::query_value);
            linear(s_.q_width(), h, false);
            linear(h, s_.ffn, false);
            linear(h, s_.ffn, false);
            linear(s_.ffn, h, false);
            vector(h);
            vector(h);
        }
        decoder_head(false);
    }
    void decoder_head(bool norm_has_bias) {
        part_ = Part::head;
        vector(s_.hidden);
        if (norm_has_bias) vector(s_.hidden);
        if (s_.head == Head::classifier)
            matrix(s_.labels, s_.hidden);
        else if (!s_.tied_head)
            matrix(s_.vocab, s_.hidden);
    }
    void naics() {
        const std::int64_t h = s_.hidden;
        for (int c = 0; c < s_.channels; ++c) {
            encoder_embeddings();
            encoder_layers();
            part_ = Part::layer;  // the pooler is a linear layer too, so adapters wrap it
            --layer_;
            linear(h, h, true);
            ++layer_;
        }
        part_ = Part::head;
        always_trains_ = true;
        const std::int64_t d = h * s_.channels;
        linear(d, s_.experts, true);
        for (int e = 0; e < s_.experts; ++e) {
            linear(d, s_.expert_hidden, true);
            linear(s_.expert_hidden, d, true);
        }
        linear(d, h, true);
    }
    void attention_block(std::int64_t h) {
        matrix(3 * h, h);
        vector(3 * h);
        linear(h, h, true);
    }
    void temporal() {
        const std::int64_t h = s_.hidden;
        part_ = Part::embeddings;
        matrix(s_.horizon, h);
        linear(s_.features, h, true);
        linear(h, s_.features, true);
        part_ = Part::layer;
        for (int l = 0; l < s_.layers; ++l, ++layer_) {
            attention_block(h);
            linear(h, s_.ffn, true);
            linear(s_.ffn, h, true);
            norm(h);
            norm(h);
        }
        --layer_;
        norm(h);
        ++layer_;
        for (int l = 0; l < s_.layers; ++l, ++layer_) {
            attention_block(h);
            attention_block(h);
            linear(h, s_.ffn, true);
            linear(s_.ffn, h, true);
            norm(h);
            norm(h);
            norm(h);
        }
        part_ = Part::head;
        norm(h);
    }
    void lstm() {
        const std::int64_t h = s_.hidden;
        part_ = Part::layer;
        for (int l = 0; l < s_.layers; ++l, ++layer_) {
            matrix(4 * h, l == 0 ? s_.features : h);
            matrix(4 * h, h);
            vector(4 * h);
            vector(4 * h);
        }
        part_ = Part::head;
        linear(h, static_cast<std::int64_t>(s_.features) * s_.horizon, true);
    }

    const ModelShape& s_;
    const Lora& lora_;
    std::vector<Parameter> out_;
    Part part_ = Part::embeddings;
    std::int32_t layer_ = 0;
    bool always_trains_ = false;
};

}  // namespace

std::vector<Parameter> list_parameters(const ModelShape& shape, const Lora& lora) {
    return Lister(shape, lora).run();
}

std::vector<std::int64_t> list_buffers(const ModelShape& s) {
    switch (s.family) {
        case Family::bert:
        case Family::roberta:
            return {8LL * s.positions, 8LL * s.positions};  // positions, types
        case Family::naics: {
            std::vector<std::int64_t> out;
            for (int c = 0; c < 2 * s.channels; ++c) out.push_back(8LL * s.positions);
            return out;
        }
        case Family::distilbert:
            return {8LL * s.positions};
        case Family::llama:
            return {2LL * s.head_dim, 2LL * s.head_dim};  // inv_freq and its original
        default:
            return {};
    }
}

std::int64_t count(const std::vector<Parameter>& parameters, bool trainable_only) {
    std::int64_t n = 0;
    for (const auto& p : parameters)
        if (p.trainable || !trainable_only) n += p.elements;
    return n;
}

double approximate_parameters(const ModelShape& s) {
    const double h = s.hidden;
    const double attention =
        s.family == Family::lstm ? 8 * h * h : 2.0 * h * s.q_width() + 2.0 * h * s.kv_width();
    const double matrices = s.family == Family::llama ? 3 : 2;
    const double stacks = s.family == Family::temporal ? 2 : s.channels;
    const double layer = attention + matrices * h * s.ffn;
    const double table = static_cast<double>(s.vocab) + s.positions;
    const double moe = 2.0 * s.experts * h * s.channels * s.expert_hidden;
    return stacks * (s.layers * layer + table * h) + (s.tied_head ? 0 : 1.0 * s.vocab * h) + moe;
}

}  // namespace plimsoll::training
