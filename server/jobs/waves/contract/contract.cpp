#include "engine/waves/series/price_records.hpp"
#include "server/jobs/waves/contract/cost.hpp"
#include "server/jobs/waves/contract/failed_rows.hpp"
#include "server/jobs/waves/contract/gather.hpp"
#include "server/jobs/waves/contract/slices.hpp"

#include <array>
#include <utility>

namespace plimsoll::jobs::waves {
namespace {

using nlohmann::json;

// The best count of a symbol in a line; all counts and more stand in "report" of the JSON forms.
constexpr std::array kColumns = {
    Column{"index"},     Column{"symbol"},    Column{"bars"},         Column{"date_start"},
    Column{"date_end"},  Column{"rule_name"}, Column{"direction"},    Column{"score"},
    Column{"rarity"},    Column{"p_value"},   Column{"verdict"},      Column{"count_start"},
    Column{"count_end"}, Column{"expects"},   Column{"invalidation"}, Column{"invalidated"},
    Column{"target"},    Column{"valid"},     Column{"complete"},     Column{"error_code"},
    Column{"error"},
};

Result<std::vector<engine::SymbolPrices>> read_series(const json& series,
                                                      const engine::PriceReading& reading) {
    engine::PriceRows rows;
    std::uint64_t number = 0;
    for (const json& one : series) engine::add_json_prices(one, reading, ++number, rows);
    return rows.take();
}

tl::expected<Plan, FieldErrors> plan(const json& args) {
    const bool text = args.contains("prices");
    if (text == args.contains("series")) {
        return tl::unexpected(one_error(
            "", "one_of", "Exactly one of \"prices\", \"series\" and \"dataset\" must be given."));
    }
    auto request = parse_request(args);
    if (!request) return tl::unexpected(std::move(request.error()));
    const std::string where = text ? "/prices" : "/series";
    auto symbols = text ? engine::read_prices(args["prices"].get_ref<const std::string&>(),
                                              args.value("format", "csv") == "csv"
                                                  ? engine::PriceFormat::csv
                                                  : engine::PriceFormat::json_lines,
                                              request->reading)
                        : read_series(args["series"], request->reading);
    if (!symbols) {
        return tl::unexpected(one_error(where, "unreadable", symbols.error().message));
    }
    auto tasks = cut_tasks(std::move(*symbols), *request, where);
    if (!tasks) return tl::unexpected(std::move(tasks.error()));
    auto requirement = requirement_of(request->settings, *tasks);
    return Plan{
        .args = plan_args(args), .requirement = std::move(requirement), .tasks = std::move(*tasks)};
}

}  // namespace

const Contract& contract() {
    static const Contract it{.name = kName,
                             .version = kVersion,
                             .columns = kColumns,
                             .plan = plan,
                             .gather_dataset = gather_dataset,
                             .failed_rows = failed_rows};
    return it;
}

}  // namespace plimsoll::jobs::waves
