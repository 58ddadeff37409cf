#include "server/jobs/kind.hpp"
#include "server/jobs/records/text_plan.hpp"
#include "server/jobs/records/text_rows.hpp"
#include "server/jobs/sentiment/contract/texts.hpp"

#include <utility>

#include <nlohmann/json.hpp>

namespace plimsoll::jobs::sentiment {
namespace {

using nlohmann::json;

tl::expected<Plan, FieldErrors> plan(const json& args, const KindSettings& /*settings*/) {
    const std::string model = args.value("model", std::string(kVader));
    if (model != kVader) {
        return tl::unexpected(
            FieldErrors{{"/model", "unknown_model", "The model must be \"vader\"."}});
    }
    auto tasks = cut_texts(kTexts, args);
    if (!tasks) return tl::unexpected(std::move(tasks.error()));
    Plan plan;
    plan.args = json{{"model", model}}.dump();
    plan.tasks = std::move(*tasks);
    return plan;
}

tl::expected<DatasetPlan, FieldErrors> plan_dataset(const json& args, const DatasetShape& dataset) {
    return plan_texts(kTexts, args, dataset, {{"model", args.value("model", std::string(kVader))}});
}

Result<std::string> failed_rows(std::string_view args, std::string_view input,
                                std::string_view reason) {
    return failed_text_rows(kTexts, args, input, reason);
}

}  // namespace

constinit extern const Contract kContract{.name = kName,
                                          .version = kVersion,
                                          .columns = kColumns,
                                          .plan = plan,
                                          .plan_dataset = plan_dataset,
                                          .failed_rows = failed_rows};

}  // namespace plimsoll::jobs::sentiment
