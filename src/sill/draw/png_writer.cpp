#include "sill/draw/png_writer.hpp"

#include <fmt/format.h>
#include <png.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <csetjmp>
#include <exception>

#include "sill/base/error.hpp"

namespace sill::draw {

// libpng reports an error by longjmp: callbacks must not throw through libpng, and no object between setjmp and longjmp
// may need its destructor.
class PngWriter::Library {
 public:
  Library(int width, int height, double dpi, const Sink& sink) : sink_(sink) {
    png_ = png_create_write_struct(PNG_LIBPNG_VER_STRING, this, on_error, on_warning);
    info_ = png_ == nullptr ? nullptr : png_create_info_struct(png_);
    if (info_ == nullptr) {
      png_destroy_write_struct(&png_, nullptr);
      fail();
    }
    check(begin(width, height, dpi));
  }
  ~Library() { png_destroy_write_struct(&png_, &info_); }
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;

  void write_row(const std::uint8_t* row) { check(row_is_written(row)); }
  void finish() { check(end()); }

 private:
  bool begin(int width, int height, double dpi) {
    if (setjmp(png_jmpbuf(png_)) != 0) return false;  // NOLINT(cert-err52-cpp): how libpng reports errors
    png_set_write_fn(png_, this, on_bytes, nullptr);
    png_set_IHDR(png_, info_, static_cast<png_uint_32>(width), static_cast<png_uint_32>(height), 8, PNG_COLOR_TYPE_RGB,
                 PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    constexpr double inches_per_metre = 1000.0 / 25.4;
    const auto per_metre = static_cast<png_uint_32>(std::lround(dpi * inches_per_metre));
    png_set_pHYs(png_, info_, per_metre, per_metre, PNG_RESOLUTION_METER);
    png_set_sRGB(png_, info_, PNG_sRGB_INTENT_PERCEPTUAL);
    png_write_info(png_, info_);
    return true;
  }
  bool row_is_written(const std::uint8_t* row) {
    if (setjmp(png_jmpbuf(png_)) != 0) return false;  // NOLINT(cert-err52-cpp)
    png_write_row(png_, row);
    return true;
  }
  bool end() {
    if (setjmp(png_jmpbuf(png_)) != 0) return false;  // NOLINT(cert-err52-cpp)
    png_write_end(png_, info_);
    return true;
  }

  void check(bool is_done) {
    if (thrown_) std::rethrow_exception(thrown_);
    if (!is_done) fail();
  }
  [[noreturn]] void fail() const {
    throw Error({.code = ErrorCode::io, .problem = fmt::format("libpng cannot make the picture: {}", message_.data())});
  }

  static void on_bytes(png_structp png, png_bytep bytes, std::size_t count) {
    auto& self = *static_cast<Library*>(png_get_io_ptr(png));
    if (self.thrown_) return;
    try {
      self.sink_({reinterpret_cast<const char*>(bytes), count});
    } catch (...) {
      self.thrown_ = std::current_exception();
    }
  }
  static void on_error(png_structp png, const char* message) {
    auto& self = *static_cast<Library*>(png_get_error_ptr(png));
    const std::string_view text = std::string_view(message).substr(0, self.message_.size() - 1);
    std::ranges::copy(text, self.message_.begin());
    png_longjmp(png, 1);
  }
  static void on_warning(png_structp /*png*/, const char* /*message*/) {}

  const Sink& sink_;
  png_structp png_ = nullptr;
  png_infop info_ = nullptr;
  std::exception_ptr thrown_;
  std::array<char, 128> message_{"no memory"};
};

PngWriter::PngWriter(int width, int height, double dpi, const Sink& sink)
    : library_(std::make_unique<Library>(width, height, dpi, sink)) {}
PngWriter::~PngWriter() = default;
void PngWriter::write_row(const std::uint8_t* row) { library_->write_row(row); }
void PngWriter::finish() { library_->finish(); }

}  // namespace sill::draw
