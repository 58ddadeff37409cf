#include "server/http/endpoints/results/result_parts.hpp"

#include "engine/base/json.hpp"
#include "server/base/gzip.hpp"
#include "server/base/offload.hpp"
#include "server/http/endpoints/jobs/item_chunk.hpp"
#include "server/http/messages/limits.hpp"
#include "server/jobs/records/results_converter.hpp"
#include "server/jobs/records/text_plan.hpp"

#include <algorithm>
#include <utility>

namespace plimsoll::http::endpoints {

using jobs::ResultsFormat;

namespace {

std::string json_head(const queue::Job& job) {
    auto head = json{{"job_id", to_public(job.id)}, {"kind", job.kind}}.dump();
    head.back() = ',';
    return head + "\"items\":";
}

// The rows of a chunk from line `first` on, before line `end`.
std::string_view lines_between(std::string_view rows, std::int64_t first, std::int64_t end) {
    const auto skip = [](std::string_view text, std::int64_t lines) {
        std::size_t at = 0;
        for (; lines > 0 && at < text.size(); --lines) at = text.find('\n', at) + 1;
        return at;
    };
    rows.remove_prefix(skip(rows, first));
    return rows.substr(0, skip(rows, end - first));
}

// Keeps the chunks that have some of the rows.
void keep(std::vector<queue::ChunkInfo>& chunks, RowSelection& rows) {
    std::int64_t before = 0;
    std::int64_t at = 0;
    std::erase_if(chunks, [&](const queue::ChunkInfo& chunk) {
        const auto begins = std::exchange(at, at + chunk.items);
        if (at <= rows.first) before = at;
        return at <= rows.first || begins >= rows.end;
    });
    rows.first -= before;
    rows.end -= before;
}

class PartsBody final : public BodyStream {
  public:
    PartsBody(std::shared_ptr<ResultParts> parts, std::uint64_t skip, std::uint64_t left)
        : parts_(std::move(parts)), skip_(skip), left_(left) {
        // Parts that are skipped entirely are not made.
        while (next_ < parts_->count() && skip_ > 0 && skip_ >= *parts_->size(next_))
            skip_ -= *parts_->size(next_++);
    }

    awaitable<Result<std::optional<std::string>>> next() override {
        if (next_ == parts_->count() || left_ == 0) co_return std::nullopt;
        CO_TRY(auto part, co_await parts_->part(next_++));
        if (skip_ > 0) part.erase(0, std::exchange(skip_, 0));
        if (part.size() > left_) part.resize(left_);
        left_ -= part.size();
        co_return std::move(part);
    }

