// Programs, transfers and buffers on PoCL. All devices of this program are opened in child
// processes (see real_device_test.cpp): a test returns what went wrong, or nothing.

#include "engine/opencl/probing/child_process.hpp"
#include "engine/opencl/runtime/invoke.hpp"
#include "engine/opencl/runtime/programs.hpp"
#include "engine/opencl/runtime/transfers.hpp"
#include "tests/unit/engine/opencl/kernel_cache.hpp"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <sched.h>

namespace {
std::atomic<int> allocations = 0;
}

// The engine is linked statically, so its calls come here first: every allocation is counted.
extern "C" CL_API_ENTRY cl_mem CL_API_CALL clCreateBuffer(cl_context context, cl_mem_flags flags,
                                                          size_t size, void* host, cl_int* status) {
    ++allocations;
    static const auto real =
        reinterpret_cast<decltype(&clCreateBuffer)>(dlsym(RTLD_NEXT, "clCreateBuffer"));
    return real(context, flags, size, host, status);
}

namespace plimsoll::opencl {
namespace {

std::string add_source() {
    return R"(
__kernel void add(__global float* values, float what, uint count) {
    if (get_global_id(0) < count) values[get_global_id(0)] += what;
})";
}

struct Problem : std::runtime_error {
    using std::runtime_error::runtime_error;
};

void require(bool holds, const std::string& what) {
    if (!holds) throw Problem(what);
}

template <class T>
T need(Result<T> result) {
    if (!result) throw Problem(result.error().message);
    return std::move(*result);
}

void need(Result<void> result) {
    if (!result) throw Problem(result.error().message);
}

void on_pocl(const std::function<void(const Device&)>& work) {
    const auto end = run_in_child(
        [&]() -> std::string {
            try {
                const auto device = need(Device::open({"pocl", 0}));
                work(device);
                return "";
            } catch (const Problem& problem) {
                return problem.what();
            }
        },
        std::chrono::minutes(10));
    EXPECT_EQ(end.kind, ChildEnd::Kind::finished) << end.reason;
    EXPECT_EQ(end.output, "");
}

std::vector<float> floats_of(const Device& device, const Buffer& buffer) {
    std::vector<float> values(buffer.bytes / sizeof(float));
    need(device.read(buffer, std::as_writable_bytes(std::span(values))));
    return values;
}

TEST(Programs, AreLoadedByTheNextProcessAndBuiltOverDamage) {
    const TemporaryFolder folder;
    const auto run = [&](std::uint64_t built, std::uint64_t loaded, const std::string& options) {
        on_pocl([&](const Device& device) {
            Programs programs(device, ProgramCache(folder.path()), true);
            const auto* add = need(programs.get("add", options, add_source));
            require(need(programs.get("add", options, add_source)) == add, "made twice");
            auto buffer = need(device.allocate(400));
            need(device.fill(buffer, std::byte{0}));
            need(invoke(device, *add, {100, 32}, buffer, 5.0F, 100U));
            const auto got = floats_of(device, buffer);
            require(std::ranges::all_of(got, [](float x) { return x == 5.0F; }), "wrong");
            require(programs.built() == built && programs.loaded() == loaded,
                    std::to_string(programs.built()) + " built, " +
                        std::to_string(programs.loaded()) + " loaded");
        });
    };
    run(1, 0, "");
    run(0, 1, "");
    run(1, 0, "-DOTHER");
    run(0, 1, "-DOTHER");
    for (const auto& file : std::filesystem::directory_iterator(folder.path()))
        std::filesystem::resize_file(file.path(), std::filesystem::file_size(file.path()) / 2);
    run(1, 0, "");
    run(0, 1, "");
    // Whole, but no program: the driver refuses what the checksum accepts.
    for (const auto& file : std::filesystem::directory_iterator(folder.path())) {
        const ProgramBinary nonsense{std::vector<std::byte>(100, std::byte{7})};
        ASSERT_TRUE(ProgramCache(folder.path()).store(file.path().stem(), nonsense));
    }
    run(1, 0, "");
    run(0, 1, "");
}

TEST(Programs, ACacheThatCannotBeWrittenCostsOnlyTime) {
    const TemporaryFolder folder;
    std::ofstream(folder.path() / "file") << "in the way";
    on_pocl([&](const Device& device) {
        Programs programs(device, ProgramCache(folder.path() / "file"), true);
        (void)need(programs.get("add", "", add_source));
        require(programs.built() == 1, "built");
    });
}

TEST(Transfers, BothWaysBringEveryByteInOrder) {
    for (const auto mode : {Transfers::Mode::mapped, Transfers::Mode::staged}) {
        on_pocl([&](const Device& device) {
            auto transfers = need(Transfers::create(device, mode, 1000));
            const TemporaryFolder folder;
            Programs programs(device, ProgramCache(folder.path()));
            const auto* add = need(programs.get("add", "", add_source));
            std::vector<float> values(12'345);
            auto a = need(device.allocate(values.size() * sizeof(float)));
            auto b = need(device.allocate(values.size() * sizeof(float)));
            const auto count = static_cast<std::uint32_t>(values.size());
            for (int batch = 0; batch < 8; ++batch) {
                // The next batch travels while the last is computed.
                const auto& to = batch % 2 == 0 ? a : b;
                for (std::size_t i = 0; i < values.size(); ++i)
                    values[i] = static_cast<float>(i) * 0.5F + static_cast<float>(batch);
                need(transfers.upload(to, std::as_bytes(std::span(values))));
                need(transfers.arrive());
                need(invoke(device, *add, {count, 64}, to, 1.0F, count));
                const auto got = floats_of(device, to);
                for (std::size_t i = 0; i < values.size(); ++i)
                    require(got[i] == values[i] + 1.0F, "wrong at " + std::to_string(i));
            }
        });
    }
}

TEST(Device, AMappingIsTheBuffersOwnMemoryOnACpu) {
    on_pocl([](const Device& device) {
        auto buffer = need(device.allocate(4096));
        std::byte* first = nullptr;
        {
            const auto mapped = need(device.map(buffer));
            first = mapped.bytes().data();
            std::ranges::fill(mapped.bytes(), std::byte{9});
        }
        require(need(device.map(buffer)).bytes().data() == first, "it moved");
        std::vector<std::byte> bytes(4096);
        need(device.read(buffer, bytes));
        require(std::ranges::all_of(bytes, [](auto x) { return x == std::byte{9}; }), "bytes");
    });
}

// What the kernel says of the mapping that `address` is in: the lines of /proc/self/smaps.
std::string mapping_of(const void* address) {
    std::ifstream maps("/proc/self/smaps");
    const auto wanted = reinterpret_cast<std::uintptr_t>(address);
    std::string told;
    bool inside = false;
    for (std::string line; std::getline(maps, line);) {
        std::uintptr_t begin = 0;
        std::uintptr_t end = 0;
        if (std::sscanf(line.c_str(), "%lx-%lx ", &begin, &end) == 2)
            inside = begin <= wanted && wanted < end;
        if (inside) told += line + "\n";
    }
    return told;
}

TEST(Device, LargeBuffersOfACpuAreOnLargePagesAndComeBack) {
    on_pocl([](const Device& device) {
        constexpr std::size_t kBytes = (5 << 20) + 4;  // no whole number of pages
        const void* address = nullptr;
        {
            const auto buffer = need(device.allocate(kBytes));
            need(device.fill(buffer, std::byte{7}));
            const auto mapped = need(device.map(buffer));
            address = mapped.bytes().data();
            require(reinterpret_cast<std::uintptr_t>(address) % (2 << 20) == 0, "not aligned");
            require(std::ranges::all_of(mapped.bytes(), [](auto x) { return x == std::byte{7}; }),
                    "bytes");
            const auto flags = mapping_of(address);
            const bool kernel_has_them =
                std::filesystem::exists("/sys/kernel/mm/transparent_hugepage");
            require(!kernel_has_them || flags.find(" hg") != std::string::npos,
                    "not asked for: " + flags);
        }
        need(device.finish());
        require(mapping_of(address).find(" hg") == std::string::npos, "the memory was kept");
    });
}

// The cores that each thread of this process may run on, those with a single one.
std::vector<int> pinned_cores() {
    std::vector<int> cores;
    for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
        cpu_set_t allowed;
        CPU_ZERO(&allowed);
        const auto id = static_cast<pid_t>(std::stol(task.path().filename()));
        if (sched_getaffinity(id, sizeof allowed, &allowed) != 0 || CPU_COUNT(&allowed) != 1)
            continue;
        for (int core = 0; core < CPU_SETSIZE; ++core)
            if (CPU_ISSET(core, &allowed)) cores.push_back(core);
    }
    return cores;
}

TEST(Device, EachDriverThreadOfACpuIsPinnedToItsOwnCore) {
    cpu_set_t allowed;
    CPU_ZERO(&allowed);
    ASSERT_EQ(sched_getaffinity(0, sizeof allowed, &allowed), 0);
    if (CPU_COUNT(&allowed) == 1 ||
        CPU_COUNT(&allowed) != static_cast<int>(std::thread::hardware_concurrency())) {
        GTEST_SKIP() << "some cores are not for this process";
    }
    on_pocl([](const Device& device) {
        const auto buffer = need(device.allocate(1 << 20));
        const auto add = need(device.build(add_source(), "add"));
        need(invoke(device, add, {1 << 18, 64}, buffer, 1.0F, 1U << 18));
        need(device.finish());
        auto cores = pinned_cores();
        std::ranges::sort(cores);
        require(cores.size() == device.info().compute_units,
                std::to_string(cores.size()) + " threads");
        require(std::ranges::adjacent_find(cores) == cores.end(), "two threads on a core");
    });
}

TEST(Device, EnqueuedWorkKeepsAReleasedBufferAlive) {
    on_pocl([](const Device& device) {
        const auto add = need(device.build(add_source(), "add"));
        constexpr std::uint32_t kCount = 4 << 20;
        const auto kept = need(device.allocate(kCount * sizeof(float)));
        {
            const auto gone = need(device.allocate(kCount * sizeof(float)));
            for (int i = 0; i < 20; ++i)
                need(invoke(device, add, {kCount, 64}, gone, 1.0F, kCount));
        }
        need(device.fill(kept, std::byte{0}));
        need(device.finish());
        require(floats_of(device, kept)[kCount - 1] == 0.0F, "the queue went on");
    });
}

}  // namespace
}  // namespace plimsoll::opencl
