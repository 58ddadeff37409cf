#include "tests/unit/server/http/live/live_server.hpp"

namespace plimsoll::http::test {
namespace {

using nlohmann::json;

class JobBundles : public LiveServer {
  protected:
    static json spec(const std::string& text, const json& more = json::object()) {
        json job = {{"kind", "sentiment"}, {"args", {{"texts", {text}}}}};
        job.update(more);
        return job;
    }
    RawResponse post(const std::string& mode, const json& jobs, const std::string& key = {}) {
        Sent sent{"POST", "/v1/job-bundles", identity_.ada,
                  json{{"mode", mode}, {"jobs", jobs}}.dump()};
        if (!key.empty()) sent.headers.emplace_back("Idempotency-Key", key);
        return call("createJobBundle", sent);
    }
    std::size_t stored() { return std::stoul(execute("select count(*) from plimsoll.job")); }
    static std::vector<std::string> outcomes(const json& bundle) {
        std::vector<std::string> found;
        for (const auto& item : bundle.at("items")) found.push_back(item.at("outcome"));
        return found;
    }
    const json unique_ = {{"unique", {{"key", "nightly"}}}};
};

using Texts = std::vector<std::string>;

TEST_F(JobBundles, EachJobIsStoredOrRefusedIndependently) {
    const auto response =
        post("per_item", {spec("a"),
                          spec("b", unique_),
                          spec("c", unique_),
                          spec("d", {{"unique", {{"key", "nightly"}, {"on_conflict", "return"}}}}),
                          {{"kind", "sentiment"}, {"args", json::object()}},
                          {{"kind", "sentiment"}, {"args", {{"dataset", "data_1"}}}}});
    EXPECT_EQ(response.status, 202);
    const auto bundle = response.json();
    EXPECT_EQ(bundle.at("created"), 2);
    EXPECT_EQ(outcomes(bundle),
              (Texts{"created", "created", "refused", "existing", "refused", "refused"}));
    const auto& items = bundle.at("items");
    EXPECT_EQ(items[3].at("job_id"), items[1].at("job_id"));
    EXPECT_EQ(items[2].at("errors")[0].at("pointer"), "/unique/key");
    EXPECT_EQ(items[4].at("errors")[0].at("pointer"), "/args");
    EXPECT_EQ(items[5].at("errors")[0].at("detail"),
              "A job on a dataset must be submitted individually.");
    EXPECT_EQ(stored(), 2u);
}

TEST_F(JobBundles, AllAreStoredOrNone) {
    const auto unplanned =
        post("all_or_nothing", {spec("a"), {{"kind", "sentiment"}, {"args", json::object()}}});
    EXPECT_EQ(unplanned.status, 422);
    EXPECT_EQ(pointers_of(unplanned), Texts{"/jobs/1/args"});
    EXPECT_EQ(stored(), 0u);
    const auto late =
        post("all_or_nothing", json::array({spec("a", {{"deadline", "2001-01-01T00:00:00Z"}})}));
    EXPECT_EQ(pointers_of(late), Texts{"/jobs/0/deadline"});

    EXPECT_EQ(post("all_or_nothing", {spec("a"), spec("b", unique_)}).json().at("created"), 2);
    const auto taken =
        post("all_or_nothing",
             {spec("c"), spec("d", {{"unique", {{"key", "nightly"}, {"on_conflict", "return"}}}})});
    EXPECT_EQ(taken.status, 409);
    EXPECT_EQ(pointers_of(taken), Texts{"/jobs/1/unique/key"});
    EXPECT_EQ(stored(), 2u);
}

TEST_F(JobBundles, AKeyStoresEachJobOnce) {
    const auto first = post("per_item", {spec("a"), spec("b")}, "k");
    const auto again = post("per_item", {spec("a"), spec("b")}, "k");
    EXPECT_EQ(outcomes(again.json()), (Texts{"replayed", "replayed"}));
    EXPECT_EQ(again.json().at("items")[1].at("job_id"), first.json().at("items")[1].at("job_id"));
    EXPECT_EQ(outcomes(post("per_item", {spec("a"), spec("other")}, "k").json()),
              (Texts{"replayed", "refused"}));
    EXPECT_EQ(stored(), 2u);
}

TEST_F(JobBundles, AcceptsTenThousandJobsAndNoMore) {
    json jobs = json::array();
    for (int i = 0; i < 10'000; ++i) jobs.push_back(spec("text"));
    EXPECT_EQ(post("all_or_nothing", jobs).json().at("created"), 10'000);
    jobs.push_back(spec("text"));
    EXPECT_EQ(post("all_or_nothing", jobs).status, 422);
    EXPECT_EQ(post("all_or_nothing", json::array()).status, 422);
}

}  // namespace
}  // namespace plimsoll::http::test
