#include "engine/waves/output/check.hpp"

#include "engine/base/json.hpp"
#include "engine/waves/series/series.hpp"
#include "server/kinds/waves/contract/extras.hpp"
#include "server/kinds/waves/contract/subject.hpp"

namespace plimsoll::jobs::waves {

tl::expected<std::string, FieldErrors> check_answer(const json& body, const JobItem* item) {
    TRY(const auto subject,
        subject_of(body, item, {"job_id", "index", "pattern", "direction", "ends"}, false));
    const engine::Series& series = subject.prices.series;
    const auto shape =
        value_of(engine::kShapeNames, body.at("pattern").get_ref<const std::string&>());
    if (!shape) {
        return tl::unexpected(
            one_error("/pattern", "unknown_pattern",
                      "There is no pattern \"" + body.at("pattern").get<std::string>() + "\"."));
    }
    engine::output::DrawnCount drawn{
        .shape = *shape, .rising = body.at("direction") == "up", .ends = {}};
    FieldErrors errors;
    for (const json& end : body.at("ends")) {
        const std::string name = end.is_string() ? end.get<std::string>() : end.dump();
        const auto bar = engine::bar_named(series, name);
        if (!bar) {
            errors.push_back({"/ends/" + std::to_string(drawn.ends.size()), "unknown_bar",
                              "There is no bar \"" + name + "\"."});
        }
        drawn.ends.push_back(bar.value_or(-1));
    }
    if (!errors.empty()) return tl::unexpected(std::move(errors));
    const auto checked = engine::check_count(series, drawn.shape, drawn.rising, drawn.ends,
                                             subject.request.settings);
    if (!checked)
        return tl::unexpected(one_error(checked.error().where, "invalid", checked.error().message));
    return engine::output::check_json(series, drawn, *checked).dump();
}

}  // namespace plimsoll::jobs::waves
