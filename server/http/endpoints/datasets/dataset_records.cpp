// A preview of a dataset's records, and the lines that cannot be read.
#include "engine/base/json.hpp"
#include "server/base/offload.hpp"
#include "server/http/endpoints/datasets/dataset_json.hpp"
#include "server/http/endpoints/endpoints.hpp"
#include "server/http/endpoints/page.hpp"
#include "server/jobs/records/dataset.hpp"
#include "server/jobs/records/results_converter.hpp"

#include <array>
#include <charconv>

namespace plimsoll::http::endpoints {

using jobs::ResultsFormat;

namespace {

constexpr std::size_t kPreviewCharacters = 200;  // of one value

constexpr std::array kErrorColumns = {jobs::Column{"index"}, jobs::Column{"line"},
                                      jobs::Column{"error_code"}, jobs::Column{"error"}};

json record_json(const text::RecordView& record, const queue::Dataset& dataset) {
    json item = {{"index", record.index}, {"values", nullptr}, {"error", nullptr}};
    if (record.is_error) {
        item["error"] = record.error_message;
        return item;
    }
    item["values"] = json::array();
    for (auto& cell :
         jobs::preview_cells(record.text, dataset.format, dataset.columns, kPreviewCharacters)) {
        item["values"].push_back(cell ? json(std::move(*cell)) : json());
    }
    return item;
}

json error_json(const text::RecordView& record) {
    return {{"index", record.index},
            {"line", record.line},
            {"error_code", record.error_code},
            {"error", record.error_message}};
}

// Iterates over the items of chunks, with one chunk in memory.
class ChunkWalk {
  public:
    ChunkWalk(queue::DatasetStore& store, boost::asio::thread_pool& pool, TeamId team, DatasetId id)
        : store_(store), pool_(pool), team_(team), id_(id) {}

    // Records from `first` on, until `take` returns false; with `errors` those that cannot be read.
    template <class Take>
    awaitable<Result<void>> visit(const std::vector<queue::DatasetChunkInfo>& chunks,
                                  std::uint64_t first, bool errors, Take take) {
        bool more = true;
        for (const auto& chunk : chunks) {
            const auto end = static_cast<std::uint64_t>(chunk.first_record + chunk.records);
            if (end <= first || (errors && chunk.failed == 0)) continue;
            CO_TRY(const auto content, co_await store_.chunk(team_, id_, chunk.seq));
            const auto work = [&] {
                return jobs::read_chunk(content, [&](const text::RecordView& record) {
                    if (record.index < first || (errors && !record.is_error)) return true;
                    return more = take(record);
                });
            };
            const auto read = co_await offload(pool_, work);
            if (!read || !more) co_return read;
        }
        co_return Result<void>{};
    }

  private:
    queue::DatasetStore& store_;
    boost::asio::thread_pool& pool_;
    TeamId team_;
    DatasetId id_;
};

// All lines that cannot be read, a chunk at a time while the client takes them.
class ErrorStream final : public BodyStream {
  public:
    ErrorStream(ChunkWalk walk, std::vector<queue::DatasetChunkInfo> chunks, ResultsFormat format)
        : walk_(walk), chunks_(std::move(chunks)), converter_(format, kErrorColumns) {}

    awaitable<Result<std::optional<std::string>>> next() override {
        if (ended_) co_return std::nullopt;
        std::string out;
        if (done_ == 0) converter_.begin(out);
        if (done_ < chunks_.size()) {
            std::string rows;
            const auto read = co_await walk_.visit({chunks_[done_++]}, 0, true,
                                                   [&rows](const text::RecordView& record) {
                                                       rows += error_json(record).dump() + '\n';
                                                       return true;
                                                   });
            if (!read) co_return fail(read.error());
            const bool first = done_ == 1;
            CO_TRY_DO(converter_.rows(rows, first, out));
        } else {
            ended_ = true;
            converter_.end(out);
        }
        co_return out;
    }

