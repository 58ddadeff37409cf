#pragma once

#include "engine/waves/scan/search_device.hpp"
#include "engine/waves_device/runner.hpp"

#include <memory>

namespace plimsoll::waves {

// Measured seconds per start (see Work).
struct Rates {
    double device_begin = 0;  // fixed cost of a call
    double device_counted = 0, device_scored = 0;
    double core_counted = 0, core_scored = 0;
};

// Searches random walks on the device and on this thread, compares all results, and times both:
// about 50 ms once kernels are built. `unavailable` if the results differ.
Result<Rates> try_out(SearchDevice& device, Mode mode);

// Searches on an OpenCL device. The device and its memory ledger must outlive it; one thread uses
// all three.
class OpenclSearch : public SearchDevice {
  public:
    // `unavailable` with the reason when the device cannot search: no double precision, kernels
    // that do not build, or results that differ from the processor's on a random walk. The last is
    // checked for each mode at its first use.
    static Result<std::unique_ptr<OpenclSearch>> open(opencl::Device& device,
                                                      opencl::Ledger& ledger,
                                                      const Flavour& flavour);

    std::string name() const override;
    Result<std::vector<SearchResult>> search(std::span<const SearchInput> inputs,
                                             const Settings& settings, std::size_t keep,
                                             const Watch& watch) override;
    Result<std::vector<std::array<double, kKinds>>> best_scores(std::span<const SearchInput> inputs,
                                                                const Settings& settings,
                                                                const Watch& watch) override;
    Result<Forecast> forecast(const Work& work, const Settings& settings) override;

    // Bytes of buffers kept for the next search.
    std::uint64_t held_bytes() const { return runner_.held_bytes(); }

  private:
    OpenclSearch(opencl::Device& device, opencl::Ledger& ledger, const Flavour& flavour)
        : device_(device), flavour_(flavour), runner_(device, ledger, flavour) {}

    std::size_t batch_size(std::span<const SearchInput> inputs, bool keeps_counts) const;
    Result<void> search_batch(std::span<const SearchInput> inputs, const Settings& settings,
                              std::size_t keep, const Watch& watch,
                              std::vector<SearchResult>& results);
    Result<void> best_of_batch(std::span<const SearchInput> inputs, const Settings& settings,
                               const Watch& watch, std::vector<std::array<double, kKinds>>& scores);

    opencl::Device& device_;
    const Flavour& flavour_;
    Runner runner_;
    std::map<Mode, Result<Rates>> rates_;  // by mode, measured on demand
};

}  // namespace plimsoll::waves
