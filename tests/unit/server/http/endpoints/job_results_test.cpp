// Downloads of results: whole, in ranges, compressed, and by clients that stop reading.
#include "server/base/gzip.hpp"
#include "tests/unit/server/http/live/live_server.hpp"

#include <set>
#include <thread>

#include <prometheus/gauge.h>

namespace plimsoll::http::test {
namespace {

constexpr std::size_t kPlenty = 1 << 26;

std::string row(int index, const std::string& text) {
    return nlohmann::json{{"index", index},      {"custom_id", nullptr}, {"text", text},
                          {"label", "positive"}, {"compound", 0.5},      {"positive", 0.5},
                          {"neutral", 0.5},      {"negative", 0},        {"error_code", nullptr},
                          {"error", nullptr}}
               .dump() +
           '\n';
}

ListenOptions options_with(const Timeouts& timeouts) {
    ListenOptions options;
    options.timeouts = timeouts;
    return options;
}

class JobResults : public LiveServer {
  protected:
    // The write timeout is long, except where a test is about it.
    explicit JobResults(Timeouts timeouts = {.write = std::chrono::minutes(10)})
        : LiveServer(options_with(timeouts)) {}

    // Nobody can read this chunk from now on; its size remains.
    void damage(int chunk) {
        execute(
            "update plimsoll.result set content = decode(repeat('00', bytes - 4), 'hex') || "
            "substring(content from bytes - 3) where seq = " +
            std::to_string(chunk));
    }
    JobId some() {
        return ended({row(0, "calm, \"very\" calm\nsea") + row(1, "größer 好"), row(2, ""),
                      row(3, "=1+1") + row(4, "storm") + row(5, "x")});
    }

