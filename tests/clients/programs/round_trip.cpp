// The round trip of README.md with the C++ client that OpenAPI Generator makes.
#include "plimsoll/api/JobsApi.h"
#include "plimsoll/model/ProfileReport.h"
#include "plimsoll/model/ProfileResults.h"
#include "plimsoll/model/SentimentReport.h"
#include "plimsoll/model/SentimentResults.h"
#include "plimsoll/model/TrainingConfigReport.h"
#include "plimsoll/model/TrainingConfigResults.h"
#include "plimsoll/model/WavesReport.h"
#include "plimsoll/model/WavesResults.h"

#include <cstdlib>
#include <iostream>
#include <iterator>

using namespace plimsoll::api;
using namespace plimsoll::model;

namespace {

std::string from(std::istream& stream) { return {std::istreambuf_iterator<char>(stream), {}}; }

std::shared_ptr<JobSpec> spec(const std::shared_ptr<SentimentArgs>& args) {
    SentimentJobSpec sentiment;
    sentiment.setKind(SentimentJobSpec::KindEnum::SENTIMENT);
    sentiment.setArgs(args);
    auto made = std::make_shared<JobSpec>();
    made->setVariant(sentiment);
    return made;
}

class Caller {
  public:
    explicit Caller(const JobsApi& jobs) : jobs_(jobs) {}

    // The answers that are unions come as plain objects: see adapt.py.
    template <typename Report>
    Report report(const std::string& id) const {
        Report read;
        read.fromJson(jobs_.getJobReport(id).get()->toJson());
        return read;
    }
    template <typename Results>
    Results results(const std::string& id, std::int64_t offset = 0) const {
        const auto answer = jobs_.getJobResults(id, offset, boost::none, boost::none, boost::none,
                                                boost::none, boost::none, boost::none, boost::none);
        Results read;
        read.fromJson(answer.get()->toJson());
        return read;
    }

  private:
    const JobsApi& jobs_;
};

template <typename Call>
void refused(Call call) {
    try {
        call();
    } catch (const ApiException& error) {
        const auto problem = web::json::value::parse(from(*error.getContent()));
        std::cout << "refused " << problem.at("status").as_integer() << ' '
                  << problem.at("type").as_string() << '\n';
        return;
    }
    throw std::runtime_error("not refused");
}

}  // namespace

int main() {
    auto configuration = std::make_shared<ApiConfiguration>();
    configuration->setBaseUrl(std::getenv("PLIMSOLL_SERVER"));
    configuration->getDefaultHeaders()["Authorization"] =
        std::string("Bearer ") + std::getenv("PLIMSOLL_TOKEN");
    const JobsApi jobs(std::make_shared<ApiClient>(configuration));
    const Caller caller(jobs);

    auto args = std::make_shared<SentimentArgs>();
    args->setTexts({"good", "bad"});
    args->setModel("vader");
    auto job = jobs.createJob(spec(args), boost::none).get();
    using State = JobState::eJobState;
    for (auto state = job->getState()->getValue();
         state != State::SUCCEEDED && state != State::FAILED && state != State::CANCELLED;
         state = job->getState()->getValue()) {
        job = jobs.getJob(job->getId(), 60, boost::none).get();
    }
    std::cout << "state " << job->getState()->toJson().as_string() << '\n';

    const auto scores = caller.report<SentimentReport>(job->getId());
    std::cout << "report " << scores.fromKindEnum(scores.getKind()) << ' '
              << scores.getItems()->getTotal() << ' ' << scores.getSummary()->getModel() << '\n';
    for (const auto& row : caller.results<SentimentResults>(job->getId()).getItems())
        std::cout << "row " << row->getLabel() << '\n';

    const std::string training = std::getenv("TRAINING_JOB");
    const auto advice = caller.report<TrainingConfigReport>(training);
    std::cout << "report " << advice.fromKindEnum(advice.getKind()) << ' '
              << advice.getItems()->getTotal() << ' '
              << advice.getSummary()->getGpus().front()->getGpu()->getId() << '\n';
    std::cout << "row " << caller.results<TrainingConfigResults>(training).getItems()[0]->getGpu()
              << '\n';

    const std::string waves = std::getenv("WAVES_JOB");
    const auto counts = caller.report<WavesReport>(waves);
    std::cout << "report " << counts.fromKindEnum(counts.getKind()) << ' '
              << counts.getItems()->getTotal() << ' ' << counts.getSummary()->getBars() << '\n';
    std::cout << "row " << caller.results<WavesResults>(waves).getItems()[0]->getReport()->getBars()
              << '\n';

    const std::string profile = std::getenv("PROFILE_JOB");
    const auto speeds = caller.report<ProfileReport>(profile);
    std::cout << "report " << speeds.fromKindEnum(speeds.getKind()) << ' '
              << speeds.getItems()->getTotal() << ' ' << speeds.getSummary()->getMode() << '\n';
    std::cout << "engine " << (speeds.getSummary()->engineIsSet() ? "false" : "true") << '\n';
    std::cout << "row " << caller.results<ProfileResults>(profile).getItems()[0]->getPart() << '\n';

    const auto empty = [](const auto& results) {
        std::cout << "empty " << results.getItems().size() << '\n';
    };
    empty(caller.results<SentimentResults>(job->getId(), 99));
    empty(caller.results<TrainingConfigResults>(training, 99));
    empty(caller.results<WavesResults>(waves, 99));
    empty(caller.results<ProfileResults>(profile, 99));
    const auto csv =
        jobs.getJobResultsCsv(job->getId(), boost::none, boost::none, boost::none, boost::none,
                              boost::none, boost::none, boost::none, boost::none);
    const auto table = from(*csv.get()->getData());
    std::cout << "csv " << table.substr(0, table.find(',')) << '\n';
    const auto picture = jobs.getJobPictureSvg(waves, 0, boost::none).get();
    std::cout << "picture " << from(*picture->getData()).substr(0, 4) << '\n';

    refused([&] { jobs.createJob(spec(std::make_shared<SentimentArgs>()), boost::none).get(); });
    refused([&] { jobs.getJob("job_0000000000000", boost::none, boost::none).get(); });
}
