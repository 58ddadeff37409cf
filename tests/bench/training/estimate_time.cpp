// Median CPU time of one estimate and of a full report, on one core; one line "name milliseconds"
// each.

#include "engine/training/advice/report.hpp"
#include "engine/training/gpus/catalogue.hpp"
#include "engine/training/models/presets.hpp"

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <functional>
#include <vector>

namespace {

using namespace plimsoll::training;

double cpu_milliseconds() {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) / 1e6;
}

void measure(const char* name, int rounds, const std::function<void()>& work) {
    work();
    std::vector<double> times;
    for (int i = 0; i < rounds; ++i) {
        const double start = cpu_milliseconds();
        work();
        times.push_back(cpu_milliseconds() - start);
    }
    std::sort(times.begin(), times.end());
    std::printf("%s %.3f\n", name, times[times.size() / 2]);
}

}  // namespace

int main() {
    TrainingSettings settings;
    settings.batch = 32;
    settings.precision = Precision::bf16_autocast;
    for (const auto* name : {"bert-base", "bert-large", "gpt2-medium"}) {
        const auto shape = *preset(name);
        measure(name, 101, [&] {
            const auto e = estimate(shape, settings, {});
            if (!e) std::abort();
        });
    }
    const auto gpus = shipped_gpus();
    for (const bool what_ifs : {false, true}) {
        ReportRequest request;
        request.shape = *preset("bert-base");
        request.settings = settings;
        request.gpus.assign(gpus.begin(), gpus.begin() + 12);
        request.what_ifs = what_ifs;
        measure(what_ifs ? "report-12-gpus-what-ifs" : "report-12-gpus", 11, [&] {
            const auto r = make_report(request);
            if (!r) std::abort();
        });
    }
    return 0;
}
