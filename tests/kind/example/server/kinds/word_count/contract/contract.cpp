#include "server/jobs/kind.hpp"
#include "server/jobs/records/text_plan.hpp"
#include "server/jobs/records/text_rows.hpp"
#include "server/kinds/word_count/contract/texts.hpp"

#include <utility>

#include <nlohmann/json.hpp>

namespace plimsoll::jobs::word_count {
namespace {

tl::expected<Plan, FieldErrors> plan(const nlohmann::json& args, const KindSettings& /*settings*/) {
    auto tasks = cut_texts(kTexts, args);
    if (!tasks) return tl::unexpected(std::move(tasks.error()));
    // "args" are for the run and the job's page: no bulk input.
    return Plan{.args = "{}", .requirement = {}, .tasks = std::move(*tasks)};
}

tl::expected<DatasetPlan, FieldErrors> plan_dataset(const nlohmann::json& args,
                                                    const DatasetShape& dataset) {
    return plan_texts(kTexts, args, dataset, nlohmann::json::object());
}

// The rows of a task that was given up because its workers died on it.
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

}  // namespace plimsoll::jobs::word_count
