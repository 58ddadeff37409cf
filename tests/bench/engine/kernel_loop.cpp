// engine_kernel_loop CACHE ROUNDS TUNING_SECONDS: products, rows and attention on PoCL's first
// device, each round interleaved with its peer. Prints a JSON line per comparison: the medians of
// the seconds, and the floating-point operations or bytes of one call.

#include "engine/opencl/probing/probe.hpp"
#include "engine/opencl/runtime/cache_directory.hpp"
#include "engine/routines/attention.hpp"
#include "engine/routines/rows.hpp"
#include "engine/tuning/gemm_search.hpp"
#include "tests/bench/engine/loops.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <functional>
#include <iterator>
#include <random>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <dnnl.h>
#include <nlohmann/json.hpp>

namespace plimsoll {
namespace {

using namespace routines;
using Floats = std::vector<float>;
using Json = nlohmann::ordered_json;

template <class T>
T need(Result<T> result) {
    if (!result) throw std::runtime_error(result.error().message + " " + result.error().where);
    return std::move(*result);
}

void need(Result<void> result) {
    if (!result) throw std::runtime_error(result.error().message + " " + result.error().where);
}

struct Bench {
    opencl::Programs& programs;
    const opencl::Capability& capability;
    int rounds;
    std::chrono::milliseconds tuning_time;

    const opencl::Device& device() const { return programs.device(); }

