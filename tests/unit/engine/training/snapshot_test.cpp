#include "engine/training/gpus/catalogue.hpp"
#include "engine/training/models/presets.hpp"
#include "engine/training/recorded/comparison.hpp"
#include "engine/training/recorded/snapshot_meaning.hpp"

#include <cstring>
#include <map>
#include <numeric>
#include <random>

#include <gmock/gmock.h>

namespace plimsoll::training {
namespace {

using ::testing::HasSubstr;

// Writes what Python's pickle module writes, in protocol 4.
class Pickle {
  public:
    std::string bytes = "\x80\x04";

    // The same object each time, which is recalled.
    void text(std::string_view value) {
        const auto [found, is_new] = texts_.try_emplace(std::string(value), slots_);
        if (is_new) return own_text(value);
        if (found->second < 256) {
            bytes += 'h';
            put(static_cast<std::uint8_t>(found->second));
        } else {
            bytes += 'j';
            put(found->second);
        }
    }
    // Another object each time.
    void own_text(std::string_view value) {
        bytes += '\x8c';
        put(static_cast<std::uint8_t>(value.size()));
        bytes += value;
        remember();
    }
    void number(std::uint64_t value) {
        bytes += "\x8a\x08";
        put(value);
    }
    template <class Write>
    void dictionary(Write&& write) {
        bytes += '}';
        remember();
        bytes += '(';
        write();
        bytes += 'u';
    }
    template <class Write>
    void list(Write&& write) {
        bytes += ']';
        remember();
        bytes += '(';
        write();
        bytes += 'e';
    }

    void remember() {
        bytes += '\x94';
        ++slots_;
    }
    // A list of frames that is the same object each time.
    template <class Write>
    void shared_list(int key, Write&& write) {
        const auto [found, is_new] = lists_.try_emplace(key, slots_);
        if (is_new) return list(write);
        bytes += 'j';
        put(found->second);
    }

  private:
    template <class T>
    void put(T value) {
        char raw[sizeof value];
        std::memcpy(raw, &value, sizeof value);
        bytes.append(raw, sizeof value);
    }

    std::map<std::string, std::uint32_t> texts_;
    std::map<int, std::uint32_t> lists_;
    std::uint32_t slots_ = 0;
};

struct RecordedRun {
    ModelShape shape = *preset("llama-3.2-1b");
    TrainingSettings settings;
    TapeDevice device = tape_device(*GpuCatalogue().find("a100_80gb"));