  private:
    std::shared_ptr<ResultParts> parts_;
    std::size_t next_ = 0;
    std::uint64_t skip_;  // of the next part
    std::uint64_t left_;
};

std::vector<jobs::Column> filled_columns(const jobs::Contract& kind, std::string_view args) {
    std::vector<jobs::Column> filled(kind.columns.begin(), kind.columns.end());
    if (kind.unfilled_columns == nullptr) return filled;
    const auto unfilled = kind.unfilled_columns(args);
    std::erase_if(filled, [&](const jobs::Column& column) {
        return std::ranges::find(unfilled, column.name) != unfilled.end();
    });
    return filled;
}

}  // namespace

ResultParts::ResultParts(ResultSource source, boost::asio::thread_pool& pool, queue::Job job,
                         std::vector<queue::ChunkInfo> chunks, RowSelection rows,
                         ResultsFormat format, const jobs::Contract& kind,
                         std::shared_ptr<PartSizes> sizes)
    : source_(std::move(source)),
      pool_(pool),
      job_(std::move(job)),
      chunks_(std::move(chunks)),
      rows_(std::move(rows)),
      format_(format),
      kind_(kind),
      columns_(filled_columns(kind, job_.args)),
      kept_(jobs::kept_columns(job_.args)),
      sizes_(std::move(sizes)) {
    jobs::ResultsConverter converter(format, columns_, kept_);
    if (format == ResultsFormat::json) head_ = json_head(job_);
    converter.begin(head_);
    converter.end(tail_);
    if (format == ResultsFormat::json) tail_ += '}';
    if (!rows_.filter.empty()) search_.emplace(rows_.filter, kind.columns);
    const bool whole = rows_.whole();
    if (!whole) keep(chunks_, rows_);
    sizes_->resize(chunks_.size());
    if (!whole || format == ResultsFormat::csv) return;
    for (std::size_t chunk = 0; chunk < chunks_.size(); ++chunk) {
        if (!chunks_[chunk].error.empty()) continue;
        const auto size = static_cast<std::uint64_t>(chunks_[chunk].rows_bytes);
        // JSON separates rows by commas; JSON lines end each with a newline.
        (*sizes_)[chunk] = format == ResultsFormat::json && chunk == 0 ? size - 1 : size;
    }
}

std::optional<std::uint64_t> ResultParts::size(std::size_t number) const {
    if (number == 0) return head_.size();
    if (number > chunks_.size()) return tail_.size();
    return (*sizes_)[number - 1];
}

std::optional<std::uint64_t> ResultParts::total() const {
    std::uint64_t sum = 0;
    for (std::size_t number = 0; number < count(); ++number) {
        const auto one = size(number);
        if (!one) return std::nullopt;
        sum += *one;
    }
    return sum;
}

awaitable<Result<std::string>> ResultParts::part(std::size_t number) {
    if (number == 0) co_return head_;
    if (number > chunks_.size()) co_return tail_;
    auto rows = co_await rows_of(number - 1);
    if (!rows) co_return rows;
    auto& size = (*sizes_)[number - 1];
    if (size.value_or(rows->size()) != rows->size())
        co_return fail(Errc::corrupt, "A stored result chunk is corrupt.");
    size = rows->size();
    co_return rows;
}

awaitable<Result<void>> ResultParts::measure() {
    for (std::size_t number = 0; number < count(); ++number) {
        if (size(number)) continue;
        CO_TRY_DO(co_await part(number));
    }
    co_return Result<void>{};
}

awaitable<Result<std::string>> ResultParts::rows_of(std::size_t chunk) {
    const auto& info = chunks_[chunk];
    if (!info.error.empty()) co_return co_await failed_rows_of(chunk);
    CO_TRY(const auto packed, co_await source_.chunk(info.seq));
    const auto work = [&]() -> Result<std::string> {
        TRY(auto rows, gunzip(packed, kLargestChunk));
        return convert(chunk, std::move(rows));
    };
    // Rows of repeated texts are packed into a hundredth.
    const auto bytes = std::max(packed.size(), static_cast<std::size_t>(info.rows_bytes));
    co_return bytes <= limits::kInlineBytes ? work() : co_await compute(pool_, work);
}

// Of a quarantined task: made from its input, or without it if that has been deleted.
awaitable<Result<std::string>> ResultParts::failed_rows_of(std::size_t chunk) {
    const auto& info = chunks_[chunk];
    const auto input = co_await source_.input(info.seq);
    const bool gone = !input && input.error().code == Errc::not_found;
    if (!input && !gone) co_return fail(input.error());
    const auto work = [&]() -> Result<std::string> {
        if (gone) {
            return convert(chunk, jobs::rows_without_input(kind_.columns, info.first_item,
                                                           info.items, info.error));
        }
        TRY(const auto packed, jobs::cut_slice(input->packed, input->slice));
        TRY(auto rows, kind_.failed_rows(job_.args, packed, info.error));
        return convert(chunk, std::move(rows));
    };
    co_return co_await compute(pool_, work);
}

Result<std::string> ResultParts::convert(std::size_t chunk, std::string rows) {
    if (!rows.ends_with('\n')) return fail(Errc::corrupt, "A stored result chunk is truncated.");
    if (chunk == 0 || chunk + 1 == chunks_.size()) {
        std::int64_t before = 0;
        for (std::size_t other = 0; other < chunk; ++other) before += chunks_[other].items;
        const auto wanted = lines_between(rows, std::max<std::int64_t>(0, rows_.first - before),
                                          rows_.end - before);
        if (wanted.size() < rows.size()) rows = std::string(wanted);
    }
    if (search_) {
        TRY(auto found, search_->matching(rows));
        rows = std::move(found);
    }
    if (format_ == ResultsFormat::jsonl) return rows;
    // A search may find none in the chunks before; without one, parts are made in any order.
    const bool first = search_ ? first_ : chunk == 0;
    if (!rows.empty()) first_ = false;
    jobs::ResultsConverter converter(format_, columns_, kept_);
    std::string out;
    TRY_DO(converter.rows(rows, first, out));
    return out;
}

std::unique_ptr<BodyStream> whole_body(std::shared_ptr<ResultParts> parts) {
    return std::make_unique<PartsBody>(std::move(parts), 0,
                                       std::numeric_limits<std::uint64_t>::max());
}

std::unique_ptr<BodyStream> body_slice(std::shared_ptr<ResultParts> parts, std::uint64_t first,
                                       std::uint64_t last) {
    return std::make_unique<PartsBody>(std::move(parts), first, last - first + 1);
}

}  // namespace plimsoll::http::endpoints