    template <class T>
    opencl::Buffer upload(const std::vector<T>& values) const {
        auto buffer = need(device().allocate(values.size() * sizeof(T)));
        need(device().write(buffer, std::as_bytes(std::span(values))));
        return buffer;
    }
};

Floats random_floats(std::size_t count, unsigned seed) {
    std::mt19937 bits(seed);
    std::uniform_real_distribution<float> uniform(-1.0F, 1.0F);
    Floats values(count);
    for (auto& value : values) value = uniform(bits);
    return values;
}

using Calls = std::vector<std::function<void()>>;

struct Seconds {
    double clock = 0;
    double processor = 0;  // of all threads
};

double processor_seconds() {
    timespec now{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

double median(std::vector<double> values) {
    std::ranges::sort(values);
    return values[values.size() / 2];
}

// The medians of each call; the first round warms up.
std::vector<Seconds> medians(const Calls& calls, int rounds) {
    std::vector<std::vector<double>> clock(calls.size());
    std::vector<std::vector<double>> processor(calls.size());
    for (int round = 0; round <= rounds; ++round) {
        for (std::size_t i = 0; i < calls.size(); ++i) {
            const auto processor_start = processor_seconds();
            const auto start = std::chrono::steady_clock::now();
            calls[i]();
            const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
            if (round > 0) {
                clock[i].push_back(took.count());
                processor[i].push_back(processor_seconds() - processor_start);
            }
            // A peer's threads may still be on their way to sleep.
            std::this_thread::sleep_for(std::chrono::microseconds(300));
        }
    }
    std::vector<Seconds> result;
    for (std::size_t i = 0; i < calls.size(); ++i)
        result.push_back({median(clock[i]), median(processor[i])});
    return result;
}

void print(const std::string& name, const std::string& method, Seconds ours, Seconds peer,
           double work) {
    const Json line{{"name", name},
                    {"method", method},
                    {"ours", ours.clock},
                    {"peer", peer.clock},
                    {"ours_processor", ours.processor},
                    {"peer_processor", peer.processor},
                    {"work", work}};
    std::printf("%s\n", line.dump().c_str());
    std::fflush(stdout);
}

// Numbers for the peer, in memory of the kind that ours are in: on large pages.
class PeerFloats {
  public:
    PeerFloats(const Bench& bench, const Floats& values)
        : buffer_(bench.upload(values)), mapping_(need(bench.device().map(buffer_))) {}

    float* data() const { return reinterpret_cast<float*>(mapping_.bytes().data()); }

  private:
    opencl::Buffer buffer_;
    opencl::Mapping mapping_;
};

GemmPlan tuned_plan(Bench& bench, const tuning::Bucket& bucket) {
    const auto found = need(tuning::search(bench.programs, bucket, {.budget = bench.tuning_time}));
    const auto& plan = found.best;
    std::fprintf(stderr, "%s %u x %u x %u: %zu tried, %u x %u, depth %u, panels %u x %u\n",
                 std::string(to_string(plan.method)).c_str(), bucket.m, bucket.n, bucket.k,
                 found.tried.size(), plan.rows, plan.vectors, plan.depth, plan.row_panels,
                 plan.column_panels);
    return plan;
}

void products(Bench& bench, std::uint32_t m, std::uint32_t n, std::uint32_t k) {
    const auto a = random_floats(std::size_t{m} * k, 1);
    const auto b = random_floats(std::size_t{k} * n, 2);
    const Floats zeros(std::size_t{m} * n);
    const PeerFloats peer_a(bench, a);
    const PeerFloats peer_b(bench, b);
    const PeerFloats peer_c(bench, zeros);
    const auto a_there = bench.upload(a);
    const auto b_there = bench.upload(b);
    const auto c_there = bench.upload(zeros);
    Calls calls{[&] {
        dnnl_sgemm('N', 'N', m, n, k, 1.0F, peer_a.data(), k, peer_b.data(), n, 0.0F, peer_c.data(),
                   n);
    }};
    std::vector<std::string> names;
    const auto add = [&](const std::string& name, const GemmPlan& plan, const opencl::Buffer& of_b,
                         bool packed) {
        names.push_back(name);
        calls.push_back([&, plan, packed] {
            need(multiply(
                bench.programs, plan,
                {.a = a_there, .b = of_b, .c = c_there, .m = m, .n = n, .k = k, .packed = packed}));
            need(bench.device().finish());
        });
    };
    // As the peer does it: nothing was prepared.
    const auto units = bench.device().info().compute_units;
    add("block_fp32", default_plan(Method::block_fp32, units, m, n), b_there, false);
    std::vector<Method> methods{Method::block_fp32};
    const auto low = method_for(bench.capability, Form::bf16);
    if (low != Method::block_fp32) methods.push_back(low);
    std::vector<opencl::Buffer> packed(methods.size());
    for (std::size_t i = 0; i < methods.size(); ++i) {
        const auto plan = tuned_plan(bench, tuning::bucket_of(methods[i], m, n, k));
        packed[i] = need(bench.device().allocate(packed_bytes(plan, k, n)));
        need(pack(bench.programs, plan, b_there, {k, n, n, 1}, packed[i]));
        add("packed " + std::string(to_string(methods[i])), plan, packed[i], true);
    }
    const auto seconds = medians(calls, bench.rounds);
    for (std::size_t i = 0; i < names.size(); ++i) {
        print(std::to_string(m) + " x " + std::to_string(n) + " x " + std::to_string(k), names[i],
              seconds[i + 1], seconds[0], 2.0 * m * n * k);
    }
}

void rows(const Bench& bench) {
    constexpr Shape shape{8192, 768};
    const std::size_t count = std::size_t{shape.rows} * shape.columns;
    const auto in = random_floats(count, 3);
    const auto gain = random_floats(shape.columns, 4);
    Floats out(count);
    const auto in_there = bench.upload(in);
    const auto out_there = bench.upload(out);
    const auto gain_there = bench.upload(gain);
    const Norm norm{gain_there, gain_there, 1e-5F};
    const auto compare = [&](const std::string& name, const std::function<Result<void>()>& ours,
                             const std::function<void()>& peer) {
        const auto seconds = medians({peer,
                                      [&] {
                                          need(ours());
                                          need(bench.device().finish());
                                      }},
                                     bench.rounds);
        print(name, "rows", seconds[1], seconds[0], 2.0 * count * sizeof(float));
    };
    constexpr auto flavour = Flavour::block;
    compare(
        "layer norm",
        [&] {
            return layer_norm(bench.programs, flavour, in_there, nullptr, norm, out_there, shape);
        },
        [&] {
            bench::layer_norm_loop(in.data(), out.data(), gain.data(), gain.data(), shape.rows,
                                   shape.columns);
        });
    compare(
        "softmax", [&] { return softmax(bench.programs, flavour, in_there, out_there, shape); },
        [&] { bench::softmax_loop(in.data(), out.data(), shape.rows, shape.columns); });
    compare(
        "GELU",
        [&] { return unary(bench.programs, flavour, Function::gelu, in_there, out_there, shape); },
        [&] { bench::gelu_loop(in.data(), out.data(), shape.rows, shape.columns); });
}

// 64 headlines of 8 to 64 tokens.
void attention(const Bench& bench) {
    constexpr Heads heads{12, 64};
    std::mt19937 bits(5);
    std::vector<std::uint32_t> lengths(64);
    double work = 0;
    for (auto& length : lengths) {
        length = 8 + bits() % 57;
        work += 4.0 * length * length * heads.size * heads.count;
    }
    const auto layout = need(lay_out(lengths));
    const auto tokens = static_cast<std::uint32_t>(layout.sequence.size());
    const auto width = heads.count * heads.size;
    const auto qkv = bench.upload(random_floats(std::size_t{tokens} * 3 * width, 6));
    const auto out = bench.upload(Floats(std::size_t{tokens} * width));
    const auto offsets = bench.upload(layout.offsets);
    const auto walk = bench.upload(walk_of(Method::block_fp32, layout));
    std::ifstream file(PLAIN_ATTENTION);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    const auto* plain = need(bench.programs.get("plain_attention", row_options(Flavour::block),
                                                [&] { return row_source({}) + text; }));
    Calls calls{[&] {
        need(opencl::invoke(bench.device(), *plain, {lengths.size() * heads.count, 1}, qkv, offsets,
                            out, heads.count));
        need(bench.device().finish());
    }};
    std::vector methods{Method::block_fp32};
    const auto low = attention_method_for(bench.capability, Form::bf16);
    if (low != Method::block_fp32) methods.push_back(low);
    std::vector<NarrowRows> narrowed(methods.size());
    for (std::size_t i = 0; i < methods.size(); ++i) {
        if (form_of(methods[i]) == Form::fp32) continue;
        const auto numbers = std::size_t{tokens} * 3 * width;
        narrowed[i].numbers = need(bench.device().allocate(numbers * sizeof(std::uint16_t)));
        need(narrow(bench.programs, methods[i], qkv, narrowed[i],
                    {tokens, static_cast<std::uint32_t>(3 * width)}));
    }
    const Sequences sequences{offsets, walk, static_cast<std::uint32_t>(lengths.size()),
                              layout.longest};
    for (std::size_t i = 0; i < methods.size(); ++i) {
        calls.push_back([&, i] {
            const bool narrow = form_of(methods[i]) != Form::fp32;
            need(attend(bench.programs, methods[i], narrow ? narrowed[i].numbers : qkv, sequences,
                        heads, out));
            need(bench.device().finish());
        });
    }
    const auto seconds = medians(calls, bench.rounds);
    for (std::size_t i = 0; i < methods.size(); ++i) {
        print("64 headlines of 8 to 64 tokens", "attention, " + std::string(to_string(methods[i])),
              seconds[i + 1], seconds[0], work);
    }
}

void run(const std::filesystem::path& cache, int rounds, double tuning_seconds) {
    need(opencl::use_kernel_cache(cache));
    const auto report = opencl::probe();  // before this process opens a device
    const auto found = std::ranges::find_if(report.devices, [](const opencl::Capability& device) {
        return device.info.address == opencl::DeviceAddress{"pocl", 0} &&
               device.state == opencl::DeviceState::ready;
    });
    if (found == report.devices.end()) throw std::runtime_error("PoCL is not ready");
    const auto device = need(opencl::Device::open(found->info.address));
    opencl::Programs programs(device, opencl::ProgramCache(cache / "programs"));
    const auto budget = std::chrono::milliseconds(static_cast<int>(tuning_seconds * 1000));
    Bench bench{programs, *found, rounds, budget};
    products(bench, 1024, 768, 768);
    products(bench, 1024, 3072, 768);
    products(bench, 1024, 768, 3072);
    products(bench, 64, 768, 768);
    products(bench, 64, 3072, 768);
    rows(bench);
    attention(bench);
}

}  // namespace
}  // namespace plimsoll

int main(int argc, char** argv) {
    if (argc != 4) return 2;
    try {
        plimsoll::run(argv[1], std::atoi(argv[2]), std::atof(argv[3]));
    } catch (const std::exception& e) {
        std::fprintf(stderr, "%s\n", e.what());
        return 1;
    }
    return 0;
}
