#include "engine/training/models/model_shape.hpp"

#include "engine/training/models/parameters.hpp"

#include <cmath>

namespace plimsoll::training {
namespace {

tl::unexpected<Error> wrong(const char* field, std::string rule) {
    return fail(Errc::invalid_input, std::move(rule), field);
}

bool probability(double p) {
    return std::isfinite(p) && p >= 0 && p < 1;
}

// Bounds keep products of three dimensions inside 64 bits.
Result<void> check_range(const char* field, const char* what, std::int64_t value, std::int64_t low,
                         std::int64_t high) {
    if (value < low || value > high)
        return wrong(field, std::string(what) + " must lie between " + std::to_string(low) +
                                " and " + std::to_string(high) + ", not " + std::to_string(value) +
                                ".");
    return {};
}

Result<void> check_attention(ModelShape& s) {
    if (auto ok = check_range("/heads", "The number of attention heads", s.heads, 1, 4096); !ok)
        return ok;
    if (s.kv_heads == 0) s.kv_heads = s.heads;
    if (s.head_dim == 0) {
        if (s.hidden % s.heads != 0)
            return wrong("/heads", std::to_string(s.heads) +
                                       " attention heads do not divide the "
                                       "hidden size " +
                                       std::to_string(s.hidden) + ".");
        s.head_dim = s.hidden / s.heads;
    }
    if (auto ok = check_range("/head_dim", "The head size", s.head_dim, 1, 4096); !ok) return ok;
    if (s.kv_heads < 1 || s.heads % s.kv_heads != 0)
        return wrong("/kv_heads", std::to_string(s.kv_heads) + " key/value heads do not divide " +
                                      std::to_string(s.heads) + " attention heads.");
    return check_range("/ffn", "The feed-forward size", s.ffn, 1, 1 << 20);
}

}  // namespace

std::string_view to_string(Family family) {
    switch (family) {
        case Family::bert:
            return "bert";
        case Family::distilbert:
            return "distilbert";
        case Family::roberta:
            return "roberta";
        case Family::gpt2:
            return "gpt2";
        case Family::llama:
            return "llama";
        case Family::naics:
            return "naics";
        case Family::temporal:
            return "temporal";
        case Family::lstm:
            return "lstm";
    }
    return "";
}

std::string_view to_string(Head head) {
    return head == Head::classifier ? "classifier" : "language_model";
}

std::string_view to_string(Activation activation) {
    switch (activation) {
        case Activation::gelu:
            return "gelu";
        case Activation::gelu_new:
            return "gelu_new";
        case Activation::gelu_tanh:
            return "gelu_pytorch_tanh";
        case Activation::silu:
            return "silu";
        case Activation::relu:
            return "relu";
    }
    return "";
}

Result<ModelShape> validated(ModelShape s) {
    if (auto ok = check_range("/layers", "The number of layers", s.layers, 1, 1000); !ok)
        return fail(ok.error());
    if (auto ok = check_range("/hidden", "The hidden size", s.hidden, 1, 1 << 18); !ok)
        return fail(ok.error());
    if (s.family != Family::lstm)
        if (auto ok = check_attention(s); !ok) return fail(ok.error());
    if (s.is_series()) {
        if (auto ok = check_range("/features", "The number of features", s.features, 1, 1 << 20);
            !ok)
            return fail(ok.error());
        if (auto ok = check_range("/horizon", "The horizon", s.horizon, 1, 1 << 20); !ok)
            return fail(ok.error());
    } else {
        if (auto ok = check_range("/vocab", "The vocabulary", s.vocab, 1, 100'000'000); !ok)
            return fail(ok.error());
        if (auto ok = check_range("/labels", "The number of labels", s.labels, 1, 1'000'000); !ok)
            return fail(ok.error());
        if (s.family != Family::llama)
            if (auto ok = check_range("/positions", "The number of positions", s.positions, 1,
                                      10'000'000);
                !ok)
                return fail(ok.error());
    }
    if (s.family == Family::naics) {
        if (auto ok = check_range("/channels", "The number of channels", s.channels, 1, 64); !ok)
            return fail(ok.error());
        if (auto ok = check_range("/experts", "The number of experts", s.experts, 1, 1024); !ok)
            return fail(ok.error());
        if (auto ok = check_range("/experts_per_row", "The experts per row", s.experts_per_row, 1,
                                  s.experts);
            !ok)
            return fail(ok.error());
        if (auto ok = check_range("/expert_hidden", "The expert size", s.expert_hidden, 1, 1 << 20);
            !ok)
            return fail(ok.error());
    }
    if (s.head == Head::language_model && (s.is_series() || s.family == Family::naics))
        return wrong("/head", "This model has no language-model head.");
    if (!probability(s.hidden_dropout))
        return wrong("/hidden_dropout", "A dropout must be at least 0 and below 1.");
    if (!probability(s.attention_dropout))
        return wrong("/attention_dropout", "A dropout must be at least 0 and below 1.");
    const auto count = approximate_parameters(s);
    if (count > kMostParameters)
        return wrong("/hidden", "The model would have about " + std::to_string(count / 1e12) +
                                    "e12 parameters; the limit is 1e12.");
    return s;
}

}  // namespace plimsoll::training
