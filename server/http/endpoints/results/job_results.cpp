// A job's results: chunks of rows, read and converted one at a time while the client takes them.
// Results of an ended job never change, so an interrupted download can resume (RFC 9110, 14).
// Ranges are of the uncompressed bytes: a response to a Range is never compressed.
#include "server/base/fair_budget.hpp"
#include "server/http/endpoints/endpoints.hpp"
#include "server/http/endpoints/jobs/job_json.hpp"
#include "server/http/endpoints/jobs/linked_report.hpp"
#include "server/http/endpoints/results/result_parts.hpp"
#include "server/http/endpoints/results/result_sizes.hpp"
#include "server/http/endpoints/user_slots.hpp"
#include "server/http/endpoints/user_turns.hpp"
#include "server/http/messages/accept.hpp"
#include "server/http/messages/byte_range.hpp"
#include "server/http/messages/gzip_body.hpp"
#include "server/http/messages/limits.hpp"

#include <algorithm>

namespace plimsoll::http::endpoints {

using boost::asio::awaitable;
using jobs::ResultsFormat;

namespace {

struct Format {
    ResultsFormat format;
    std::string_view name;
    std::string_view media_type;
};
constexpr Format kJson{ResultsFormat::json, "json", "application/json"};
constexpr Format kJsonl{ResultsFormat::jsonl, "jsonl", "application/x-ndjson"};
constexpr Format kCsv{ResultsFormat::csv, "csv", "text/csv"};

RowSelection rows_of(const Call& call) {
    RowSelection rows{.first = call.parameters.integer("offset").value_or(0),
                      .filter = {.contains = call.parameters.text("contains").value_or(""),
                                 .label = call.parameters.text("label").value_or("")}};
    const auto limit = call.parameters.integer("limit");
    if (limit && *limit < rows.end - rows.first) rows.end = rows.first + *limit;
    return rows;
}

// The body being sent; holds its slots until it is done. The parts of a user's downloads are made
// one at a time.
class CountedBody final : public BodyStream {
  public:
    CountedBody(std::unique_ptr<BodyStream> content, UserSlots::Slot slot, UserTurns::Queue turns,
                std::shared_ptr<FairBudget> downloads, FairBudget::Reservation place)
        : content_(std::move(content)),
          slot_(std::move(slot)),
          turns_(std::move(turns)),
          downloads_(std::move(downloads)),
          place_(std::move(place)) {}

    awaitable<Result<std::optional<std::string>>> next() override {
        const auto turn = co_await turns_.wait();
        co_return co_await content_->next();
    }

  private:
    std::unique_ptr<BodyStream> content_;
    UserSlots::Slot slot_;
    UserTurns::Queue turns_;
    std::shared_ptr<FairBudget> downloads_;  // outlives the place in it
    FairBudget::Reservation place_;
};

// The version of one format of the results; none if it may still change: rows of quarantined tasks
// are made from their input, which can be deleted.
std::string etag_of(const queue::Job& job, const std::vector<queue::ChunkInfo>& chunks,
                    const Format& format, const std::string& server_version) {
    const bool settled = std::ranges::all_of(chunks, &std::string::empty, &queue::ChunkInfo::error);
    if (!settled) return {};
    return to_public(job.id) + '-' + std::string(format.name) + '-' + server_version;
}

std::string quoted(const std::string& etag, std::string_view coding = {}) {
    return '"' + etag + std::string(coding) + '"';
}

class Results {
  public:
    Results(queue::JobStore& store, teams::ReportLinkStore& links, Kinds kinds,
            boost::asio::thread_pool& pool, std::string server_version)
        : store_(store),
          links_(links),
          opener_(links),
          kinds_(kinds),
          pool_(pool),
          server_version_(std::move(server_version)) {}

