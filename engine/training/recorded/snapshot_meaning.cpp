#include "engine/training/recorded/snapshot_meaning.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace plimsoll::training {
namespace {

constexpr std::size_t kMaxEvents = std::size_t{64} << 20;
constexpr std::size_t kMaxTexts = std::size_t{4} << 20;
constexpr std::size_t kMaxName = 120;                        // bytes of it that are told
constexpr std::uint64_t kMaxBytes = std::uint64_t{1} << 40;  // of a block or a segment
constexpr std::uint64_t kMaxTotal = std::uint64_t{1} << 61;  // of all, one after the other

// Texts that mean something, by their number.
enum Word : std::uint32_t {
    kAction,
    kAddress,
    kSize,
    kFrames,
    kName,
    kFilename,
    kLine,
    kTotalSize,
    kActiveSize,
    kDevice,
    kTraces,
    kAlloc,
    kFree,
    kSegmentAlloc,
    kSegmentFree,
    kSegmentMap,
    kSegmentUnmap,
    kWords
};
constexpr std::array<std::string_view, kWords> kTexts = {
    "action",         "addr",          "size",         "frames",      "name",          "filename",
    "line",           "total_size",    "active_size",  "device",      "device_traces", "alloc",
    "free_completed", "segment_alloc", "segment_free", "segment_map", "segment_unmap"};

Action action_of(std::uint64_t word) {
    switch (word) {
        case kAlloc: return Action::allocate;
        case kFree: return Action::release;
        case kSegmentAlloc:
        case kSegmentMap: return Action::reserve;
        case kSegmentFree:
        case kSegmentUnmap: return Action::unreserve;
        default: return Action::other;
    }
}

bool has(std::string_view text, std::string_view part) {
    return text.find(part) != std::string_view::npos;
}

}  // namespace

std::string_view to_string(Stage stage) {
    constexpr std::string_view kNames[] = {"unknown", "setup", "forward", "backward", "optimizer"};
    return kNames[static_cast<std::size_t>(stage)];
}

std::size_t HeldBlocks::home(std::uint64_t address) const {
    return static_cast<std::size_t>((address * factor_) >> (64 - bits_));
}

std::size_t HeldBlocks::find(std::uint64_t address) const {
    auto at = home(address);
    while (blocks_[at].event != RecordedEvent::kEarlier && blocks_[at].address != address)
        at = (at + 1) & (blocks_.size() - 1);
    return at;
}

void HeldBlocks::take(std::uint64_t address, std::uint32_t event) {
    auto& block = blocks_[find(address)];
    if (block.event == RecordedEvent::kEarlier) ++count_;
    block = {address, event};
    if (count_ * 2 > blocks_.size()) grow();
}

std::uint32_t HeldBlocks::give_back(std::uint64_t address) {
    auto hole = find(address);
    const auto event = blocks_[hole].event;
    if (event == RecordedEvent::kEarlier) return event;
    --count_;
    // Those behind it that would no longer be found move up.
    const auto mask = blocks_.size() - 1;
    for (auto at = hole;;) {
        at = (at + 1) & mask;
        if (blocks_[at].event == RecordedEvent::kEarlier) break;
        if (((at - home(blocks_[at].address)) & mask) < ((at - hole) & mask)) continue;
        blocks_[hole] = blocks_[at];
        hole = at;
    }
    blocks_[hole] = {};
    return event;
}

void HeldBlocks::grow() {
    const auto before = std::exchange(blocks_, std::vector<Block>(blocks_.size() * 2));
    ++bits_;
    for (const auto& block : before)
        if (block.event != RecordedEvent::kEarlier) blocks_[find(block.address)] = block;
}

SnapshotMeaning::SnapshotMeaning() {
    for (const auto text : kTexts) intern(text);
    nothing_ = intern("");
    recording_.places.emplace_back();
    stages_.push_back(Stage::unknown);
}

void SnapshotMeaning::reserve(std::size_t events) {
    recording_.events.reserve(std::min(events, kMaxEvents));
}

std::uint32_t SnapshotMeaning::intern(std::string_view text) {
    const auto [found, is_new] =
        numbers_.try_emplace(text, static_cast<std::uint32_t>(texts_.size()));
    if (is_new) texts_.push_back(text);
    return found->second;
}

bool SnapshotMeaning::is_too_large() const {
    return recording_.events.size() > kMaxEvents || texts_.size() > kMaxTexts || total_ > kMaxTotal;
}

std::int64_t SnapshotMeaning::bytes(Value value) {
    total_ += value.bits > kMaxBytes ? kMaxTotal : value.bits;
    return total_ > kMaxTotal ? 0 : static_cast<std::int64_t>(value.bits);
}

SnapshotValue SnapshotMeaning::dictionary(std::span<const Value> items) {
    Value of[kWords];
    for (std::size_t i = 0; i + 1 < items.size(); i += 2)
        if (items[i].kind == Kind::text && items[i].bits < kWords) of[items[i].bits] = items[i + 1];
    if (of[kTraces].kind == Kind::trace) return {Kind::snapshot, of[kTraces].bits};
    if (of[kAction].kind == Kind::text) return event(of);
    if (of[kFilename].kind == Kind::text) return frame(of);
    if (of[kTotalSize].kind == Kind::number) {
        auto& device = segments_[of[kDevice].bits];
        device.active += bytes(of[kActiveSize]);
        device.reserved += bytes(of[kTotalSize]);
    }
    return {};
}

