// Pictures of a job's results, drawn on request.
#include "server/base/gzip.hpp"
#include "server/base/offload.hpp"
#include "server/http/access/caller_limits.hpp"
#include "server/http/endpoints/jobs/item_chunk.hpp"
#include "server/http/endpoints/jobs/job_json.hpp"
#include "server/http/endpoints/jobs/kind_extras.hpp"
#include "server/http/messages/limits.hpp"

#include <algorithm>

namespace plimsoll::http::endpoints {

namespace {

std::string_view line_of(std::string_view rows, std::int64_t number) {
    for (; number > 0; --number) rows.remove_prefix(std::min(rows.find('\n'), rows.size() - 1) + 1);
    return rows.substr(0, rows.find('\n'));
}

class Pictures {
  public:
    Pictures(queue::JobStore& store, Kinds kinds, boost::asio::thread_pool& pool)
        : store_(store), kinds_(kinds), pool_(pool) {}

    awaitable<Response> get(const Call& call, jobs::PictureFormat format) {
        const auto id = job_id_of(call.parameters.text("job_id"));
        const auto team = call.principal.team.id;
        const auto job = need(co_await store_.get(team, id));
        require_final(job);
        const auto* extras = extras_of(kinds_, job.kind);
        if (extras == nullptr || extras->picture == nullptr)
            throw Refused(404, "Jobs of kind " + job.kind + " have no pictures.");
        const std::int64_t index = call.parameters.integer("index").value_or(0);
        const auto chunk = need(co_await chunk_of_item(store_, team, id, index));
        if (!chunk.error.empty()) throw Refused(404, "This item has no results.");
        const auto place = waiting_.reserve(holder_of(call.principal), 1);
        if (!place) throw Refused(overloaded("Too many pictures are being rendered."));
        const auto packed = need(co_await store_.result_chunk(team, id, chunk.seq));
        const auto number = call.parameters.integer("number").value_or(1);
        const auto draw = [&]() -> Result<std::string> {
            TRY(const auto rows, gunzip(packed, kLargestChunk));
            return extras->picture(line_of(rows, index - chunk.first_item), number, format);
        };
        auto picture = need(co_await compute(pool_, draw));
        const bool png = format == jobs::PictureFormat::png;
        co_return text_response(png ? "image/png" : "image/svg+xml", std::move(picture));
    }

  private:
    queue::JobStore& store_;
    Kinds kinds_;
    boost::asio::thread_pool& pool_;
    FairBudget waiting_{limits::kComputedAnswers};
};

}  // namespace

void add_job_pictures(Handlers& handlers, queue::JobStore& store, Kinds kinds,
                      boost::asio::thread_pool& pool) {
    const auto pictures = std::make_shared<Pictures>(store, kinds, pool);
    handlers["getJobPictureSvg"] = [pictures](const Call& call) {
        return pictures->get(call, jobs::PictureFormat::svg);
    };
    handlers["getJobPicturePng"] = [pictures](const Call& call) {
        return pictures->get(call, jobs::PictureFormat::png);
    };
}

}  // namespace plimsoll::http::endpoints
