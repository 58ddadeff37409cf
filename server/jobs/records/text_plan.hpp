#pragma once

#include "server/jobs/records/text_args.hpp"

#include <concepts>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json_fwd.hpp>

// Contract::plan and Contract::plan_dataset of kinds whose items are texts.
namespace plimsoll::jobs {

// The tasks of a job whose args have "texts" or "items". Memory: one task's records.
tl::expected<std::vector<TaskSpec>, FieldErrors> cut_texts(const TextKind& kind,
                                                           const nlohmann::json& args);

// TextArgs::keep of such a job: the names in `columns.keep`, in that order, then further names in
// the items' `kept`.
inline constexpr std::size_t kMaxKept = 100;
std::vector<std::string> kept_names(const nlohmann::json& args);

// TextArgs::given of such a job.
std::vector<std::string> given_members(const nlohmann::json& args);

// Names of the columns in `kept` of a job's rows; `args` are the plan's. Empty: none.
std::vector<std::string> kept_columns(std::string_view args);

// The columns of a job whose args have "dataset". `attributes` are taken from columns of their
// names, unless the args choose others.
tl::expected<text::RecordColumns, FieldErrors> columns_of(
    const nlohmann::json& args, const DatasetShape& dataset,
    std::span<const text::Attribute> attributes = {});

tl::expected<text::RecordLayout, FieldErrors> find_source(const DatasetShape& dataset,
                                                          text::RecordColumns columns);

// The plan of such a job with these args, to which the dataset is added.
template <std::derived_from<TextArgs> Args>
tl::expected<DatasetPlan, FieldErrors> plan_texts(const TextKind& kind, Args args,
                                                  const DatasetShape& dataset,
                                                  text::RecordColumns columns) {
    TRY(auto source, find_source(dataset, std::move(columns)));
    args.dataset = dataset.id;
    args.source = std::move(source);
    return DatasetPlan{.plan = {.args = to_text(args), .requirement = {}, .tasks = {}},
                       .seconds_per_record = kind.seconds_per_item,
                       .seconds_per_byte = kind.seconds_per_byte};
}

}  // namespace plimsoll::jobs