SnapshotValue SnapshotMeaning::list(Value before, std::span<const Value> items) {
    if (items.empty()) return before;
    if (items.front().kind == Kind::frame) return before.kind == Kind::list ? place(items) : before;
    if (items.front().kind != Kind::event) return longest(before, items);
    const auto first = static_cast<std::size_t>(items.front().bits);
    if (before.kind == Kind::list) {
        traces_.push_back({first, first});
        before = {Kind::trace, traces_.size() - 1};
    }
    if (before.kind != Kind::trace) return before;
    auto& end = traces_[before.bits].end;
    end = std::max(end, recording_.events.size());
    return before;
}

Result<Recording> SnapshotMeaning::finish(Value root) {
    if (root.kind != Kind::snapshot)
        return fail(Errc::corrupt,
                    "The file is no memory snapshot of PyTorch with a history: call "
                    "torch.cuda.memory._record_memory_history() before the run.");
    const auto trace = traces_[root.bits];
    auto& events = recording_.events;
    events.erase(events.begin() + static_cast<std::ptrdiff_t>(trace.end), events.end());
    events.erase(events.begin(), events.begin() + static_cast<std::ptrdiff_t>(trace.begin));
    if (trace.begin > 0)
        for (auto& event : events)
            event.taken = event.taken == RecordedEvent::kEarlier || event.taken < trace.begin
                              ? RecordedEvent::kEarlier
                              : event.taken - static_cast<std::uint32_t>(trace.begin);
    if (const auto found = segments_.find(device_); found != segments_.end()) {
        recording_.active_bytes = found->second.active;
        recording_.reserved_bytes = found->second.reserved;
    }
    return std::move(recording_);
}

// Of all devices.
SnapshotValue SnapshotMeaning::longest(Value before, std::span<const Value> traces) {
    const auto length = [&](Value v) {
        return v.kind == Kind::trace ? traces_[v.bits].end - traces_[v.bits].begin : 0;
    };
    for (std::size_t i = 0; i < traces.size(); ++i) {
        if (length(traces[i]) <= length(before)) continue;
        before = traces[i];
        device_ = i;
    }
    return before;
}

SnapshotValue SnapshotMeaning::event(const Value* of) {
    const auto action = action_of(of[kAction].bits);
    // A third of them are requests to free what is then freed.
    if (action == Action::other) return {Kind::event, recording_.events.size()};
    RecordedEvent one;
    one.bytes = bytes(of[kSize]);
    one.action = action;
    const auto number = static_cast<std::uint32_t>(recording_.events.size());
    if (action == Action::allocate) held_.take(of[kAddress].bits, number);
    if (action == Action::release) one.taken = held_.give_back(of[kAddress].bits);
    if (of[kFrames].kind == Kind::place) {
        one.place = static_cast<std::uint32_t>(of[kFrames].bits);
        one.stage = stages_[one.place];
    }
    recording_.events.push_back(one);
    return {Kind::event, number};
}

std::uint32_t SnapshotMeaning::text(Value value) const {
    return value.kind == Kind::text ? static_cast<std::uint32_t>(value.bits) : nothing_;
}

SnapshotValue SnapshotMeaning::frame(const Value* of) {
    Frame one{.name = text(of[kName]),
              .file = text(of[kFilename]),
              .line = static_cast<std::int64_t>(of[kLine].bits)};
    const auto name = texts_[one.name], file = texts_[one.file];
    one.python = file.ends_with(".py");
    one.forward = name == "forward" || name == "_call_impl";
    one.backward = name == "backward" || name == "_engine_run_backward" || name == "unpack_hook" ||
                   has(name, "autograd::Engine");
    one.optimizer = has(file, "/optim/") || has(file, "clip_grad");
    frames_.push_back(one);
    return {Kind::frame, frames_.size() - 1};
}

// Innermost first. A closure's passes run within the optimizer, a recomputation within the backward
// pass.
Stage SnapshotMeaning::stage_of(std::span<const Value> frames) const {
    auto found = Stage::unknown;
    for (const auto& value : frames) {
        if (value.kind != Kind::frame) continue;
        const auto& one = frames_[value.bits];
        if (one.backward) return Stage::backward;
        if (one.optimizer) return found == Stage::forward ? found : Stage::optimizer;
        if (one.forward) found = Stage::forward;
        if (one.python && found == Stage::unknown) found = Stage::setup;
    }
    return found;
}

// The innermost frame outside PyTorch, "forward (modeling_llama.py:123)".
std::string SnapshotMeaning::told(std::span<const Value> frames) const {
    const Frame* shown = nullptr;
    for (const auto& value : frames) {
        if (value.kind != Kind::frame || !frames_[value.bits].python) continue;
        const auto& one = frames_[value.bits];
        const bool is_own = !has(texts_[one.file], "/torch/");
        if (shown == nullptr || is_own) shown = &one;
        if (is_own) break;
    }
    if (shown == nullptr) return {};
    const auto file = texts_[shown->file];
    const auto name = texts_[shown->name].substr(0, kMaxName);
    return std::string(name) + " (" +
           std::string(file.substr(file.rfind('/') + 1).substr(0, kMaxName)) + ":" +
           std::to_string(shown->line) + ")";
}

SnapshotValue SnapshotMeaning::place(std::span<const Value> frames) {
    const auto stage = stage_of(frames);
    auto where = told(frames);
    const auto [found, is_new] = places_.try_emplace(
        where + static_cast<char>(stage), static_cast<std::uint32_t>(recording_.places.size()));
    if (is_new) {
        recording_.places.push_back(std::move(where));
        stages_.push_back(stage);
    }
    return {Kind::place, found->second};
}

}  // namespace plimsoll::training
