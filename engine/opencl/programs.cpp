#include "engine/opencl/programs.hpp"

namespace plimsoll::opencl {

std::string Programs::key_of(std::string_view source, const std::string& name,
                             const std::string& options, std::string_view tuning) const {
    const auto& info = device_.info();
    return ProgramCache::key_of({source, name, options, tuning, info.platform,
                                 info.platform_version, info.name, info.driver_version,
                                 info.device_version, PLIMSOLL_VERSION});
}

Result<const Kernel*> Programs::get(std::string_view source, const std::string& name,
                                    const std::string& options, std::string_view tuning) {
    const auto key = key_of(source, name, options, tuning);
    if (const auto known = kernels_.find(key); known != kernels_.end()) return known->second.get();
    const auto keep = [&](Kernel kernel) {
        return kernels_.emplace(key, std::make_unique<Kernel>(std::move(kernel)))
            .first->second.get();
    };
    if (const auto binary = cache_.load(key)) {
        auto kernel = device_.load(*binary, name);
        if (kernel) {
            ++loaded_;
            return keep(std::move(*kernel));
        }
        cache_.remove(key);  // whole, but this driver does not take it
    }
    auto kernel = device_.build(source, name, options);
    if (!kernel) return fail(kernel.error());
    ++built_;
    // A cache that cannot be written costs the next start a compilation and this one nothing.
    if (const auto binary = device_.binary_of(*kernel); binary && !binary->bytes.empty()) {
        (void)cache_.store(key, *binary);
    }
    return keep(std::move(*kernel));
}

}  // namespace plimsoll::opencl
