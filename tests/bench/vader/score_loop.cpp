// Scores the texts of a file (JSON strings, one a line) over and over and prints texts per second
// of each thread's CPU time, added up: what an otherwise idle machine gives, whatever else runs
// now. Usage: vader_score_loop FILE THREADS SECONDS
#include "engine/sentiment/vader/vader.hpp"

#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include <nlohmann/json.hpp>

namespace {

double cpu_seconds() {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

// Whole passes over the texts until the time is up.
double texts_per_second(const std::vector<std::string>& texts, double seconds) {
    plimsoll::sentiment::vader::Scorer scorer;
    double checksum = 0;
    for (const std::string& text : texts) checksum += scorer.score(text).compound;  // warm up
    const double start = cpu_seconds();
    std::size_t scored = 0;
    double elapsed = 0;
    while (elapsed < seconds) {
        for (const std::string& text : texts) checksum += scorer.score(text).compound;
        scored += texts.size();
        elapsed = cpu_seconds() - start;
    }
    if (checksum == 0) std::fputs("nothing was scored\n", stderr);
    return static_cast<double>(scored) / elapsed;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 4) return 2;
    std::vector<std::string> texts;
    std::ifstream file(argv[1]);
    for (std::string line; std::getline(file, line);)
        texts.push_back(nlohmann::json::parse(line).get<std::string>());
    std::vector<double> rates(std::strtoul(argv[2], nullptr, 10));
    const double seconds = std::strtod(argv[3], nullptr);
    std::vector<std::thread> threads;
    for (double& rate : rates)
        threads.emplace_back([&] { rate = texts_per_second(texts, seconds); });
    for (std::thread& thread : threads) thread.join();
    std::printf("%.0f\n", std::accumulate(rates.begin(), rates.end(), 0.0));
}
