#include "server/jobs/kind.hpp"
#include "server/jobs/sentiment/contract/failed_rows.hpp"
#include "server/jobs/sentiment/contract/limits.hpp"
#include "server/jobs/sentiment/contract/source.hpp"
#include "server/jobs/sentiment/contract/tasks.hpp"

#include <array>
#include <utility>

#include <nlohmann/json.hpp>

namespace plimsoll::jobs::sentiment {
namespace {

using nlohmann::json;

constexpr std::array kColumns = {
    Column{"index"},    Column{"line"},       Column{"custom_id"}, Column{"text"},
    Column{"label"},    Column{"compound"},   Column{"positive"},  Column{"neutral"},
    Column{"negative"}, Column{"error_code"}, Column{"error"},
};

FieldErrors one_error(std::string pointer, std::string rule, std::string message) {
    return {{std::move(pointer), std::move(rule), std::move(message)}};
}

text::Record record_of(const json& item) {
    text::Record record;
    if (item.is_string()) {
        record.text = item.get<std::string>();
        return record;
    }
    if (const auto id = item.find("custom_id"); id != item.end()) {
        record.custom_id = id->get<std::string>();
    }
    record.text = item.at("text").get<std::string>();
    return record;
}

tl::expected<Plan, FieldErrors> plan(const json& args, const KindSettings& /*settings*/) {
    const std::string model = args.value("model", std::string(kVader));
    if (model != kVader) {
        return tl::unexpected(one_error("/model", "unknown_model", "The model must be \"vader\"."));
    }
    if (args.contains("texts") == args.contains("items") || args.contains("columns")) {
        return tl::unexpected(one_error("", "one_of",
                                        "Exactly one of \"texts\", \"items\" and \"dataset\" must "
                                        "be given; \"columns\" belong to a dataset."));
    }
    Plan plan;
    plan.args = json{{"model", model}}.dump();
    TaskCutter cutter;
    for (const json& item : args.contains("texts") ? args["texts"] : args["items"]) {
        cutter.add(record_of(item), plan.tasks);
    }
    cutter.finish(plan.tasks);
    if (plan.tasks.empty()) {
        return tl::unexpected(one_error(args.contains("texts") ? "/texts" : "/items", "min_items",
                                        "At least one text must be given."));
    }
    return plan;
}

tl::expected<DatasetPlan, FieldErrors> plan_dataset(const json& args, const DatasetShape& dataset) {
    if (args.contains("texts") || args.contains("items")) {
        return tl::unexpected(one_error(
            "", "one_of", "Exactly one of \"texts\", \"items\" and \"dataset\" must be given."));
    }
    const json chosen = args.value("columns", json::object());
    const auto layout = text::find_columns(
        dataset.format, dataset.columns,
        {.text = chosen.value("text", ""), .custom_id = chosen.value("custom_id", "")});
    if (!layout) {
        return tl::unexpected(one_error("/columns/" + layout.error().where, "unknown_column",
                                        layout.error().message));
    }
    DatasetPlan plan;
    plan.args = json{{"model", args.value("model", std::string(kVader))},
                     {"dataset", dataset.id},
                     {"source", source_json(*layout)}}
                    .dump();
    plan.seconds_per_record = kSecondsPerItem;
    plan.seconds_per_byte = kSecondsPerByte;
    return plan;
}

}  // namespace

constinit extern const Contract kContract{.name = kName,
                                          .version = kVersion,
                                          .columns = kColumns,
                                          .plan = plan,
                                          .plan_dataset = plan_dataset,
                                          .failed_rows = failed_rows};

}  // namespace plimsoll::jobs::sentiment
