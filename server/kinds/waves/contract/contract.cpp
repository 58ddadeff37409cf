#include "server/kinds/waves/contract/cost.hpp"
#include "server/kinds/waves/contract/failed_rows.hpp"
#include "server/kinds/waves/contract/gather.hpp"
#include "server/kinds/waves/contract/offer.hpp"
#include "server/kinds/waves/contract/slices.hpp"

#include <array>
#include <utility>

namespace plimsoll::jobs::waves {
namespace {

using nlohmann::json;

// The best count of a symbol in a line; all counts and more stand in "report" of the JSON forms.
constexpr std::array kColumns = {
    Column{"index"},     Column{"symbol", true}, Column{"bars"},         Column{"date_start"},
    Column{"date_end"},  Column{"rule_name"},    Column{"direction"},    Column{"score"},
    Column{"rarity"},    Column{"p_value"},      Column{"verdict"},      Column{"count_start"},
    Column{"count_end"}, Column{"expects"},      Column{"invalidation"}, Column{"invalidated"},
    Column{"target"},    Column{"valid"},        Column{"complete"},     Column{"error_code"},
    Column{"error"},
};

tl::expected<Plan, FieldErrors> plan(const json& args, const Knowledge& /*knowledge*/) {
    auto request = parse_request(args);
    if (!request) return tl::unexpected(std::move(request.error()));
    auto symbols = read_given_prices(args, request->reading);
    if (!symbols) return tl::unexpected(std::move(symbols.error()));
    auto tasks =
        cut_tasks(std::move(*symbols), *request, args.contains("prices") ? "/prices" : "/series");
    if (!tasks) return tl::unexpected(std::move(tasks.error()));
    auto requirement = requirement_of(request->settings, *tasks);
    return Plan{
        .args = plan_args(args), .requirement = std::move(requirement), .tasks = std::move(*tasks)};
}

}  // namespace

constinit extern const Contract kContract{.name = kName,
                                          .version = kVersion,
                                          .columns = kColumns,
                                          .plan = plan,
                                          .plan_dataset = plan_dataset,
                                          .failed_rows = failed_rows,
                                          .offer = &kOffer};

}  // namespace plimsoll::jobs::waves
