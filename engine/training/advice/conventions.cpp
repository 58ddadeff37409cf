#include "engine/training/advice/conventions.hpp"

#include "engine/training/models/parameters.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace plimsoll::training {
namespace {

// Brown et al. 2020, table 2.1: the batch is counted in tokens and grows with the model.
struct Pretrained {
    double parameters = 0;
    double rate = 0;
    double tokens = 0;
};
constexpr std::array kGpt3 = {
    Pretrained{125e6, 6e-4, 0.5e6},   Pretrained{350e6, 3e-4, 0.5e6},
    Pretrained{760e6, 2.5e-4, 0.5e6}, Pretrained{1.3e9, 2e-4, 1e6},
    Pretrained{2.7e9, 1.6e-4, 1e6},   Pretrained{6.7e9, 1.2e-4, 2e6},
    Pretrained{13e9, 1e-4, 2e6},      Pretrained{175e9, 0.6e-4, 3.2e6},
};

Convention pretraining_of(const ModelShape& shape, const TrainingSettings& settings) {
    if (!shape.is_decoder())
        return {256, 1e-4, 256, "pre-training of BERT (Devlin et al. 2019, appendix A.2)"};
    const auto size = static_cast<double>(count(list_parameters(shape, Lora{}), false));
    const auto& row = *std::ranges::min_element(
        kGpt3, {}, [&](const auto& one) { return std::abs(std::log(one.parameters / size)); });
    const auto batch = std::max<std::int64_t>(1, std::llround(row.tokens / settings.sequence));
    return {batch, row.rate, static_cast<double>(batch),
            "pre-training of the GPT-3 model nearest in size, with its batch in tokens (Brown et "
            "al. 2020, table 2.1)"};
}

Convention adapters_of(const ModelShape& shape) {
    if (shape.is_decoder())
        return {16, 2e-4, 16,
                "adapters on models of 7 to 13 billion parameters (Dettmers et al. 2023, QLoRA)"};
    return {16, 5e-4, 16, "adapters on RoBERTa base, MNLI (Hu et al. 2021, LoRA, appendix D)"};
}

// Without a rate, TRL trains with its own; its examples raise it tenfold for adapters.
Convention answers_of(const TrainingSettings& settings) {
    const bool scores = settings.method == Method::reward;
    return {64, (scores ? 1e-5 : 1e-6) * (settings.lora.rank > 0 ? 10 : 1), 64,
            scores ? "reward models of Llama 2 (rate: Touvron et al. 2023, section 3.2.2), tenfold "
                     "with adapters"
                   : "TRL 1.16's own rate, tenfold with adapters as in its examples (batch: "
                     "Rafailov et al. 2023, DPO, appendix B)"};
}

}  // namespace

Convention convention_for(const ModelShape& shape, const TrainingSettings& settings,
                          bool pretraining) {
    switch (shape.family) {
        case Family::naics:
            return {256, 2e-4, 16, "the NAICS memory guide and its project's conf/config.yaml"};
        case Family::temporal:
            return {512, 1e-4, 512,
                    "the GPU profile guide's batch for daily bars on its default GPU, and its "
                    "project's "
                    "rate"};
        case Family::lstm:
            return {128, 1e-3, 128, "Adam's own default rate and minibatch (Kingma and Ba 2015)"};
        default: break;
    }
    if (pretraining) return pretraining_of(shape, settings);
    if (settings.method != Method::supervised) return answers_of(settings);
    if (settings.lora.rank > 0) return adapters_of(shape);
    if (shape.family == Family::t5 && shape.own_traits)
        return {64, 3e-5, 64,
                "fine-tuning of BART on summaries (fairseq's recipe: 65,536 tokens a step)"};
    if (shape.family == Family::t5)
        return {128, 1e-4, 128,
                "fine-tuning of T5 (batch: Raffel et al. 2020, section 3.1.3; rate for AdamW: "
                "transformers' page on T5)"};
    if (shape.family == Family::vit)
        return {512, 2e-5, 8,
                "fine-tuning of ViT (batch: Dosovitskiy et al. 2021, appendix B.1.1; rate for "
                "AdamW at a batch of 8: transformers' image classification example)"};
    if (shape.family == Family::whisper)
        return {32, 3e-5, 32, "fine-tuning in transformers' audio classification example"};
    if (shape.is_decoder())
        return {64, 2e-5, 64,
                "supervised fine-tuning of Llama 2 (Touvron et al. 2023, section 3.1)"};
    return {32, 2e-5, 32, "fine-tuning of BERT (Devlin et al. 2019, appendix A.3)"};
}

}  // namespace plimsoll::training
