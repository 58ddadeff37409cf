#include "engine/drawing/picture.hpp"

#include <memory>

#include <dlfcn.h>

namespace plimsoll::drawing {
namespace {

constexpr double kPixels = 2;  // for each CSS pixel

// As cairo.h declares them, whose binary interface has not changed since 1.2 (2006); linking it
// would make every installation need it and its forty packages of headers.
struct cairo_t;
struct cairo_surface_t;
struct TextExtents {
    double x_bearing, y_bearing, width, height, x_advance, y_advance;
};
using WriteFunction = int (*)(void* closure, const unsigned char* data, unsigned length);
constexpr int kFormatRgb24 = 1;
constexpr int kSlantNormal = 0;
constexpr int kWeightNormal = 0;
constexpr int kWeightBold = 1;
constexpr int kJoinRound = 1;

class Cairo {
  public:
    // Loaded once; null where it cannot be.
    static const Cairo* get() {
        static const Cairo cairo;
        return cairo.complete_ ? &cairo : nullptr;
    }

    cairo_surface_t* (*image)(int format, int width, int height) = nullptr;
    void (*drop_surface)(cairo_surface_t*) = nullptr;
    int (*write_png)(cairo_surface_t*, WriteFunction, void*) = nullptr;
    cairo_t* (*create)(cairo_surface_t*) = nullptr;
    void (*drop)(cairo_t*) = nullptr;
    void (*scale)(cairo_t*, double, double) = nullptr;
    void (*colour)(cairo_t*, double, double, double, double) = nullptr;
    void (*paint)(cairo_t*) = nullptr;
    void (*move_to)(cairo_t*, double, double) = nullptr;
    void (*line_to)(cairo_t*, double, double) = nullptr;
    void (*rectangle)(cairo_t*, double, double, double, double) = nullptr;
    void (*stroke)(cairo_t*) = nullptr;
    void (*fill)(cairo_t*) = nullptr;
    void (*line_width)(cairo_t*, double) = nullptr;
    void (*line_join)(cairo_t*, int) = nullptr;
    void (*dash)(cairo_t*, const double*, int, double) = nullptr;
    void (*font)(cairo_t*, const char*, int slant, int weight) = nullptr;
    void (*font_size)(cairo_t*, double) = nullptr;
    void (*measure)(cairo_t*, const char*, TextExtents*) = nullptr;
    void (*text)(cairo_t*, const char*) = nullptr;

  private:
    Cairo() : library_(dlopen("libcairo.so.2", RTLD_NOW | RTLD_LOCAL)) {
        complete_ =
            library_ != nullptr && find(image, "cairo_image_surface_create") &&
            find(drop_surface, "cairo_surface_destroy") &&
            find(write_png, "cairo_surface_write_to_png_stream") && find(create, "cairo_create") &&
            find(drop, "cairo_destroy") && find(scale, "cairo_scale") &&
            find(colour, "cairo_set_source_rgba") && find(paint, "cairo_paint") &&
            find(move_to, "cairo_move_to") && find(line_to, "cairo_line_to") &&
            find(rectangle, "cairo_rectangle") && find(stroke, "cairo_stroke") &&
            find(fill, "cairo_fill") && find(line_width, "cairo_set_line_width") &&
            find(line_join, "cairo_set_line_join") && find(dash, "cairo_set_dash") &&
            find(font, "cairo_select_font_face") && find(font_size, "cairo_set_font_size") &&
            find(measure, "cairo_text_extents") && find(text, "cairo_show_text");
    }
    template <class Function>
    bool find(Function*& function, const char* name) {
        function = reinterpret_cast<Function*>(dlsym(library_, name));
        return function != nullptr;
    }

    void* library_;  // stays loaded, to keep its font cache
    bool complete_ = false;
};

class Pen {
  public:
    Pen(const Cairo& cairo, cairo_t* on) : cairo_(cairo), on_(on) {}

    void draw(const LineMark& mark) {
        path(mark.points);
        const double dashes[] = {mark.dash, mark.gap};
        cairo_.dash(on_, dashes, mark.dash > 0 ? 2 : 0, 0);
        cairo_.line_width(on_, mark.width);
        colour(mark.colour);
        cairo_.stroke(on_);
    }
    void draw(const AreaMark& mark) {
        path(mark.points);
        colour(mark.fill);
        cairo_.fill(on_);
    }
    void draw(const BoxMark& mark) {
        cairo_.rectangle(on_, mark.x, mark.y, mark.width, mark.height);
        colour(mark.fill, mark.opacity);
        cairo_.fill(on_);
        if (!mark.outlined) return;
        cairo_.rectangle(on_, mark.x, mark.y, mark.width, mark.height);
        cairo_.dash(on_, nullptr, 0, 0);
        cairo_.line_width(on_, 1);
        colour(mark.outline);
        cairo_.stroke(on_);
    }
    void draw(const TextMark& mark) {
        cairo_.font(on_, "sans-serif", kSlantNormal, mark.bold ? kWeightBold : kWeightNormal);
        cairo_.font_size(on_, mark.size);
        TextExtents extents{};
        cairo_.measure(on_, mark.text.c_str(), &extents);
        const double share = mark.anchor == Anchor::middle ? 0.5
                             : mark.anchor == Anchor::end  ? 1
                                                           : 0;
        cairo_.move_to(on_, mark.at.x - share * extents.x_advance, mark.at.y);
        colour(mark.colour);
        cairo_.text(on_, mark.text.c_str());
    }

  private:
    void path(const std::vector<Point>& points) {
        if (points.empty()) return;
        cairo_.move_to(on_, points.front().x, points.front().y);
        for (const Point& point : points) cairo_.line_to(on_, point.x, point.y);
    }
    void colour(Colour it, double opacity = 1) {
        cairo_.colour(on_, (it >> 16 & 255) / 255.0, (it >> 8 & 255) / 255.0, (it & 255) / 255.0,
                      opacity);
    }

    const Cairo& cairo_;
    cairo_t* on_;
};

int append(void* closure, const unsigned char* data, unsigned length) {
    static_cast<std::string*>(closure)->append(reinterpret_cast<const char*>(data), length);
    return 0;
}

}  // namespace

Result<std::string> png_of(const Picture& picture) {
    const Cairo* cairo = Cairo::get();
    if (cairo == nullptr)
        return fail(Errc::unavailable,
                    "PNG needs the library cairo (Debian: libcairo2), which is not installed. SVG "
                    "works without it.");
    const std::unique_ptr<cairo_surface_t, void (*)(cairo_surface_t*)> surface(
        cairo->image(kFormatRgb24, static_cast<int>(picture.width * kPixels),
                     static_cast<int>(picture.height * kPixels)),
        cairo->drop_surface);
    {
        const std::unique_ptr<cairo_t, void (*)(cairo_t*)> on(cairo->create(surface.get()),
                                                              cairo->drop);
        cairo->scale(on.get(), kPixels, kPixels);
        cairo->colour(on.get(), 1, 1, 1, 1);
        cairo->paint(on.get());
        cairo->line_join(on.get(), kJoinRound);
        Pen pen(*cairo, on.get());
        for (const auto& mark : picture.marks)
            std::visit([&](const auto& one) { pen.draw(one); }, mark);
    }
    std::string png;
    if (cairo->write_png(surface.get(), append, &png) != 0)
        return fail(Errc::internal, "The picture could not be written as PNG.");
    return png;
}

}  // namespace plimsoll::drawing
