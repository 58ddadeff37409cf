// A job's results: chunks of rows, read and converted one at a time while the client takes them.
#include "server/base/gzip.hpp"
#include "server/http/accept.hpp"
#include "server/http/endpoints/endpoints.hpp"
#include "server/http/endpoints/job_json.hpp"
#include "server/http/limits.hpp"
#include "server/http/offload.hpp"
#include "server/jobs/results_converter.hpp"

#include <algorithm>
#include <array>
#include <limits>

namespace plimsoll::http::endpoints {

using boost::asio::awaitable;
using jobs::ResultsFormat;
using nlohmann::json;

namespace {

// One task's rows, unpacked. Tasks are cut far smaller; this bounds what a damaged chunk can do.
constexpr std::size_t kLargestChunk = 64 * 1024 * 1024;

struct Format {
    ResultsFormat format;
    std::string_view name;
    std::string_view media_type;
};
constexpr std::array kFormats = {
    Format{ResultsFormat::json, "json", "application/json"},
    Format{ResultsFormat::jsonl, "jsonl", "application/x-ndjson"},
    Format{ResultsFormat::csv, "csv", "text/csv"},
};

// The head of the JSON form; the converter writes the array, "}" is the tail.
std::string json_head(const queue::Job& job) {
    auto head = json{{"job_id", to_public(job.id)}, {"kind", job.kind}}.dump();
    head.back() = ',';
    return head + "\"items\":";
}

// Which rows are wanted.
struct Range {
    std::int64_t first = 0;
    std::int64_t end = std::numeric_limits<std::int64_t>::max();
};

// The rows of a chunk from line `first` on, before line `end`.
std::string_view lines_between(std::string_view rows, std::int64_t first, std::int64_t end) {
    const auto skip = [](std::string_view text, std::int64_t lines) {
        std::size_t at = 0;
        for (; lines > 0 && at < text.size(); --lines) {
            const std::size_t newline = text.find('\n', at);
            at = newline == std::string_view::npos ? text.size() : newline + 1;
        }
        return at;
    };
    rows.remove_prefix(skip(rows, first));
    return rows.substr(0, skip(rows, end - first));
}

class ResultsStream final : public BodyStream {
  public:
    ResultsStream(queue::JobStore& store, boost::asio::thread_pool& pool, queue::Job job,
                  std::vector<queue::ChunkInfo> chunks, Range range, ResultsFormat format,
                  const jobs::Contract& kind)
        : store_(store),
          pool_(pool),
          job_(std::move(job)),
          chunks_(std::move(chunks)),
          range_(range),
          kind_(kind),
          format_(format),
          converter_(format, kind.columns) {}

    awaitable<Result<std::optional<std::string>>> next() override {
        if (ended_) co_return std::nullopt;
        std::string out;
        if (done_ == 0 && format_ == ResultsFormat::json) out = json_head(job_);
        while (done_ < chunks_.size() && item_ + chunks_[done_].items <= range_.first) {
            item_ += chunks_[done_++].items;
        }
        if (item_ >= range_.end) done_ = chunks_.size();
        if (done_ < chunks_.size()) {
            const auto& chunk = chunks_[done_];
            const auto packed = chunk.error.empty()
                                    ? co_await store_.result_chunk(job_.team, job_.id, chunk.seq)
                                    : co_await store_.task_input(job_.team, job_.id, chunk.seq);
            if (!packed) co_return fail(packed.error());
            const auto work = [this, &chunk, &packed, &out] {
                return convert(chunk, *packed, out);
            };
            const auto converted =
                packed->size() <= limits::kInlineBytes ? work() : co_await offload(pool_, work);
            if (!converted) co_return fail(converted.error());
            item_ += chunk.items;
            ++done_;
        }
        if (done_ == chunks_.size()) {
            if (auto finished = converter_.finish(out); !finished) co_return fail(finished.error());
            if (format_ == ResultsFormat::json) out += '}';
            ended_ = true;
        }
        co_return out;
    }

  private:
    Result<void> convert(const queue::ChunkInfo& chunk, const std::string& packed,
                         std::string& out) {
        const auto rows = chunk.error.empty() ? gunzip(packed, kLargestChunk)
                                              : kind_.failed_rows(job_.args, packed, chunk.error);
        if (!rows) return fail(rows.error());
        return converter_.feed(lines_between(*rows, std::max<std::int64_t>(range_.first - item_, 0),
                                             std::min(range_.end - item_, chunk.items)),
                               out);
    }

    queue::JobStore& store_;
    boost::asio::thread_pool& pool_;
    queue::Job job_;
    std::vector<queue::ChunkInfo> chunks_;
    Range range_;
    const jobs::Contract& kind_;
    ResultsFormat format_;
    jobs::ResultsConverter converter_;
    std::size_t done_ = 0;   // chunks
    std::int64_t item_ = 0;  // the first one of the next chunk
    bool ended_ = false;
};

Outcome<Format> format_of(const Call& call) {
    const auto name = call.parameters.text("format");
    const auto type = negotiate(call.request.header("Accept").value_or(""),
                                {"application/json", "application/x-ndjson", "text/csv"});
    for (const auto& format : kFormats) {
        if (name ? *name == format.name : type == format.media_type) return format;
    }
    return refuse(406, "This is available as application/json, application/x-ndjson, text/csv.");
}

awaitable<Outcome<Response>> results(const Call& call, queue::JobStore& store, Kinds kinds,
                                     boost::asio::thread_pool& pool) {
    const auto id = job_id_of(call.parameters.text("job_id"));
    if (!id) co_return tl::unexpected(id.error());
    const auto format = format_of(call);
    if (!format) co_return tl::unexpected(format.error());
    const auto team = call.principal.team.id;
    auto job = co_await store.get(team, *id);
    if (!job) co_return tl::unexpected<Problem>(job.error());
    if (auto final = require_final(*job); !final) co_return tl::unexpected(final.error());
    const auto kind = std::ranges::find(kinds, job->kind, &jobs::Contract::name);
    if (kind == kinds.end()) {
        co_return refuse(404, "This server does not know jobs of kind " + job->kind + ".");
    }
    auto chunks = co_await store.result_chunks(team, *id);
    if (!chunks) co_return tl::unexpected<Problem>(chunks.error());
    Range range{.first = call.parameters.integer("first").value_or(0)};
    if (const auto limit = call.parameters.integer("limit");
        limit && *limit < range.end - range.first) {
        range.end = range.first + *limit;
    }
    Response response;
    const auto extension = std::string(format->name);
    response.with("Content-Type", std::string(format->media_type))
        .with("Content-Disposition",
              "attachment; filename=\"" + to_public(*id) + "." + extension + "\"");
    response.stream = std::make_unique<ResultsStream>(
        store, pool, std::move(*job), std::move(*chunks), range, format->format, *kind);
    co_return response;
}

}  // namespace

void add_job_results(Handlers& handlers, queue::JobStore& store, Kinds kinds,
                     boost::asio::thread_pool& pool) {
    handlers["getJobResults"] = [&store, kinds, &pool](const Call& call) {
        return results(call, store, kinds, pool);
    };
}

}  // namespace plimsoll::http::endpoints