    using Headers = std::vector<std::pair<std::string, std::string>>;
    static std::string file(const std::string& format) {
        return format == "json" ? "results" : "results." + format;
    }
    RawResponse get(JobId id, const std::string& target, const Headers& headers = {},
                    const std::string& method = "GET") {
        return call({method, path_of(id) + "/" + target, identity_.ada, {}, headers});
    }
};

TEST_F(JobResults, EveryRangeOfEveryFormatEqualsThatPartOfTheWhole) {
    for (const std::string format : {"json", "jsonl", "csv"}) {
        // The first range comes before anything is known of the job's sizes.
        const auto id = some();
        EXPECT_EQ(get(id, file(format), {{"Range", "bytes=3-"}}).status, 206);
        const auto whole = get(id, file(format));
        ASSERT_EQ(whole.status, 200);
        EXPECT_EQ(whole.header("accept-ranges"), "bytes");
        const auto size = whole.body.size();
        EXPECT_EQ(whole.header("content-length"), std::to_string(size)) << format;
        for (std::size_t at = 0; at < size; at += 1 + at % 7) {
            const auto end = std::min(size - 1, at + 150);
            const auto part =
                get(id, file(format),
                    {{"Range", "bytes=" + std::to_string(at) + '-' + std::to_string(end)},
                     {"If-Range", whole.header("etag")}});
            ASSERT_EQ(part.status, 206) << format << ' ' << at;
            EXPECT_EQ(part.body, whole.body.substr(at, end - at + 1)) << format << ' ' << at;
            EXPECT_EQ(part.header("content-range"), "bytes " + std::to_string(at) + '-' +
                                                        std::to_string(end) + '/' +
                                                        std::to_string(size));
            EXPECT_EQ(part.header("etag"), whole.header("etag"));
        }
        EXPECT_EQ(get(id, file(format), {{"Range", "bytes=-10"}}).body,
                  whole.body.substr(size - 10));
    }
}

TEST_F(JobResults, SkippedChunksAreNotReadExceptOnceForCsv) {
    const auto id = some();
    const auto end_of = [&](const std::string& format) {
        const auto part = get(id, file(format), {{"Range", "bytes=-5"}});
        return part.status == 206 ? part.body : "";
    };
    const auto table_end = end_of("csv");  // its size is not known before
    for (const int skipped : {0, 1}) damage(skipped);
    EXPECT_EQ(end_of("jsonl").size(), 5u);
    EXPECT_EQ(end_of("json").size(), 5u);
    EXPECT_EQ(end_of("csv"), table_end);
    EXPECT_EQ(get(id, file("jsonl")).body, "") << "the whole needs them";
}

TEST_F(JobResults, ARangeBeyondTheEndIsRefusedWithTheSize) {
    const auto id = some();
    const auto size = get(id, "results.jsonl").body.size();
    const auto response =
        call("getJobResultsJsonl", {"GET",
                                    path_of(id) + "/results.jsonl",
                                    identity_.ada,
                                    {},
                                    {{"Range", "bytes=" + std::to_string(size) + "-"}}});
    EXPECT_EQ(response.status, 416);
    EXPECT_EQ(response.header("content-range"), "bytes */" + std::to_string(size));
}

TEST_F(JobResults, AnotherVersionOrSeveralRangesGetEverything) {
    const auto id = some();
    const auto whole = get(id, "results.csv");
    for (const Headers& headers :
         {Headers{{"Range", "bytes=5-"}, {"If-Range", "\"other\""}},
          Headers{{"Range", "bytes=5-"}, {"If-Range", "Tue, 04 Mar 2025 08:15:00 GMT"}},
          Headers{{"Range", "bytes=0-1,5-6"}}, Headers{{"Range", "rows=1-2"}}}) {
        const auto response = get(id, "results.csv", headers);
        EXPECT_EQ(response.status, 200);
        EXPECT_EQ(response.body, whole.body);
    }
}

TEST_F(JobResults, EveryFormatAndEveryJobHasItsOwnEtag) {
    const auto id = some();
    std::set<std::string> etags;
    for (const std::string format : {"json", "jsonl", "csv"}) {
        for (const std::string coding : {"gzip", "identity"}) {
            const auto response = get(id, file(format), {{"Accept-Encoding", coding}});
            etags.insert(response.header("etag"));
            const auto again =
                get(id, file(format),
                    {{"Accept-Encoding", coding}, {"If-None-Match", response.header("etag")}});
            EXPECT_EQ(again.status, 304);
            EXPECT_EQ(again.header("etag"), response.header("etag"));
        }
    }
    etags.insert(get(some(), "results").header("etag"));
    EXPECT_EQ(etags.size(), 7u);
    EXPECT_FALSE(etags.contains(""));
}

TEST_F(JobResults, CompressedResultsAreTheSameAndHaveNoRanges) {
    const auto id = some();
    for (const std::string format : {"json", "jsonl", "csv"}) {
        const auto plain = get(id, file(format));
        const auto packed = get(id, file(format), {{"Accept-Encoding", "br, gzip"}});
        EXPECT_EQ(packed.header("content-encoding"), "gzip");
        EXPECT_EQ(packed.header("vary"), "Accept-Encoding");
        EXPECT_EQ(packed.header("accept-ranges"), "none");
        EXPECT_EQ(gunzip(packed.body, kPlenty).value(), plain.body);
        const auto unwanted =
            get(id, file(format) + "?compress=false", {{"Accept-Encoding", "gzip"}});
        EXPECT_EQ(unwanted.body, plain.body);
        const auto part =
            get(id, file(format), {{"Accept-Encoding", "gzip"}, {"Range", "bytes=7-"}});
        EXPECT_EQ(part.status, 206);
        EXPECT_EQ(part.header("content-encoding"), "");
        EXPECT_EQ(part.body, plain.body.substr(7));
    }
}

TEST_F(JobResults, HeadSendsTheHeadersOfGet) {
    const auto id = some();
    const auto whole = get(id, "results.jsonl");
    const auto head = get(id, "results.jsonl", {{"Range", "bytes=0-1"}}, "HEAD");
    EXPECT_EQ(head.status, 200);
    for (const std::string name : {"etag", "content-length", "content-type", "accept-ranges"})
        EXPECT_EQ(head.header(name), whole.header(name)) << name;
}

TEST_F(JobResults, APartIsReadFromItsChunks) {
    std::vector<std::string> chunks;
    std::string all;
    for (int i = 0; i < 4; ++i) {
        chunks.push_back(row(i, "text"));
        all += chunks.back();
    }
    const auto id = ended(chunks);
    const auto line = all.size() / 4;
    for (std::size_t first = 0; first < 6; ++first) {
        for (std::size_t limit = 1; limit < 6; ++limit) {
            const auto part = get(id, "results.jsonl?offset=" + std::to_string(first) +
                                          "&limit=" + std::to_string(limit));
            EXPECT_EQ(part.status, 200);
            EXPECT_EQ(part.body, first < 4 ? all.substr(first * line, limit * line) : "");
            EXPECT_EQ(part.header("etag"), "");
        }
    }
    for (const int other : {0, 1, 3}) damage(other);
    EXPECT_EQ(get(id, "results.jsonl?offset=2&limit=1").body, chunks[2])
        << "the other chunks are not read";
}

TEST_F(JobResults, ASearchGivesTheRowsThatContainATextInEveryFormat) {
    const auto id = some();
    const auto jsonl = get(id, "results.jsonl?contains=CALM");
    EXPECT_EQ(jsonl.body, row(0, "calm, \"very\" calm\nsea"));
    for (const std::string header : {"etag", "accept-ranges", "content-length"})
        EXPECT_EQ(jsonl.header(header), "") << header;
    // None in the first chunks: the rows that follow are still an array.
    for (const auto& [text, indices] : std::vector<std::pair<std::string, std::vector<int>>>{
             {"storm", {4}}, {"%C3%B6", {1}}, {"X", {5}}, {"nowhere", {}}, {"or", {4}}}) {
        const auto items =
            nlohmann::json::parse(get(id, "results?contains=" + text).body).at("items");
        std::vector<int> found;
        for (const auto& item : items) found.push_back(item.at("index"));
        EXPECT_EQ(found, indices) << text;
    }
    const auto csv = get(id, "results.csv?contains=1%2B1").body;
    EXPECT_EQ(std::ranges::count(csv, '\n'), 2) << csv;
    EXPECT_NE(csv.find("'=1+1"), std::string::npos) << csv;
}

TEST_F(JobResults, ALabelSelectsRowsAndASearchLooksIntoThem) {
    const auto other = [](int index, const std::string& label, const std::string& error) {
        auto changed = nlohmann::json::parse(row(index, "storm"));
        if (label.empty())
            changed["label"] = nullptr;
        else
            changed["label"] = label;
        if (!error.empty()) changed["error"] = error;
        return changed.dump() + '\n';
    };
    const auto failed = other(2, "", "It has no text.");
    const auto id = ended({row(0, "calm") + other(1, "negative", ""), failed + row(3, "storm")});
    EXPECT_EQ(get(id, "results.jsonl?label=positive").body, row(0, "calm") + row(3, "storm"));
    EXPECT_EQ(get(id, "results.jsonl?label=positive&contains=storm").body, row(3, "storm"));
    EXPECT_EQ(get(id, "results.jsonl?label=failed").body, failed);
    EXPECT_EQ(get(id, "results.jsonl?label=neutral").body, "");
    EXPECT_EQ(get(id, "results.jsonl?label=positive").header("etag"), "");
    EXPECT_EQ(get(id, "results.jsonl?label=happy").status, 400);
}

TEST_F(JobResults, ASearchLooksIntoTheRowsOfAPart) {
    const auto id = ended({row(0, "storm"), row(1, "calm"), row(2, "storm"), row(3, "storm")});
    EXPECT_EQ(get(id, "results.jsonl?contains=storm&offset=1&limit=2").body, row(2, "storm"));
    for (const int other : {0, 3}) damage(other);
    EXPECT_EQ(get(id, "results.jsonl?contains=storm&offset=1&limit=2").body, row(2, "storm"));
}

TEST_F(JobResults, ASearchForNothingOrForTooMuchIsRefused) {
    const auto id = some();
    EXPECT_EQ(get(id, "results.jsonl?contains=").status, 400);
    EXPECT_EQ(get(id, "results.jsonl?contains=" + std::string(257, 'a')).status, 400);
}

TEST_F(JobResults, RowsOfAQuarantinedTaskHaveNoEtagAndNoRanges) {
    const auto id = ended({row(0, "good") + row(1, "bad")});
    execute("update plimsoll.result set state = 'quarantined', error = 'Its workers died on it.'");
    const auto response = get(id, "results.jsonl", {{"Range", "bytes=5-"}});
    EXPECT_EQ(response.status, 200);
    EXPECT_EQ(response.header("etag"), "");
    EXPECT_EQ(response.header("accept-ranges"), "");
}

TEST_F(JobResults, DownloadsPerUserAndTeamAreLimited) {
    const auto id = ended(std::vector<std::string>(64, row(0, std::string(1 << 20, 'x'))));
    std::vector<std::unique_ptr<RawClient>> stalled;
    const auto open = [&](std::size_t count, const std::string& token) {
        for (; count > 0; --count) {
            stalled.push_back(std::make_unique<RawClient>(port_));
            stalled.back()->send(bytes_of({"GET", path_of(id) + "/results", token}));
            ASSERT_NE(stalled.back()->receive_until("\r\n\r\n").find(" 200 "), std::string::npos);
        }
    };
    open(limits::kDownloads.caller, identity_.ada);
    EXPECT_EQ(get(id, "results.csv").status, 429);
    EXPECT_EQ(get(id, "results.csv", {}, "HEAD").status, 429);
    const auto vera = call({"HEAD", path_of(id) + "/results.jsonl", identity_.vera});
    EXPECT_EQ(vera.status, 200);
    static_assert(limits::kDownloads.team == 2 * limits::kDownloads.caller);
    static_assert(limits::kDownloads.team <= limits::kDownloads.total / 4);
    open(limits::kDownloads.caller, identity_.vera);
    EXPECT_EQ(call({"HEAD", path_of(id) + "/results.jsonl", identity_.vera}).status, 429);
}

class ImpatientResults : public JobResults {
  protected:
    ImpatientResults() : JobResults({.write = std::chrono::milliseconds(200)}) {}
};

// 512 MiB all in all: far more than the buffers of any socket.
TEST_F(ImpatientResults, AClientThatStopsReadingIsDisconnected) {
    const auto id = ended(std::vector<std::string>(512, row(0, std::string(1 << 20, 'x'))));
    const auto open = [&] { return server_->traffic().connections().Value(); };
    RawClient stalled(port_);
    stalled.send(bytes_of({"GET", path_of(id) + "/results.jsonl", identity_.ada}));
    stalled.receive_until("\r\n\r\n");
    while (on_io(open) > 0) std::this_thread::yield();
    // What was sent waited in buffers; had the server gone on, all would be there.
    EXPECT_LT(stalled.receive_until("never").size(), std::size_t{256} << 20);
}

}  // namespace
}  // namespace plimsoll::http::test
