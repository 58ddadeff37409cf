#include "server/base/gzip.hpp"
#include "server/jobs/kind.hpp"
#include "server/jobs/records/dataset.hpp"
#include "server/jobs/records/text_rows.hpp"
#include "server/jobs/records/text_source.hpp"
#include "server/kinds/word_count/contract/texts.hpp"

#include <nlohmann/json.hpp>

namespace plimsoll::jobs::word_count {
namespace {

using nlohmann::json;

std::int64_t words_of(std::string_view text) {
    constexpr std::string_view kBlanks = " \t\n\v\f\r";
    std::int64_t words = 0;
    for (auto at = text.find_first_not_of(kBlanks); at != std::string_view::npos;) {
        ++words;
        at = text.find_first_not_of(kBlanks, text.find_first_of(kBlanks, at));
    }
    return words;
}

// A bad item gets its row and never fails the job.
void add(const text::RecordView& item, std::string& rows, TaskOutput& output, std::int64_t& sum) {
    if (item.is_error) {
        append_failed_text(rows, kTexts, item);
        ++output.items_failed;
        return;
    }
    const auto words = words_of(item.text);
    append_identity(rows, item);
    rows += ",\"words\":" + std::to_string(words) + ",\"error_code\":null,\"error\":null}\n";
    ++output.items_ok;
    sum += words;
}

Result<TaskOutput> count(const TextArgs& args, std::string_view input, RunContext& context) {
    const auto block = gunzip(input, kLargestBlock);
    if (!block) return fail(block.error());
    auto source = TextSource::open(kTexts, args, *block);
    if (!source) return fail(source.error());
    context.progress.set_total(source->count());
    TaskOutput output;
    std::string rows;
    std::int64_t sum = 0;
    while (true) {
        if (context.stop.stop_requested()) return fail(Errc::cancelled, "The task was stopped.");
        const auto item = source->next();
        if (!item) return fail(item.error());
        if (!*item) break;
        add(**item, rows, output, sum);
        context.progress.advance(1);
    }
    output.results = gzip(rows);
    output.partial = json{{"words", sum}}.dump();
    return output;
}

Result<Merged> merge(const TextArgs& /*args*/, std::span<const std::string> partials) {
    std::int64_t words = 0;
    for (const auto& partial : partials)
        words += json::parse(partial).at("words").get<std::int64_t>();
    return Merged{.summary = json{{"words", words}}.dump(), .results = {}};
}

}  // namespace

constinit extern const Run kRun{.name = kName,
                                .version = kVersion,
                                .parse = typed<from_text<TextArgs>>,
                                .run = typed<count>,
                                .merge = typed<merge>};

}  // namespace plimsoll::jobs::word_count
