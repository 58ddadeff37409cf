#include "server/kinds/training_config/command/configs/run_batch.hpp"

#include "engine/base/json.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace plimsoll::jobs::training_config {

std::int64_t cards_of(const json& args) {
    const json cluster = args.value("cluster", json());
    return cluster.is_null() ? 1 : std::max<std::int64_t>(1, cluster.value("cards", 1));
}

std::int64_t divided_among(const json& args) {
    const json cluster = args.value("cluster", json());
    if (cluster.is_null()) return 1;
    std::int64_t cards = 1;
    for (const char* by : {"tensor_parallel", "context_parallel", "pipeline_parallel"})
        cards *= cluster.value(by, std::int64_t{1});
    return cards;
}

void settle_all_samples(json& args, ConfiguredRun& run) {
    if (run.all_samples <= 0) return;
    json& training = args["training"];
    const bool accumulates = run.places.contains("accumulation");
    if (accumulates && training.contains("batch") && args.contains("cluster") &&
        args["cluster"].is_object() && !args["cluster"].contains("cards")) {
        const auto of_one = training.at("batch").get<std::int64_t>() * run.accumulation;
        if (of_one > 0 && run.all_samples % of_one == 0)
            args["cluster"]["cards"] = run.all_samples / of_one;
    }
    const auto cards = cards_of(args);
    if (!training.contains("batch"))
        training["batch"] = std::max<std::int64_t>(1, run.all_samples / (cards * run.accumulation));
    const auto in_one_go = training.at("batch").get<std::int64_t>() * cards;
    if (!accumulates) run.accumulation = std::max<std::int64_t>(1, run.all_samples / in_one_go);
    if (in_one_go * run.accumulation != run.all_samples)
        run.notes.push_back(fmt::format(
            "train_batch_size is {}, but a batch of {} on {} GPUs with accumulation {} makes {}: "
            "DeepSpeed refuses that",
            run.all_samples, in_one_go / cards, cards, run.accumulation,
            in_one_go * run.accumulation));
}

std::int64_t effective_batch(const json& args, const ConfiguredRun& run) {
    const auto copies =
        std::max<std::int64_t>(1, cards_of(args) / std::max<std::int64_t>(1, divided_among(args)));
    const std::int64_t in_one_go =
        args.contains("cluster") ? args["cluster"].value("microbatches", std::int64_t{1}) : 1;
    return args.at("training").at("batch").get<std::int64_t>() * in_one_go * run.accumulation *
           copies;
}

}  // namespace plimsoll::jobs::training_config