    RecordedRun() {
        shape.layers = 2;
        settings.batch = 2;
        settings.sequence = 256;
        settings.precision = Precision::bf16;
    }
    RunMemory predicted() const {
        return predicted_memory(shape, settings, device, *estimate(shape, settings, device));
    }
};

// The stack of a phase; the backward pass has a thread without Python.
void frames_of(Phase phase, Pickle& out) {
    if (phase == Phase::backward) {
        out.bytes += ']';
        out.remember();
        return;
    }
    const bool forward = phase == Phase::forward;
    const bool trains =
        phase == Phase::clip || phase == Phase::optimizer || phase == Phase::step_end;
    out.shared_list(forward  ? 1
                    : trains ? 2
                             : 3,
                    [&] {
                        for (const char* file : {forward  ? "/lib/transformers/modeling_llama.py"
                                                 : trains ? "/lib/torch/optim/adamw.py"
                                                          : "/run/train.py"}) {
                            out.dictionary([&] {
                                out.text("name");
                                out.text(forward ? "forward" : "step");
                                out.text("filename");
                                out.text(file);
                                out.text("line");
                                out.number(12);
                            });
                        }
                    });
}

// Three steps of the tape, as PyTorch would record them; `bytes_of` gives the size of a buffer.
template <class BytesOf>
std::string pickled(const Tape& tape, BytesOf&& bytes_of) {
    Pickle out;
    const auto event = [&](const Event& e) {
        out.dictionary([&] {
            out.text("action");
            out.text(e.allocates ? "alloc" : "free_completed");
            out.text("addr");
            out.number(0x7f0000000000 + (static_cast<std::uint64_t>(e.buffer) << 9));
            out.text("size");
            out.number(static_cast<std::uint64_t>(bytes_of(e.buffer)));
            out.text("compile_context");
            out.own_text("N/A");
            out.text("frames");
            frames_of(e.phase, out);
        });
    };
    std::int64_t left = 0;
    out.dictionary([&] {
        out.text("device_traces");
        out.list([&] {
            out.list([&] {
                for (const auto* events : {&tape.setup, &tape.first, &tape.later, &tape.later}) {
                    for (const auto& e : *events) {
                        event(e);
                        const auto bytes = CachingAllocator::rounded(bytes_of(e.buffer));
                        left += e.allocates ? bytes : -bytes;
                    }
                }
            });
        });
        out.text("segments");
        out.list([&] {
            out.dictionary([&] {
                out.text("device");
                out.number(0);
                out.text("total_size");
                out.number(static_cast<std::uint64_t>(left) + 4096);
                out.text("active_size");
                out.number(static_cast<std::uint64_t>(left));
            });
        });
    });
    return out.bytes + '.';
}

std::string pickled(const Tape& tape) {
    return pickled(tape, [&](auto at) { return tape.buffers[static_cast<std::size_t>(at)].bytes; });
}

Result<Recording> read_bytes(std::string_view bytes) {
    return read_snapshot(std::as_bytes(std::span(bytes.data(), bytes.size())));
}

double ratio(std::int64_t a, std::int64_t b) {
    return static_cast<double>(a) / static_cast<double>(b);
}

TEST(Snapshot, TellsTheMemoryOfTheRunThatItRecorded) {
    const RecordedRun run;
    const auto recording = read_bytes(pickled(record_tape(run.shape, run.settings, run.device)));
    ASSERT_TRUE(recording) << recording.error().message;
    const auto real = recorded_memory(*recording);
    const auto ours = run.predicted();
    EXPECT_NEAR(ratio(real.peak_allocated, ours.peak_allocated), 1, 0.02);
    EXPECT_EQ(real.stage, ours.stage);
    for (const auto part : {MemoryPart::state, MemoryPart::gradients}) {
        const auto at = static_cast<std::size_t>(part);
        EXPECT_NEAR(ratio(real.parts[at] + (1 << 20), ours.parts[at] + (1 << 20)), 1, 0.02)
            << to_string(part);
    }
    std::int64_t sum = 0;
    for (const auto bytes : real.parts) sum += bytes;
    EXPECT_EQ(sum, real.peak_allocated);
    EXPECT_FALSE(parting_of(real, ours));
    ASSERT_EQ(real.step.size(), real.pass.size() + 1);
    ASSERT_EQ(real.step.size(), ours.step.size());
    std::int64_t highest = 0;
    for (std::size_t i = 0; i < real.step.size(); ++i) {
        const auto held = [i](const RunMemory& run) {
            return std::accumulate(run.step[i].begin(), run.step[i].end(), std::int64_t{0});
        };
        EXPECT_NEAR(ratio(held(real), held(ours)), 1, 0.001) << i;
        highest = std::max(highest, held(real));
    }
    EXPECT_EQ(highest, real.peak_allocated);
    EXPECT_THAT(real.pass.front().where, HasSubstr("modeling_llama.py:12"));
}

TEST(Snapshot, NamesTheFirstAllocationThatWasNotPredicted) {
    const RecordedRun run;
    const auto tape = record_tape(run.shape, run.settings, run.device);
    std::int32_t changed = -1;
    for (const auto& e : tape.later)
        if (e.phase == Phase::forward && e.allocates && e.layer == 1 && changed < 0 &&
            tape.buffers[static_cast<std::size_t>(e.buffer)].bytes > 1 << 20)
            changed = e.buffer;
    ASSERT_GE(changed, 0);
    const auto bytes = tape.buffers[static_cast<std::size_t>(changed)].bytes * 64;
    const auto recording = read_bytes(pickled(tape, [&](auto at) {
        return at == changed ? bytes : tape.buffers[static_cast<std::size_t>(at)].bytes;
    }));
    const auto parting = parting_of(recorded_memory(*recording), run.predicted());
    ASSERT_TRUE(parting);
    EXPECT_GT(parting->equal, 0U);
    ASSERT_TRUE(parting->recorded);
    EXPECT_EQ(parting->recorded->bytes, bytes);
    EXPECT_EQ(parting->recorded->stage, Stage::forward);
    EXPECT_EQ(parting->at_recorded, parting->at_predicted);
    EXPECT_EQ(parting->at_recorded, parting->equal);
}

// With a factor that the file's maker knows, each of these would be compared with all before it.
TEST(Snapshot, FindsBlocksWhoseAddressesWereMadeToCollide) {
    constexpr std::uint64_t kOften = 0x9e3779b97f4a7c15;
    std::uint64_t inverse = kOften;  // Newton: each round doubles the bits that are right
    for (int i = 0; i < 5; ++i) inverse *= 2 - kOften * inverse;
    ASSERT_EQ(kOften * inverse, 1U);
    constexpr std::uint32_t kBlocks = 1'000'000;  // many minutes of comparisons
    HeldBlocks held;
    for (std::uint32_t i = 0; i < kBlocks; ++i) held.take(i * inverse, i);
    std::uint32_t found = 0;
    for (std::uint32_t i = 0; i < kBlocks; ++i) found += held.give_back(i * inverse) == i ? 1 : 0;
    EXPECT_EQ(found, kBlocks);
}

TEST(Snapshot, RunsNothing) {
    using namespace std::string_view_literals;
    for (const auto bytes : {"\x80\x04\x63os\nsystem\n(X\x02\x00\x00\x00lstR."sv,
                             "\x80\x04\x8c\x02os\x8c\x06system\x93."sv, "cos\nsystem\n."sv})
        EXPECT_THAT(read_bytes(bytes).error().message, HasSubstr("nothing in it is run"));
    EXPECT_THAT(read_bytes("\x80\x04}\x94."sv).error().message, HasSubstr("no memory snapshot"));
    EXPECT_EQ(read_bytes("").error().code, Errc::corrupt);
}

TEST(Snapshot, SurvivesDamage) {
    RecordedRun run;
    run.shape.layers = 1;
    auto tape = record_tape(run.shape, run.settings, run.device);
    tape.first.clear();
    tape.later.resize(20);
    const auto whole = pickled(tape);
    std::mt19937 random(46);
    for (int i = 0; i < 3000; ++i) {
        auto bytes = whole;
        for (int flips = 1 + static_cast<int>(random() % 4); flips > 0; --flips)
            bytes[random() % bytes.size()] = static_cast<char>(random());
        if (i % 3 == 0) bytes.resize(random() % bytes.size());
        if (const auto recording = read_bytes(bytes)) recorded_memory(*recording);
    }
}

}  // namespace
}  // namespace plimsoll::training
