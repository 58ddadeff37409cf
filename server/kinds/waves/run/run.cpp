#include "engine/base/json.hpp"
#include "engine/waves/report/parallel.hpp"
#include "engine/waves/report/scan.hpp"
#include "server/base/gzip.hpp"
#include "server/kinds/waves/contract/slices.hpp"
#include "server/kinds/waves/run/device.hpp"
#include "server/kinds/waves/run/rows.hpp"

#include <algorithm>
#include <thread>
#include <utility>

namespace plimsoll::jobs::waves {
namespace {

// Arguments that the contract accepted but that are refused here are damaged, or come from another
// version.
Result<Request> stored_request(std::string_view args) {
    const json parsed = json::parse(args, nullptr, false);
    if (!parsed.is_object()) return fail(Errc::corrupt, "A job's arguments are corrupt.");
    auto request = parse_request(parsed);
    if (!request) return fail(Errc::corrupt, request.error().front().message);
    return std::move(*request);
}

engine::Settings settings_of(const Slice& slice, const Request& request) {
    engine::Settings settings = request.settings;
    if (slice.share == Share::whole) return settings;
    settings.first_surrogate = slice.first_surrogate;
    settings.surrogates = static_cast<int>(slice.surrogates);
    return settings;
}

std::size_t threads_of(const engine::Settings& settings) {
    return settings.threads > 0 ? static_cast<std::size_t>(settings.threads)
                                : std::max(1u, std::thread::hardware_concurrency());
}

// Of a task that has some surrogates of a symbol.
TaskOutput judgement_of(const Slice& slice, const engine::SymbolReport& report,
                        RunContext& context) {
    context.progress.advance(-1);  // the item is that of the task that writes the rows
    Partial partial;
    partial.judgements[slice.first] = engine::Judgement(report);
    // The task with the first of them counts for the symbol, the others only for their surrogates.
    partial.add_computed(report, context.node, slice.first_surrogate == 0 ? 1 : 0);
    return {.results = gzip(""), .partial = partial.packed()};
}

TaskOutput rows_of(const Slice& slice, const Request& request,
                   std::vector<engine::SymbolReport>& reports, RunContext& context) {
    // Writing the results takes longest in most tasks: it uses all cores, like the search.
    std::vector<std::string> texts(reports.size());
    std::vector<json> drafts(slice.share == Share::rows ? reports.size() : 0);
    engine::parallel_for(reports.size(), threads_of(request.settings), [&](std::size_t i) {
        // For this slice only: the merge corrects for all symbols of the job.
        reports[i].false_discovery_rate.reset();
        const auto index = slice.first + static_cast<std::int64_t>(i);
        json row = result_row(index, reports[i], request.settings.profile);
        if (!drafts.empty()) drafts[i] = row;
        texts[i] = row_text(std::move(row));
        context.progress.beat();
    });
    TaskOutput output;
    Partial partial;
    std::string rows;
    for (std::size_t i = 0; i < reports.size(); ++i) {
        rows += texts[i];
        partial.add(slice.first + static_cast<std::int64_t>(i), reports[i]);
        if (slice.share == Share::whole) partial.add_computed(reports[i], context.node, 1);
        ++(reports[i].ok() ? output.items_ok : output.items_failed);
    }
    if (output.items_failed > 0) {
        context.say(LogLevel::warning, std::to_string(output.items_failed) + " of " +
                                           std::to_string(reports.size()) +
                                           " symbols could not be counted: the results say why.");
    }
    partial.rows = std::move(drafts);
    output.results = gzip(rows);
    output.partial = partial.packed();
    return output;
}

Result<TaskOutput> count_waves(const Request& request, std::string_view input,
                               RunContext& context) {
    TRY(auto slice, unpack_slice(input, request.reading.zone));
    TRY(auto reports,
        engine::scan(std::move(slice.symbols), settings_of(slice, request), context.progress,
                     context.stop, device_at_hand(context.device, context.ledger)));
    return slice.share == Share::surrogates ? judgement_of(slice, reports.front(), context)
                                            : rows_of(slice, request, reports, context);
}

Result<Merged> merge(const Request& request, std::span<const std::string> partials) {
    Partial all;
    for (const std::string& stored : partials) {
        TRY(auto partial, Partial::unpacked(stored));
        all.add(std::move(partial));
    }
    all.judge();
    std::string rows;
    for (json& row : all.rows) rows += row_text(std::move(row));
    return Merged{summary_json(request, std::move(all)).dump(), rows.empty() ? "" : gzip(rows)};
}

}  // namespace

constinit extern const Run kRun{.name = kName,
                                .version = kVersion,
                                .parse = typed<stored_request>,
                                .run = typed<count_waves>,
                                .merge = typed<merge>,
                                .release = release_device,
                                .any_device = true};

}  // namespace plimsoll::jobs::waves