  private:
    ChunkWalk walk_;
    std::vector<queue::DatasetChunkInfo> chunks_;
    jobs::ResultsConverter converter_;
    std::size_t done_ = 0;
    bool ended_ = false;
};

class Records {
  public:
    Records(queue::DatasetStore& store, boost::asio::thread_pool& pool)
        : store_(store), pool_(pool) {}

    awaitable<Response> preview(const Call& call) const {
        const auto id = dataset_id_of(call.parameters.text("dataset_id"));
        const auto team = call.principal.team.id;
        const auto dataset = need(co_await store_.get(team, id));
        const auto chunks = need(co_await store_.chunks(team, id));
        const auto first =
            static_cast<std::uint64_t>(call.parameters.integer("offset").value_or(0));
        const auto limit = static_cast<std::size_t>(call.parameters.integer("limit").value_or(50));
        auto items = json::array();
        const auto take = [&](const text::RecordView& record) {
            items.push_back(record_json(record, dataset));
            return items.size() < limit;
        };
        need(co_await ChunkWalk(store_, pool_, team, id).visit(chunks, first, false, take));
        co_return json_response(200, {{"columns", dataset.columns}, {"items", std::move(items)}});
    }

    awaitable<Response> errors(const Call& call, ResultsFormat format) const {
        const auto id = dataset_id_of(call.parameters.text("dataset_id"));
        const auto team = call.principal.team.id;
        auto chunks = need(co_await store_.chunks(team, id));
        const ChunkWalk walk(store_, pool_, team, id);
        if (format == ResultsFormat::json) co_return co_await error_page(call, walk, chunks);
        std::erase_if(chunks, [](const auto& chunk) { return chunk.failed == 0; });
        const bool csv = format == ResultsFormat::csv;
        Response response;
        response.with("Content-Type", csv ? "text/csv" : "application/x-ndjson")
            .with("Content-Disposition", "attachment; filename=\"" + to_public(id) + "-errors." +
                                             (csv ? "csv" : "jsonl") + "\"");
        response.stream = std::make_unique<ErrorStream>(walk, std::move(chunks), format);
        co_return response;
    }

  private:
    static awaitable<Response> error_page(const Call& call, ChunkWalk walk,
                                          const std::vector<queue::DatasetChunkInfo>& chunks) {
        std::uint64_t first = 0;
        if (const auto cursor = call.parameters.text("cursor")) {
            const auto* end = cursor->data() + cursor->size();
            if (std::from_chars(cursor->data(), end, first).ptr != end)
                throw Refused(invalid_cursor());
        }
        const auto limit = page_limit(call);
        json page = {{"items", json::array()}, {"next_cursor", nullptr}};
        need(co_await walk.visit(chunks, first, true, [&](const text::RecordView& record) {
            if (page["items"].size() == limit) {
                page["next_cursor"] = call.cursors.seal(std::to_string(record.index));
                return false;
            }
            page["items"].push_back(error_json(record));
            return true;
        }));
        auto response = json_response(200, page);
        if (page["next_cursor"].is_string()) {
            response.with("Link",
                          next_link(call.request.target, page["next_cursor"].get<std::string>()));
        }
        co_return response;
    }

    queue::DatasetStore& store_;
    boost::asio::thread_pool& pool_;
};

}  // namespace

void add_dataset_records(Handlers& handlers, queue::DatasetStore& store,
                         boost::asio::thread_pool& pool) {
    const auto records = std::make_shared<const Records>(store, pool);
    handlers["listDatasetRecords"] = [records](const Call& call) { return records->preview(call); };
    handlers["listDatasetErrors"] = [records](const Call& call) {
        return records->errors(call, ResultsFormat::json);
    };
    handlers["downloadDatasetErrorsCsv"] = [records](const Call& call) {
        return records->errors(call, ResultsFormat::csv);
    };
    handlers["downloadDatasetErrorsJsonl"] = [records](const Call& call) {
        return records->errors(call, ResultsFormat::jsonl);
    };
}

}  // namespace plimsoll::http::endpoints