    awaitable<Outcome<Response>> get(const Call& call, Format format) {
        const auto id = job_id_of(call.parameters.text("job_id"));
        if (!id) co_return tl::unexpected(id.error());
        const auto team = call.principal.team.id;
        auto job = co_await store_.get(team, *id);
        if (!job) co_return tl::unexpected<Problem>(job.error());
        if (auto final = require_final(*job); !final) co_return tl::unexpected(final.error());
        auto chunks = co_await store_.result_chunks(team, *id);
        if (!chunks) co_return tl::unexpected<Problem>(chunks.error());
        ResultSource source{
            [&store = store_, team, id](int seq) { return store.result_chunk(team, *id, seq); },
            [&store = store_, team, id](int seq) { return store.task_input(team, *id, seq); }};
        const Reader reader{call.principal.user.id, downloading_};
        co_return co_await send(call, std::move(*job), std::move(*chunks), std::move(source),
                                format, reader);
    }

    // Of the report that a link shows. Its reader may not see the tasks' inputs.
    awaitable<Outcome<Response>> linked(const Call& call, Format format) {
        auto opened = co_await opener_.open(call);
        if (!opened) co_return tl::unexpected(std::move(opened.error()));
        auto chunks = co_await links_.chunks(opened->hash);
        if (!chunks) co_return tl::unexpected<Problem>(chunks.error());
        ResultSource source{
            [&links = links_, hash = opened->hash](int seq) { return links.chunk(hash, seq); },
            [](int) -> awaitable<Result<queue::TaskInput>> {
                co_return fail(Errc::not_found, "Report links do not show inputs.");
            }};
        const Reader reader{opened->report.maker, downloading_by_link_};
        co_return co_await send(call, std::move(opened->report.job), std::move(*chunks),
                                std::move(source), format, reader);
    }

  private:
    // The user to whom a download is charged.
    struct Reader {
        UserId user;
        const UserSlots& slots;
    };

    awaitable<Outcome<Response>> send(const Call& call, queue::Job job,
                                      std::vector<queue::ChunkInfo> chunks, ResultSource source,
                                      Format format, Reader reader) {
        const auto kind = std::ranges::find(kinds_, job.kind, &jobs::Contract::name);
        if (kind == kinds_.end()) {
            co_return refuse(404, "This server does not support jobs of kind " + job.kind + ".");
        }
        const auto id = job.id;
        const auto rows = rows_of(call);
        const auto etag =
            rows.whole() ? etag_of(job, chunks, format, server_version_) : std::string();
        const auto sizes =
            rows.whole() ? sizes_.of(id, format.name) : std::make_shared<PartSizes>();
        const auto parts =
            std::make_shared<ResultParts>(std::move(source), pool_, std::move(job),
                                          std::move(chunks), rows, format.format, *kind, sizes);
        auto response = co_await answer(call, parts, etag, reader);
        if (!response) co_return response;
        response->with("Content-Type", std::string(format.media_type))
            .with("Vary", "Accept-Encoding")
            .with("Content-Disposition", "attachment; filename=\"" + to_public(id) + "." +
                                             std::string(format.name) + "\"");
        co_return response;
    }

    awaitable<Outcome<Response>> answer(const Call& call, std::shared_ptr<ResultParts> parts,
                                        const std::string& etag, Reader reader) {
        const auto& request = call.request;
        const auto range = etag.empty() ? std::nullopt : wanted_range(request, quoted(etag));
        const bool compressed =
            !range && call.parameters.flag("compress") &&
            accepts_encoding(request.header("Accept-Encoding").value_or(""), "gzip");
        const auto version = quoted(etag, compressed ? "-gzip" : "");
        Response response;
        if (!etag.empty()) {
            response.with("ETag", version).with("Accept-Ranges", compressed ? "none" : "bytes");
            if (names_version(call.parameters.text("If-None-Match").value_or(""), version)) {
                response.status = 304;
                co_return response;
            }
        }
        auto slot = reader.slots.take(reader.user);
        if (!slot)
            co_return exhausted("You have " + std::to_string(limits::kDownloadsPerUser) +
                                " downloads open, the maximum.");
        auto place = downloads_->reserve({}, 1);
        if (!place) co_return overloaded_now("The server has too many downloads in progress.");
        std::unique_ptr<BodyStream> body;
        if (range) {
            auto slice = co_await slice_for(*range, *parts, response);
            if (!slice) co_return tl::unexpected(slice.error());
            body = body_slice(parts, slice->first, slice->last);
        } else if (compressed) {
            response.with("Content-Encoding", "gzip");
            body = gzip_body(whole_body(parts), pool_);
        } else {
            response.length = parts->total();
            body = whole_body(parts);
        }
        auto turns = turns_.of(reader.user, co_await boost::asio::this_coro::executor);
        response.stream = std::make_unique<CountedBody>(
            std::move(body), std::move(*slot), std::move(turns), downloads_, std::move(*place));
        co_return response;
    }

