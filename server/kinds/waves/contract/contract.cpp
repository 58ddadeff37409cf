#include "engine/base/json.hpp"
#include "engine/text/record_block.hpp"
#include "engine/waves/series/price_records.hpp"
#include "server/jobs/kind.hpp"
#include "server/kinds/waves/contract/cost.hpp"
#include "server/kinds/waves/contract/extras.hpp"
#include "server/kinds/waves/contract/failed_rows.hpp"
#include "server/kinds/waves/contract/slices.hpp"

#include <array>
#include <utility>

namespace plimsoll::jobs::waves {
namespace {

std::string without_extension(const std::string& name) {
    return name.substr(0, name.find_last_of('.'));
}

class PriceGatherer final : public Gatherer {
  public:
    PriceGatherer(std::string args, Request request, std::unique_ptr<engine::PriceRecords> records,
                  std::uint64_t header_lines)
        : args_(std::move(args)),
          request_(std::move(request)),
          records_(std::move(records)),
          header_lines_(header_lines) {}

    tl::expected<void, FieldErrors> take(const text::RecordView& record) override {
        if (record.is_error) {
            records_->fail(record.line, "A record cannot be read, so its symbol is unknown: " +
                                            std::string(record.error_message));
        } else {
            // Lines are not stored: this is right as long as no record spans two and none is blank.
            records_->add(record.text, record.index + 1 + header_lines_);
        }
        if (records_->symbols() > 4 * kMaxSymbols) {
            return tl::unexpected(one_error(
                "/dataset", "max_items",
                "A dataset may have at most " + std::to_string(4 * kMaxSymbols) + " symbols."));
        }
        return {};
    }

    tl::expected<Plan, FieldErrors> finish() override {
        TRY(auto tasks, cut_tasks(records_->take(), request_, "/dataset"));
        auto requirement = requirement_of(request_.settings, tasks);
        return Plan{
            .args = args_, .requirement = std::move(requirement), .tasks = std::move(tasks)};
    }

  private:
    std::string args_;
    Request request_;
    std::unique_ptr<engine::PriceRecords> records_;
    std::uint64_t header_lines_;
};

// The arguments for the run and the job page: everything but the prices.
std::string plan_args(const json& args) {
    json kept = args;
    kept.erase("prices");
    kept.erase("series");
    return kept.dump();
}

// See Contract::plan_dataset.
tl::expected<DatasetPlan, FieldErrors> plan_dataset(const json& args,
                                                    const PlanningContext& /*planning_context*/,
                                                    const DatasetShape& dataset) {
    for (const char* member : {"prices", "series"}) {
        if (args.contains(member)) {
            return tl::unexpected(
                one_error("", "one_of",
                          "Exactly one of \"prices\", \"series\" and \"dataset\" must be given."));
        }
    }
    if (args.contains("format")) return tl::unexpected(format_without_prices());
    TRY(auto request, parse_request(args));
    if (request.reading.symbol.empty()) request.reading.symbol = without_extension(dataset.name);
    const bool csv = dataset.format == text::RecordFormat::csv;
    auto records = csv ? engine::csv_price_records(dataset.columns, request.reading)
                       : Result<std::unique_ptr<engine::PriceRecords>>(
                             engine::json_price_records(request.reading));
    if (!records)
        return tl::unexpected(one_error("/columns", "unknown_column", records.error().message));
    DatasetPlan plan;
    plan.gatherer = std::make_unique<PriceGatherer>(plan_args(args), std::move(request),
                                                    std::move(*records), csv ? 1 : 0);
    return plan;
}

// What is live, and the best count, of a symbol in a line; all counts and more stand in "report" of
// the JSON forms.
constexpr std::array kColumns = {
    Column{"index"},        Column{"symbol", true}, Column{"bars"},
    Column{"date_start"},   Column{"date_end"},     Column{"live"},
    Column{"live_expects"}, Column{"live_target"},  Column{"live_invalidation"},
    Column{"rule_name"},    Column{"direction"},    Column{"score"},
    Column{"rarity"},       Column{"p_value"},      Column{"verdict"},
    Column{"count_start"},  Column{"count_end"},    Column{"expects"},
    Column{"invalidation"}, Column{"invalidated"},  Column{"target"},
    Column{"valid"},        Column{"complete"},     Column{"error_code"},
    Column{"error"},
};

tl::expected<Plan, FieldErrors> plan(const json& args,
                                     const PlanningContext& /*planning_context*/) {
    TRY(auto request, parse_request(args));
    TRY(auto symbols, read_given_prices(args, request.reading));
    TRY(auto tasks,
        cut_tasks(std::move(symbols), request, args.contains("prices") ? "/prices" : "/series"));
    auto requirement = requirement_of(request.settings, tasks);
    return Plan{
        .args = plan_args(args), .requirement = std::move(requirement), .tasks = std::move(tasks)};
}

}  // namespace

constinit extern const Contract kContract{.name = kName,
                                          .version = kVersion,
                                          .columns = kColumns,
                                          .plan = plan,
                                          .plan_dataset = plan_dataset,
                                          .failed_rows = failed_rows,
                                          .extras = &kExtras};

}  // namespace plimsoll::jobs::waves
