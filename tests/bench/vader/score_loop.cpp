// Scores the texts of a file (JSON strings, one a line) over and over and prints texts per second
// of each thread's CPU time, added up: what an otherwise idle machine gives, whatever else runs
// now. With the path of libplimsoll.so it prints two rates of one thread, this loop's and that of
// scores as Python gets them, in columns, which take turns. Usage: vader_score_loop
// FILE THREADS SECONDS [LIBRARY]
#include "engine/sentiment/vader/vader.hpp"

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <numeric>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <dlfcn.h>
#include <nlohmann/json.hpp>

namespace {

double cpu_seconds() {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

double pass(plimsoll::sentiment::vader::Scorer& scorer, const std::vector<std::string>& texts) {
    double checksum = 0;
    for (const std::string& text : texts) checksum += scorer.score(text).compound;
    return checksum;
}

// Whole passes over the texts until the time is up.
double texts_per_second(const std::vector<std::string>& texts, double seconds) {
    plimsoll::sentiment::vader::Scorer scorer;
    double checksum = pass(scorer, texts);  // warm up
    const double start = cpu_seconds();
    std::size_t scored = 0;
    double elapsed = 0;
    while (elapsed < seconds) {
        checksum += pass(scorer, texts);
        scored += texts.size();
        elapsed = cpu_seconds() - start;
    }
    if (checksum == 0) std::fputs("nothing was scored\n", stderr);
    return static_cast<double>(scored) / elapsed;
}

// The functions of libplimsoll, as deploy/clients/python/plimsoll/engine.py calls them.
class Library {
  public:
    Library(const char* path, const std::vector<std::string>& texts)
        : handle_(dlopen(path, RTLD_NOW)) {
        if (handle_ == nullptr) {
            std::fprintf(stderr, "%s\n", dlerror());
            std::exit(1);
        }
        for (const std::string& text : texts)
            offsets_.push_back(static_cast<std::int64_t>((bytes_ += text).size()));
        columns_ = {bytes_.data(), offsets_.data(), static_cast<std::int64_t>(texts.size()), 1};
        memory_.resize(texts.size() * 33);
        Bytes out{};
        call<int(const char*, const char*, int, const char*, void**, Bytes*)>(
            "plimsoll_scorer_open")("vader", "fp32", 0, "", &scorer_, &out);
        release(out);
    }

    void pass() {
        Bytes out{};
        score_(scorer_, &columns_, memory_.data(), &out);
        release(out);
    }

  private:
    struct Bytes {
        char* data;
        std::size_t size;
    };
    struct Texts {
        const char* bytes;
        const void* offsets;
        std::int64_t count;
        std::int64_t are_large;
    };

    template <class Function>
    Function* call(const char* name) const {
        return reinterpret_cast<Function*>(dlsym(handle_, name));
    }
    void release(const Bytes& out) const { free_(out.data); }

    void* handle_;
    int (*score_)(void*, const Texts*, void*,
                  Bytes*) = call<int(void*, const Texts*, void*, Bytes*)>("plimsoll_score");
    void (*free_)(char*) = call<void(char*)>("plimsoll_free");
    std::string bytes_;
    std::vector<std::int64_t> offsets_{0};
    Texts columns_{};
    std::vector<char> memory_;
    void* scorer_ = nullptr;
};

// Texts a second of this loop and of the library, which take turns every few milliseconds: what
// slows the machine slows both.
std::pair<double, double> beside(Library& library, const std::vector<std::string>& texts,
                                 double seconds) {
    constexpr int kPasses = 20;
    plimsoll::sentiment::vader::Scorer scorer;
    double checksum = pass(scorer, texts);
    library.pass();
    double of_engine = 0;
    double of_library = 0;
    std::size_t scored = 0;
    while (of_engine + of_library < seconds) {
        const double start = cpu_seconds();
        for (int i = 0; i < kPasses; ++i) checksum += pass(scorer, texts);
        const double middle = cpu_seconds();
        for (int i = 0; i < kPasses; ++i) library.pass();
        of_engine += middle - start;
        of_library += cpu_seconds() - middle;
        scored += kPasses * texts.size();
    }
    if (checksum == 0) std::fputs("nothing was scored\n", stderr);
    return {static_cast<double>(scored) / of_engine, static_cast<double>(scored) / of_library};
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 4 && argc != 5) return 2;
    std::vector<std::string> texts;
    std::ifstream file(argv[1]);
    for (std::string line; std::getline(file, line);)
        texts.push_back(nlohmann::json::parse(line).get<std::string>());
    if (argc == 5) {
        Library library(argv[4], texts);
        const auto [engine, in_columns] = beside(library, texts, std::strtod(argv[3], nullptr));
        std::printf("%.0f %.0f\n", engine, in_columns);
        return 0;
    }
    std::vector<double> rates(std::strtoul(argv[2], nullptr, 10));
    const double seconds = std::strtod(argv[3], nullptr);
    std::vector<std::thread> threads;
    for (double& rate : rates)
        threads.emplace_back([&] { rate = texts_per_second(texts, seconds); });
    for (std::thread& thread : threads) thread.join();
    std::printf("%.0f\n", std::accumulate(rates.begin(), rates.end(), 0.0));
}
