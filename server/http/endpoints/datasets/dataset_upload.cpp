// Uploads: a file is cut into chunks as it arrives, and every megabyte of them is stored together
// with the state of the upload, so that a call may end anywhere and another one, on any server,
// continues.
#include "server/base/offload.hpp"
#include "server/http/endpoints/datasets/dataset_json.hpp"
#include "server/http/endpoints/endpoints.hpp"
#include "server/jobs/records/dataset_cutter.hpp"

namespace plimsoll::http::endpoints {

namespace {

constexpr std::size_t kStepBytes = 1 << 20;  // compressed, that are worth a transaction

std::string bytes(std::int64_t count) {
    return std::to_string(count) + (count == 1 ? " byte" : " bytes");
}

// Where the caller may continue, if at all.
Problem not_here(const queue::Dataset& dataset) {
    if (dataset.state == queue::DatasetState::failed)
        return {409, "This upload failed: " + dataset.error};
    if (dataset.state == queue::DatasetState::ready) return {409, "This dataset is complete."};
    Problem problem(409,
                    "The upload continues at byte " + std::to_string(dataset.bytes_received) + ".");
    problem.slug = "offset-mismatch";
    problem.headers.push_back({"Upload-Offset", std::to_string(dataset.bytes_received)});
    return problem;
}

Problem too_long(const queue::Dataset& dataset, std::int64_t offset) {
    return {413, "The file was declared with " + bytes(dataset.bytes_total) + ": from byte " +
                     std::to_string(offset) + " on, the body may have at most " +
                     bytes(dataset.bytes_total - offset) + "."};
}

class UploadCall {
  public:
    UploadCall(queue::DatasetStore& store, boost::asio::thread_pool& pool, TeamId team,
               queue::Dataset dataset, jobs::DatasetCutter cutter)
        : store_(store),
          pool_(pool),
          team_(team),
          dataset_(std::move(dataset)),
          cutter_(std::move(cutter)),
          at_(dataset_.bytes_received) {}

    awaitable<Response> run(BodySource& body) {
        for (;;) {
            auto piece = co_await body.next();
            if (!piece) co_return co_await cut_off(piece.error());
            if (!*piece) break;
            const auto size = static_cast<std::int64_t>((*piece)->size());
            if (size > dataset_.bytes_total - at_) {
                co_await store_step();
                throw Refused(too_long(dataset_, at_));
            }
            const bool last = at_ + size == dataset_.bytes_total;
            const auto work = [&] { return cut(**piece, last); };
            const auto done = co_await offload(pool_, work);
            if (!done) co_return co_await reject(done.error());
            at_ += size;
            if (waiting_bytes() < kStepBytes) continue;
            need(co_await store_step());
        }
        need(co_await store_step());
        co_return dataset_response(200, dataset_);
    }

  private:
    Result<void> cut(std::string_view piece, bool last) {
        if (auto fed = cutter_.feed(piece, chunks_); !fed || !last) return fed;
        return cutter_.finish(chunks_);
    }

    std::size_t waiting_bytes() const {
        std::size_t sum = 0;
        for (const auto& chunk : chunks_) sum += chunk.content.size();
        return sum;
    }

    awaitable<Result<void>> store_step() {
        if (at_ == dataset_.bytes_received) co_return Result<void>{};
        queue::UploadStep step;
        step.from = dataset_.bytes_received;
        step.to = at_;
        step.ends = at_ == dataset_.bytes_total;
        if (!step.ends) step.reading = cutter_.state();
        step.columns = cutter_.columns();
        step.chunks = std::exchange(chunks_, {});
        CO_TRY(dataset_, co_await store_.append(team_, dataset_.id, std::move(step)));
        co_return Result<void>{};
    }

    // The client disconnected or is too slow: what it sent is kept.
    awaitable<Response> cut_off(const Error& why) {
        need(co_await store_step());
        if (why.code == Errc::timeout) throw Refused(408, why.message);
        throw Refused(why);
    }

    awaitable<Response> reject(const Error& why) {
        need(co_await store_.reject(team_, dataset_.id, why.message));
        Problem problem(422, why.message);
        problem.slug = "unreadable-file";
        throw Refused(std::move(problem));
    }

    queue::DatasetStore& store_;
    boost::asio::thread_pool& pool_;
    TeamId team_;
    queue::Dataset dataset_;
    jobs::DatasetCutter cutter_;
    std::vector<jobs::DatasetChunk> chunks_;  // cut and not yet stored
    std::int64_t at_;
};

awaitable<Response> upload(const Call& call, queue::DatasetStore& store,
                           boost::asio::thread_pool& pool) {
    const auto id = dataset_id_of(call.parameters.text("dataset_id"));
    const auto team = call.principal.team.id;
    auto upload = need(co_await store.upload(team, id));
    auto& dataset = upload.dataset;
    if (dataset.state != queue::DatasetState::uploading ||
        call.parameters.integer("offset") != dataset.bytes_received) {
        throw Refused(not_here(dataset));
    }
    auto cutter =
        need(upload.reading.empty() ? jobs::DatasetCutter(dataset.format)
                                    : jobs::DatasetCutter::resume(dataset.format, upload.reading));
    UploadCall running(store, pool, team, std::move(dataset), std::move(cutter));
    co_return co_await running.run(*call.stream);
}

}  // namespace

void add_dataset_upload(Handlers& handlers, queue::DatasetStore& store,
                        boost::asio::thread_pool& pool) {
    handlers["uploadDatasetContent"] = [&store, &pool](const Call& call) {
        return upload(call, store, pool);
    };
}

}  // namespace plimsoll::http::endpoints
