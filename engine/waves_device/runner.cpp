#include "engine/waves_device/runner.hpp"

#include "engine/kernels/embedded.hpp"
#include "engine/waves/scoring/compatible_score.hpp"
#include "engine/waves_device/source.hpp"

#include <algorithm>
#include <bit>

namespace plimsoll::waves {
namespace {

// Sets the arguments of a kernel, one after the other, and remembers the first error.
class Arguments {
  public:
    Arguments(const opencl::Device& device, const opencl::Kernel& kernel)
        : device_(device), kernel_(kernel) {}

    template <class Value>
    Arguments& add(const Value& value) {
        if (ok_) ok_ = device_.set_argument(kernel_, next_++, value);
        return *this;
    }
    const Result<void>& result() const { return ok_; }

  private:
    const opencl::Device& device_;
    const opencl::Kernel& kernel_;
    unsigned next_ = 0;
    Result<void> ok_;
};

std::vector<double> weights_of(const Settings& settings) {
    if (settings.mode == Mode::compatible) {
        const auto factors = CompatibleScore(settings.weights).factors();
        return {factors.begin(), factors.end()};
    }
    return {settings.weights.value.begin(), settings.weights.value.end()};
}

std::uint32_t small(std::size_t value) { return static_cast<std::uint32_t>(value); }

}  // namespace

unsigned wanted(const FamilyView& family, const Settings& settings) {
    unsigned bits = 0;
    for (std::size_t p = 0; p < family.patterns.size(); ++p)
        bits |= ((settings.shapes >> static_cast<unsigned>(family.patterns[p].shape)) & 1) << p;
    return bits;
}

Result<const opencl::Buffer*> Runner::room(Place place, std::size_t bytes) {
    const std::size_t needed = std::max<std::size_t>(bytes, 64);
    const auto held = buffers_.find(place);
    if (held != buffers_.end()) {
        if (held->second.buffer.bytes >= needed) return &held->second.buffer;
        buffers_.erase(held);  // before the larger one is allocated
    }
    TRY(auto entry, ledger_.enter(needed, "waves"));
    TRY(auto made, device_.allocate(needed));
    const auto kept = buffers_.emplace(place, Held{std::move(made), std::move(entry)}).first;
    return &kept->second.buffer;
}

std::uint64_t Runner::held_bytes() const {
    std::uint64_t bytes = 0;
    for (const auto& [place, held] : buffers_) bytes += held.entry.bytes();
    return bytes;
}

void Runner::drop_large_buffers() {
    std::erase_if(buffers_,
                  [this](const auto& it) { return it.second.buffer.bytes > flavour_.kept_bytes; });
}

Result<void> Runner::send(const opencl::Buffer& to, std::span<const std::byte> from) {
    if (!device_.copies_apart()) return device_.write(to, from);
    if (!transfers_) {
        TRY(auto made, opencl::Transfers::create(device_, opencl::Transfers::Mode::staged));
        transfers_.emplace(std::move(made));
    }
    return transfers_->upload(to, from);
}

Result<void> Runner::launch(const opencl::Kernel& kernel, std::size_t items) {
    if (transfers_) {
        TRY_DO(transfers_->arrive());
    }
    const std::size_t groups = (items + flavour_.group - 1) / flavour_.group;
    return device_.launch(kernel, groups * flavour_.group, flavour_.group);
}

template <class T>
Result<const opencl::Buffer*> Runner::put(Place place, std::span<const T> values) {
    auto buffer = room(place, values.size_bytes());
    if (!buffer || values.empty()) return buffer;
    TRY_DO(send(**buffer, std::as_bytes(values)));
    return buffer;
}

template <class T>
Result<std::vector<T>> Runner::fetch(Place place, std::size_t count) {
    std::vector<T> values(count);
    if (count == 0) return values;
    TRY_DO(device_.read(buffers_.at(place).buffer, std::as_writable_bytes(std::span(values))));
    return values;
}

Result<const opencl::Kernel*> Runner::kernel(const std::string& key, const std::string& name,
                                             const std::function<std::string()>& source) {
    const auto known = kernels_.find(key);
    if (known != kernels_.end()) return &known->second;
    TRY(auto built, device_.build(source(), name, flavour_.columns ? "-DCOLUMNS" : ""));
    return &kernels_.emplace(key, std::move(built)).first->second;
}

Result<void> Runner::load(std::span<const SearchInput> inputs) {
    prices_ = BatchPrices(inputs);
    const auto build = kernel("table", "waves_table", [] {
        return std::string(kernels::source("waves_bars")) +
               std::string(kernels::source("waves_table"));
    });
    if (!build) return fail(build.error());
    TRY(const auto table, room(Place::table, 2 * prices_.bars() * 64));
    TRY(const auto lows, put<double>(Place::lows, prices_.lows));
    TRY(const auto highs, put<double>(Place::highs, prices_.highs));
    TRY(const auto working, room(Place::working, 4 * prices_.bars() * sizeof(std::int32_t)));
    TRY(const auto series, put<std::int32_t>(Place::series, prices_.series));
    TRY_DO(Arguments(device_, **build)
               .add(*table)
               .add(small(2 * prices_.bars()))
               .add(*lows)
               .add(*highs)
               .add(*working)
               .add(*series)
               .add(small(inputs.size()))
               .result());
    return launch(**build, 2 * inputs.size());
}

Result<void> Runner::launch_search(const FamilyView& family, const LanePlan& plan,
                                   std::size_t lane_count, bool counts, const Settings& settings,
                                   const Watch& watch) {
    const std::string key = std::string(family.name) + (counts ? ", counts" : ", best");
    const auto search = kernel(key, "waves_search", [&] { return search_source(family, counts); });
    if (!search) return fail(search.error());
    const std::size_t patterns = family.patterns.size();
    TRY(const auto lanes, put<std::int32_t>(Place::lanes, plan.lanes));
    TRY(const auto items, put<std::int32_t>(Place::items, plan.items));
    TRY(const auto visits, put<std::int32_t>(Place::visits, plan.visits));
    TRY(const auto weights, put<double>(Place::weights, weights_of(settings)));
    TRY(const auto hints,
        put<std::int32_t>(Place::hints,
                          std::vector(lane_count * patterns, std::bit_cast<std::int32_t>(-1.0F))));
    TRY(const auto best, room(Place::item_best, plan.item_count() * patterns * sizeof(double)));

    for (std::size_t first = 0; first < plan.item_count();) {
        if (watch.stopped()) return fail(Errc::cancelled, "The search was stopped.");
        std::size_t last = first;
        for (double work = 0;
             last < plan.item_count() && (last == first || work < flavour_.work_per_launch); ++last)
            work += plan.item_work[last];
        Arguments arguments(device_, **search);
        arguments.add(buffers_.at(Place::table).buffer)
            .add(small(2 * prices_.bars()))
            .add(*lanes)
            .add(*items)
            .add(*visits)
            .add(small(first))
            .add(small(last - first))
            .add(small(settings.up_to > 0 ? static_cast<std::size_t>(settings.up_to) : kNever))
            .add(std::uint32_t{wanted(family, settings)})
            .add(*weights)
            .add(*hints)
            .add(*best);
        if (counts)
            for (const Place place : {Place::counters, Place::histogram, Place::floors,
                                      Place::found, Place::regions, Place::kept})
                arguments.add(buffers_.at(place).buffer);
        if (!arguments.result()) return arguments.result();
        TRY_DO(launch(**search, last - first));
        TRY_DO(device_.finish());
        first = last;
    }

    // Of the lanes.
    const auto sum =
        kernel("best", "waves_best", [] { return std::string(kernels::source("waves_best")); });
    if (!sum) return fail(sum.error());
    TRY(const auto first_items, put<std::int32_t>(Place::first_items, plan.first_items));
    TRY(const auto lane_best, room(Place::lane_best, lane_count * patterns * sizeof(double)));
    TRY_DO(Arguments(device_, **sum)
               .add(*best)
               .add(*first_items)
               .add(small(lane_count))
               .add(small(patterns))
               .add(*lane_best)
               .result());
    return launch(**sum, lane_count * patterns);
}

Result<std::vector<double>> Runner::best(const FamilyView& family, std::span<const Lane> lanes,
                                         std::span<const SearchInput> inputs,
                                         const Settings& settings, const Watch& watch) {
    const LanePlan plan(lanes, inputs, prices_, flavour_);
    TRY_DO(launch_search(family, plan, lanes.size(), false, settings, watch));
    return fetch<double>(Place::lane_best, lanes.size() * family.patterns.size());
}

Result<std::vector<LaneResult>> Runner::count(const FamilyView& family, std::span<const Lane> lanes,
                                              std::span<const SearchInput> inputs,
                                              std::span<const Keeping> keeping,
                                              const Settings& settings, const Watch& watch) {
    const std::size_t patterns = family.patterns.size();
    const std::size_t each = counters(family);
    const std::size_t bins = patterns * kScoreBins;
    std::vector<double> floors;
    std::vector<std::uint32_t> regions;
    std::size_t found = 0;
    for (const Keeping& it : keeping) {
        floors.insert(floors.end(), it.floors.begin(), it.floors.end());
        regions.insert(regions.end(), {small(found), it.capacity});
        found += it.capacity;
    }
    const std::vector<std::uint32_t> zeros(std::max(each, bins) * lanes.size());
    const auto some = [&](std::size_t count) { return std::span(zeros).first(count); };
    for (const auto& made :
         {put<std::uint32_t>(Place::counters, some(each * lanes.size())),
          put<std::uint32_t>(Place::histogram, some(bins * lanes.size())),
          put<double>(Place::floors, floors), room(Place::found, found * sizeof(DeviceCount)),
          put<std::uint32_t>(Place::regions, regions),
          put<std::uint32_t>(Place::kept, some(lanes.size()))})
        if (!made) return fail(made.error());

    const LanePlan plan(lanes, inputs, prices_, flavour_);
    TRY_DO(launch_search(family, plan, lanes.size(), true, settings, watch));
    TRY(const auto best, fetch<double>(Place::lane_best, patterns * lanes.size()));
    TRY(const auto counted, fetch<std::uint32_t>(Place::counters, each * lanes.size()));
    TRY(const auto histogram, fetch<std::uint32_t>(Place::histogram, bins * lanes.size()));
    TRY(const auto kept, fetch<std::uint32_t>(Place::kept, lanes.size()));
    TRY(const auto counts, fetch<DeviceCount>(Place::found, found));

    std::vector<LaneResult> results(lanes.size());
    const auto part = [](const auto& all, std::size_t index, std::size_t size) {
        const auto begin = all.begin() + static_cast<std::ptrdiff_t>(index * size);
        return std::vector(begin, begin + static_cast<std::ptrdiff_t>(size));
    };
    for (std::size_t l = 0; l < lanes.size(); ++l) {
        const std::uint32_t size = std::min(kept[l], keeping[l].capacity);
        const auto begin = counts.begin() + regions[2 * l];
        results[l] = {part(best, l, patterns), part(counted, l, each), part(histogram, l, bins),
                      std::vector(begin, begin + size), kept[l] <= keeping[l].capacity};
    }
    return results;
}

}  // namespace plimsoll::waves
