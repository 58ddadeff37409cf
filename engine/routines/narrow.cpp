#include "engine/routines/narrow.hpp"

namespace plimsoll::routines {

std::size_t bytes_of_number(Form form) {
    switch (form) {
        case Form::fp32: return 4;
        case Form::bf16: return 2;
        case Form::int8: return 1;
    }
    return 0;
}

std::size_t bytes_of_scale(Form form) { return form == Form::int8 ? sizeof(float) : 0; }

Result<void> narrow(opencl::Programs& programs, Method method, const opencl::Buffer& in,
                    const NarrowRows& out, Shape shape) {
    if (form_of(method) == Form::fp32) {
        return fail(Errc::invalid_input, "This method does not support narrow rows.",
                    std::string(to_string(method)));
    }
    const auto flavour = flavour_of(method);
    const auto kernel =
        flavour == Flavour::group
            ? programs.get("narrow", row_options(flavour),
                           [] { return row_source({"narrow_row", "narrow"}); })
            : programs.get("narrow", row_options(flavour) + dot_options(method),
                           [] { return row_source({"dot", "rotate", "narrow_row", "narrow"}); });
    if (!kernel) return fail(kernel.error());
    const bool scaled = form_of(method) == Form::int8;
    return opencl::invoke(programs.device(), **kernel, row_range(flavour, shape.rows), in,
                          out.numbers, scaled ? out.scales : out.numbers, shape.rows,
                          shape.columns);
}

}  // namespace plimsoll::routines
