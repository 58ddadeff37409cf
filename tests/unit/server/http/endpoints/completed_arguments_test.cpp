// What is left to the server is completed in one way, whoever asks: a job, a bundle, a schedule or
// an estimate.
#include "tests/unit/server/http/live/live_server.hpp"

namespace plimsoll::http::test {
namespace {

using nlohmann::json;
class CompletedArguments : public LiveServer {
  protected:
    using Pointers = std::vector<std::string>;

    void add_gpu() {
        execute(R"(
            select plimsoll.register_worker('crane-1', 'opencl:nv:0', 'gpu', '{}', '{}', 17::smallint, 1,
              '{"name": "NVIDIA H200", "memory_bytes": 150754820096}', '{}'))");
    }
    RawResponse post(const std::string& operation, const std::string& path, const json& body) {
        return call(operation, {"POST", path, identity_.ada, body.dump()});
    }
    RawResponse job() { return post("createJob", "/v1/jobs", spec_); }
    RawResponse bundle() {
        return post("createJobBundle", "/v1/job-bundles", {{"jobs", json::array({spec_})}});
    }
    RawResponse schedule() {
        return post("createSchedule", "/v1/schedules",
                    {{"name", "nightly"}, {"cron", "@daily"}, {"job", spec_}});
    }
    RawResponse estimate() { return post("createEstimate", "/v1/estimates", spec_); }

    // The arguments of the only stored job.
    json stored() {
        EXPECT_EQ(execute("select count(*) from plimsoll.job"), "1");
        return json::parse(execute("delete from plimsoll.job returning args"));
    }

    const json spec_{
        {"kind", "training-config"},
        {"args", {{"model", {{"preset", "minilm-l6"}}}, {"gpus", {"auto"}}, {"what_ifs", false}}}};
};

TEST_F(CompletedArguments, AreEqual) {
    add_gpu();
    ASSERT_EQ(job().status, 202);
    const auto args = stored();
    EXPECT_EQ(args.at("custom_gpus").at(0).at("name"), "NVIDIA H200 (crane-1)");
    ASSERT_EQ(bundle().status, 202);
    EXPECT_EQ(stored(), args);
    const auto made = schedule();
    ASSERT_EQ(made.status, 201) << made.body;
    const auto path = "/v1/schedules/" + made.json().at("id").get<std::string>() + "/runs";
    ASSERT_EQ(call("createScheduleRun", {"POST", path, identity_.ada}).status, 202);
    EXPECT_EQ(stored(), args);
    const auto estimated = estimate();
    ASSERT_EQ(estimated.status, 200) << estimated.body;
    EXPECT_EQ(estimated.json().at("summary").at("gpus").at(0).at("gpu").at("name"),
              "NVIDIA H200 (crane-1)");
}

TEST_F(CompletedArguments, AreRefusedForTheSameReason) {
    EXPECT_EQ(pointers_of(job()), Pointers{"/args/gpus/0"});
    EXPECT_EQ(pointers_of(bundle()), Pointers{"/jobs/0/args/gpus/0"});
    EXPECT_EQ(pointers_of(schedule()), Pointers{"/job/args/gpus/0"});
    EXPECT_EQ(pointers_of(estimate()), Pointers{"/args/gpus/0"});
}

TEST_F(CompletedArguments, AJobAndABundleCheckTimesFirst) {
    auto late = spec_;
    late["deadline"] = "2001-01-01T00:00:00Z";
    EXPECT_EQ(pointers_of(post("createJob", "/v1/jobs", late)), Pointers{"/deadline"});
    EXPECT_EQ(
        pointers_of(post("createJobBundle", "/v1/job-bundles", {{"jobs", json::array({late})}})),
        Pointers{"/jobs/0/deadline"});
}

}  // namespace
}  // namespace plimsoll::http::test
