#include "engine/opencl/runtime/programs.hpp"

namespace plimsoll::opencl {

std::string Programs::key_of(const std::string& name, const std::string& options,
                             std::string_view source) const {
    const auto& info = device_.info();
    return ProgramCache::key_of({source, name, options, info.platform, info.platform_version,
                                 info.name, info.driver_version, info.device_version,
                                 PLIMSOLL_VERSION});
}

Result<Kernel> Programs::make(const std::string& name, const std::string& options,
                              const std::string& source) {
    const auto key = key_of(name, options, source);
    if (const auto binary = cache_.load(key)) {
        auto kernel = device_.load(*binary, name);
        if (kernel) {
            ++loaded_;
            return kernel;
        }
        cache_.remove(key);  // undamaged, but rejected by this driver
    }
    auto kernel = device_.build(source, name, options);
    if (!kernel) return kernel;
    ++built_;
    // An unwritable cache costs the next start a compilation, but this one nothing.
    if (const auto binary = device_.binary_of(*kernel); binary && !binary->bytes.empty()) {
        (void)cache_.store(key, *binary);
    }
    return kernel;
}

Result<const Kernel*> Programs::get(const std::string& name, const std::string& options,
                                    const std::function<std::string()>& source) {
    auto known = kernels_.find({name, options});
    if (known == kernels_.end()) {
        auto kernel = make(name, options, source());
        if (!kernel) return fail(kernel.error());
        known =
            kernels_.emplace(std::pair(name, options), std::make_unique<Kernel>(std::move(*kernel)))
                .first;
    }
    return known->second.get();
}

}  // namespace plimsoll::opencl
