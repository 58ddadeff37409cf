#include "engine/model_files/tensor.hpp"

#include <bit>
#include <cmath>
#include <cstring>

namespace plimsoll::model_files {
namespace {

template <class T>
T number_at(const std::byte* from) {
    T value{};
    std::memcpy(&value, from, sizeof value);
    return value;
}

float from_half(std::uint16_t bits) {
    const std::uint32_t sign = static_cast<std::uint32_t>(bits & 0x8000U) << 16U;
    const std::uint32_t exponent = (bits >> 10U) & 0x1fU;
    const std::uint32_t fraction = bits & 0x3ffU;
    if (exponent == 0) {
        const float value = std::ldexp(static_cast<float>(fraction), -24);
        return sign != 0 ? -value : value;
    }
    const std::uint32_t widened = exponent == 31 ? 255U : exponent + 112U;
    return std::bit_cast<float>(sign | (widened << 23U) | (fraction << 13U));
}

template <class Convert>
bool convert_all(const Tensor& tensor, std::span<float> to, Convert convert) {
    const std::size_t wide = bytes_of(tensor.type);
    // An infinity or NaN has all bits of the exponent set; sums of these are quicker than branches.
    bool finite = true;
    for (std::size_t i = 0; i < to.size(); ++i) {
        to[i] = convert(tensor.bytes.data() + i * wide);
        finite &= (std::bit_cast<std::uint32_t>(to[i]) & 0x7f800000U) != 0x7f800000U;
    }
    return finite;
}

bool convert_tensor(const Tensor& tensor, std::span<float> to) {
    switch (tensor.type) {
        case NumberType::float64:
            return convert_all(tensor, to, [](const std::byte* at) {
                return static_cast<float>(number_at<double>(at));
            });
        case NumberType::float32: return convert_all(tensor, to, number_at<float>);
        case NumberType::float16:
            return convert_all(tensor, to, [](const std::byte* at) {
                return from_half(number_at<std::uint16_t>(at));
            });
        case NumberType::bfloat16:
            return convert_all(tensor, to, [](const std::byte* at) {
                return std::bit_cast<float>(static_cast<std::uint32_t>(number_at<std::uint16_t>(at))
                                            << 16U);
            });
        case NumberType::other: break;
    }
    return false;
}

}  // namespace

std::size_t bytes_of(NumberType type) {
    switch (type) {
        case NumberType::float64: return 8;
        case NumberType::float32: return 4;
        case NumberType::float16:
        case NumberType::bfloat16: return 2;
        case NumberType::other: break;
    }
    return 0;
}

std::uint64_t Tensor::count() const {
    std::uint64_t numbers = 1;
    for (const auto size : shape) numbers *= size;
    return numbers;
}

Result<void> to_floats(std::string_view name, const Tensor& tensor, std::span<float> to) {
    const std::string quoted = "The tensor \"" + std::string(name) + "\" ";
    if (tensor.type == NumberType::other)
        return fail(Errc::corrupt, quoted + "does not have a floating-point type.");
    if (tensor.count() != to.size() || tensor.bytes.size() != to.size() * bytes_of(tensor.type))
        return fail(Errc::internal, quoted + "was read with a different size.");
    if (!convert_tensor(tensor, to))
        return fail(Errc::corrupt, quoted + "contains a NaN or an infinity.");
    return {};
}

Result<std::uint64_t> numbers_of(std::span<const std::uint64_t> shape) {
    constexpr std::uint64_t kMax = std::uint64_t{1} << 62U;
    std::uint64_t numbers = 1;
    for (const auto size : shape) {
        if (size != 0 && numbers > kMax / size)
            return fail(Errc::corrupt, "The shape " + to_string(shape) + " is too large.");
        numbers *= size;
    }
    return numbers;
}

std::string to_string(std::span<const std::uint64_t> shape) {
    std::string text;
    for (const auto size : shape) text += (text.empty() ? "" : " x ") + std::to_string(size);
    return text.empty() ? "1" : text;
}

}  // namespace plimsoll::model_files
