#include "server/jobs/kind.hpp"
#include "server/jobs/records/text_plan.hpp"
#include "server/jobs/records/text_rows.hpp"
#include "server/kinds/word_count/contract/texts.hpp"

#include <utility>

#include <nlohmann/json.hpp>

namespace plimsoll::jobs::word_count {
namespace {

tl::expected<Plan, FieldErrors> plan(const nlohmann::json& args,
                                     const PlanningContext& /*planning_context*/) {
    auto tasks = cut_texts(kTexts, args);
    if (!tasks) return tl::unexpected(std::move(tasks.error()));
    // "args" are for the run and the job's page: no bulk input.
    return Plan{.args = to_text(TextArgs()), .requirement = {}, .tasks = std::move(*tasks)};
}

tl::expected<DatasetPlan, FieldErrors> plan_dataset(const nlohmann::json& args,
                                                    const PlanningContext& /*planning_context*/,
                                                    const DatasetShape& dataset) {
    auto columns = columns_of(args, dataset);
    if (!columns) return tl::unexpected(std::move(columns.error()));
    return plan_texts(kTexts, TextArgs(), dataset, std::move(*columns));
}

}  // namespace

constinit extern const Contract kContract{.name = kName,
                                          .version = kVersion,
                                          .columns = kColumns,
                                          .plan = plan,
                                          .plan_dataset = plan_dataset,
                                          .failed_rows = failed_text_rows<kTexts>};

}  // namespace plimsoll::jobs::word_count
