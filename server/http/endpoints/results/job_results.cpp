// A job's results: chunks of rows, read and converted one at a time while the client takes them.
// Results of an ended job never change, so an interrupted download can resume (RFC 9110, 14).
// Ranges are of the uncompressed bytes: a response to a Range is never compressed.
#include "server/base/id.hpp"
#include "server/http/access/caller_limits.hpp"
#include "server/http/endpoints/endpoints.hpp"
#include "server/http/endpoints/jobs/job_json.hpp"
#include "server/http/endpoints/jobs/reports.hpp"
#include "server/http/endpoints/results/result_parts.hpp"
#include "server/http/endpoints/user_turns.hpp"
#include "server/http/messages/accept.hpp"
#include "server/http/messages/byte_range.hpp"
#include "server/http/messages/limits.hpp"
#include "server/http/messages/response.hpp"

#include <algorithm>
#include <list>
#include <string>
#include <string_view>

namespace plimsoll::http::endpoints {

using jobs::ResultsFormat;

namespace {

// LRU cache of the part sizes of recent downloads, so that an interrupted download resumes without
// converting rows twice. Single-threaded.
class ResultSizes {
  public:
    std::shared_ptr<PartSizes> of(JobId job, std::string_view format) {
        const auto known = std::ranges::find_if(entries_, [&](const Entry& entry) {
            return entry.job == job && entry.format == format;
        });
        if (known != entries_.end()) {
            entries_.splice(entries_.begin(), entries_, known);
        } else {
            entries_.push_front({job, std::string(format), std::make_shared<PartSizes>()});
            if (entries_.size() > limits::kMeasuredResults) entries_.pop_back();
        }
        return entries_.front().sizes;
    }

  private:
    struct Entry {
        JobId job;
        std::string format;
        std::shared_ptr<PartSizes> sizes;
    };
    std::list<Entry> entries_;  // most recently used first
};

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

// The body being sent; holds its place until it is done. The parts of a user's downloads are made
// one at a time.
class CountedBody final : public BodyStream {
  public:
    CountedBody(std::unique_ptr<BodyStream> content, FairBudget::Reservation place,
                UserTurns::Queue turns)
        : content_(std::move(content)), place_(std::move(place)), turns_(std::move(turns)) {}

    awaitable<Result<std::optional<std::string>>> next() override {
        const auto turn = co_await turns_.wait();
        co_return co_await content_->next();
    }

  private:
    std::unique_ptr<BodyStream> content_;
    FairBudget::Reservation place_;
    UserTurns::Queue turns_;
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

    awaitable<Response> get(const Call& call, Format format) {
        const auto id = job_id_of(call.parameters.text("job_id"));
        const auto team = call.principal.team.id;
        auto job = need(co_await store_.get(team, id));
        require_final(job);
        auto chunks = need(co_await store_.result_chunks(team, id));
        ResultSource source{
            [&store = store_, team, id](int seq) { return store.result_chunk(team, id, seq); },
            [&store = store_, team, id](int seq) { return store.task_input(team, id, seq); }};
        Reader reader{call.principal.user.id, downloads_.open(holder_of(call.principal))};
        co_return co_await send(call, std::move(job), std::move(chunks), std::move(source), format,
                                std::move(reader));
    }

    // Of the report that a link shows. Its reader may not see the tasks' inputs.
    awaitable<Response> linked(const Call& call, Format format) {
        auto opened = co_await opener_.open(call);
        auto chunks = need(co_await links_.chunks(opened.hash));
        ResultSource source{[&links = links_, hash = opened.hash, job = opened.report.job.id](
                                int seq) { return links.chunk(hash, job, seq); },
                            [](int) -> awaitable<Result<queue::TaskInput>> {
                                co_return fail(Errc::not_found, "Report links do not show inputs.");
                            }};
        Reader reader{opened.report.maker,
                      linked_downloads_.open({opened.hash, to_public(opened.report.job.team)})};
        co_return co_await send(call, std::move(opened.report.job), std::move(chunks),
                                std::move(source), format, std::move(reader));
    }