    // None: everything is requested, or the client has another version.
    static std::optional<ByteRange> wanted_range(const Request& request, const std::string& etag) {
        const auto range = request.header("Range");
        if (!range || request.method != "GET") return std::nullopt;
        if (request.header("If-Range").value_or(etag) != etag) return std::nullopt;
        return parse_byte_range(*range);
    }

    awaitable<Outcome<Slice>> slice_for(const ByteRange& range, ResultParts& parts,
                                        Response& response) {
        auto total = parts.total();
        if (!total) {
            const auto turn = measuring_.reserve({}, 1);
            if (!turn) {
                const auto problem = overloaded("The server is preparing too many downloads.");
                co_return tl::unexpected(problem);
            }
            const auto measured = co_await parts.measure();
            if (!measured) co_return tl::unexpected<Problem>(measured.error());
            total = parts.total();
        }
        const auto slice = slice_of(range, *total);
        if (!slice) {
            Problem problem(416, "The results have " + std::to_string(*total) + " bytes.");
            problem.headers.push_back({"Content-Range", "bytes */" + std::to_string(*total)});
            co_return tl::unexpected(std::move(problem));
        }
        response.status = 206;
        response.length = slice->size();
        response.with("Content-Range", content_range(*slice, *total));
        co_return *slice;
    }

    static Outcome<Response> exhausted(std::string why) {
        return tl::unexpected<Problem>(Error{Errc::exhausted, std::move(why), {}});
    }
    static Outcome<Response> overloaded_now(const char* why) {
        return tl::unexpected(overloaded(why));
    }

    queue::JobStore& store_;
    teams::ReportLinkStore& links_;
    LinkedReports opener_;
    Kinds kinds_;
    boost::asio::thread_pool& pool_;
    std::string server_version_;
    ResultSizes sizes_;
    UserSlots downloading_{limits::kDownloadsPerUser};
    // Charged to the user who shares, in a budget of its own: downloads by readers never block the
    // user's own.
    UserSlots downloading_by_link_{limits::kDownloadsPerUser};
    UserTurns turns_;
    std::shared_ptr<FairBudget> downloads_ = std::make_shared<FairBudget>(limits::kDownloads);
    FairBudget measuring_{limits::kMeasuresInFlight};
};

}  // namespace

void add_job_results(Handlers& handlers, queue::JobStore& store, teams::ReportLinkStore& links,
                     Kinds kinds, boost::asio::thread_pool& pool,
                     const std::string& server_version) {
    const auto results = std::make_shared<Results>(store, links, kinds, pool, server_version);
    handlers["getJobResults"] = [results](const Call& call) { return results->get(call, kJson); };
    handlers["getJobResultsCsv"] = [results](const Call& call) { return results->get(call, kCsv); };
    handlers["getJobResultsJsonl"] = [results](const Call& call) {
        return results->get(call, kJsonl);
    };
    handlers["getLinkedResultsCsv"] = [results](const Call& call) {
        return results->linked(call, kCsv);
    };
    handlers["getLinkedResultsJsonl"] = [results](const Call& call) {
        return results->linked(call, kJsonl);
    };
}

}  // namespace plimsoll::http::endpoints
