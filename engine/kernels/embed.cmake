# Writes OUTPUT, a C++ file that defines plimsoll::kernels::embedded() from the files in KERNELS.
set(entries "")
foreach(kernel IN LISTS KERNELS)
  get_filename_component(name ${kernel} NAME_WE)
  file(READ ${kernel} text)
  string(APPEND entries "    {\"${name}\", R\"PLIMSOLL_CL(${text})PLIMSOLL_CL\"},\n")
endforeach()
file(WRITE ${OUTPUT} "#include \"engine/kernels/embedded.hpp\"

namespace plimsoll::kernels {

namespace {
constexpr Kernel kKernels[] = {
${entries}};
}  // namespace

std::span<const Kernel> embedded() { return kKernels; }

}  // namespace plimsoll::kernels
")