  private:
    // Who takes turns with the user's other downloads, and a place for one.
    struct Reader {
        UserId user;
        FairBudget::Reservation place;
    };

    awaitable<Response> send(const Call& call, queue::Job job, std::vector<queue::ChunkInfo> chunks,
                             ResultSource source, Format format, Reader reader) {
        const auto kind = std::ranges::find(kinds_, job.kind, &jobs::Contract::name);
        if (kind == kinds_.end())
            throw Refused(404, "This server does not support jobs of kind " + job.kind + ".");
        const auto id = job.id;
        const auto rows = rows_of(call);
        const auto etag =
            rows.whole() ? etag_of(job, chunks, format, server_version_) : std::string();
        const auto sizes =
            rows.whole() ? sizes_.of(id, format.name) : std::make_shared<PartSizes>();
        const auto parts =
            std::make_shared<ResultParts>(std::move(source), pool_, std::move(job),
                                          std::move(chunks), rows, format.format, *kind, sizes);
        auto response = co_await answer(call, parts, etag, std::move(reader));
        response.with("Content-Type", std::string(format.media_type))
            .with("Vary", "Accept-Encoding")
            .with("Content-Disposition", "attachment; filename=\"" + to_public(id) + "." +
                                             std::string(format.name) + "\"");
        co_return response;
    }

    awaitable<Response> answer(const Call& call, std::shared_ptr<ResultParts> parts,
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
        if (!reader.place.grow_to(1)) {
            if (reader.place.lacking(1) == FairBudget::Share::total)
                throw Refused(overloaded("The server has too many downloads in progress."));
            throw Refused(Error{
                Errc::exhausted, "You or your team have too many downloads open at once.", {}});
        }
        std::unique_ptr<BodyStream> body;
        if (range) {
            auto slice = co_await slice_for(*range, *parts, response);
            body = body_slice(parts, slice.first, slice.last);
        } else if (compressed) {
            response.with("Content-Encoding", "gzip");
            body = gzip_body(whole_body(parts), pool_);
        } else {
            response.length = parts->total();
            body = whole_body(parts);
        }
        auto turns = turns_.of(reader.user, co_await boost::asio::this_coro::executor);
        response.stream = std::make_unique<CountedBody>(std::move(body), std::move(reader.place),
                                                        std::move(turns));
        co_return response;
    }

    // None: everything is requested, or the client has another version.
    static std::optional<ByteRange> wanted_range(const Request& request, const std::string& etag) {
        const auto range = request.header("Range");
        if (!range || request.method != "GET") return std::nullopt;
        if (request.header("If-Range").value_or(etag) != etag) return std::nullopt;
        return parse_byte_range(*range);
    }

    awaitable<Slice> slice_for(const ByteRange& range, ResultParts& parts, Response& response) {
        auto total = parts.total();
        if (!total) {
            const auto turn = measuring_.reserve({}, 1);
            if (!turn) throw Refused(overloaded("The server is preparing too many downloads."));
            need(co_await parts.measure());
            total = parts.total();
        }
        const auto slice = slice_of(range, *total);
        if (!slice) {
            Problem problem(416, "The results have " + std::to_string(*total) + " bytes.");
            problem.headers.push_back({"Content-Range", "bytes */" + std::to_string(*total)});
            throw Refused(std::move(problem));
        }
        response.status = 206;
        response.length = slice->size();
        response.with("Content-Range", content_range(*slice, *total));
        co_return *slice;
    }

    queue::JobStore& store_;
    teams::ReportLinkStore& links_;
    LinkedReports opener_;
    Kinds kinds_;
    boost::asio::thread_pool& pool_;
    std::string server_version_;
    ResultSizes sizes_;
    UserTurns turns_;
    FairBudget downloads_{limits::kDownloads};
    FairBudget linked_downloads_{limits::kLinkedDownloads};  // never block the team's own
    FairBudget measuring_{{.total = limits::kMeasuresInFlight}};
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
