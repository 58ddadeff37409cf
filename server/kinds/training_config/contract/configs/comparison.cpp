#include "engine/base/json.hpp"
#include "server/kinds/training_config/contract/advice.hpp"
#include "server/kinds/training_config/contract/configs/config_structure.hpp"

namespace plimsoll::jobs::training_config {
namespace {

// More than any text within the contract's limit has without aliases.
constexpr int kMaxNodes = 100'000;
constexpr int kMaxDepth = 100;

// Whether the values can be visited at once: aliases may repeat a block without end.
bool is_bounded(const YAML::Node& node, int depth, int& left) {
    if (depth > kMaxDepth || --left < 0) return false;
    for (const auto& one : node) {
        const YAML::Node& value = node.IsMap() ? one.second : one;
        if (!is_bounded(value, depth + 1, left)) return false;
    }
    return true;
}

Result<Recommended> recommended_for(const json& summary, const std::string& file) {
    TRY(const auto stage, stage_for(summary, {}, file));
    return recommended_by(summary, {}, stage);
}

Result<json> compare(const std::string& text, const Recommended& recommended) {
    TRY(const auto root, parse_config(text));
    int left = kMaxNodes;
    if (!is_bounded(root, 0, left))
        return fail(Errc::invalid_input,
                    "Its aliases repeat too much, or it is nested too deeply.");
    TRY(const auto plan, plan_settings(text, recommended, {}));
    TRY(const auto edit, edit_config(text, plan.settings));
    return edit_json(plan, edit);
}

}  // namespace

tl::expected<std::string, FieldErrors> comparison_answer(const json& body,
                                                         const JobItem* /*item*/) {
    const auto of_args = [](FieldErrors errors) {
        for (auto& error : errors) error.pointer.insert(0, "/args");
        return tl::unexpected(std::move(errors));
    };
    auto request = parse_request(body.at("args"));
    if (!request) return of_args(std::move(request.error()));
    request->report.gpus.resize(1);
    request->report.what_ifs = false;
    const auto summary = estimate_now(*request);
    if (!summary) return of_args(summary.error());
    const auto recommended = recommended_for(*summary, body.at("name"));
    if (!recommended) return refused("/args", "invalid", recommended.error().message);
    const auto compared = compare(body.at("text"), *recommended);
    if (!compared) return refused("/text", "invalid", compared.error().message);
    return compared->dump();
}

}  // namespace plimsoll::jobs::training_config
