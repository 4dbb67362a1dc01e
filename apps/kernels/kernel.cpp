#include "kernels/kernel.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <filesystem>
#include <stdexcept>
#include <system_error>

#include "sill/base/error.hpp"
#include "sill/store/posix/posix_store.hpp"

namespace sill::kernels {
namespace {

[[noreturn]] void refuse_bytes() {
  throw usage_error("the files of the run would exceed 2^63 - 1 bytes", "choose smaller sizes");
}

constexpr std::size_t block_bytes = std::size_t{1} << 20;  // of a comparison

// Returns bytes for a message: text unchanged, others as numbers.
std::string shown(std::span<const std::byte> bytes) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  const bool is_text = std::ranges::all_of(text, [](char c) { return c == '\n' || (c >= ' ' && c <= '~'); });
  if (is_text) return fmt::format("{:?}", text);
  std::string numbers;
  for (const std::byte byte : bytes)
    numbers += fmt::format("{}{:02x}", numbers.empty() ? "" : " ", static_cast<int>(byte));
  return numbers;
}

}  // namespace

KernelCosts RunClock::finish(Communicator& comm) {
  costs.loop_s = whole_.seconds() - costs.setup_s - added_s;
  costs.own_output_s = costs.output_s;
  for (double* const seconds : {&costs.setup_s, &costs.loop_s, &costs.output_s}) {
    *seconds = 1e-9 * static_cast<double>(all_reduce(comm, std::llround(*seconds * 1e9), Reduction::max));
  }
  return costs;
}

KernelCosts Kernel::run(const Resources& resources) const {
  RunClock clock;
  write(resources, clock);
  return clock.finish(resources.comm);
}

KernelCosts Kernel::run_original(const Resources& resources, Meter& meter) const {
  RunClock clock;
  write_as_original(resources, meter, clock);
  return clock.finish(resources.comm);
}

void Kernel::compute() const {
  const Stopwatch watch;
  while (watch.seconds() * 1000 < setting_.compute_ms) {
  }
}

double varied_value(std::int64_t row, std::int64_t column, std::int64_t step) {
  // The finalizer of splitmix64.
  std::uint64_t bits = static_cast<std::uint64_t>(row * 1'000'003 + column) * 0x9E3779B97F4A7C15U +
                       static_cast<std::uint64_t>(step) * 0xBF58476D1CE4E5B9U;
  bits = (bits ^ (bits >> 29U)) * 0x94D049BB133111EBU;
  bits ^= bits >> 32U;
  const double fraction = static_cast<double>(static_cast<std::int64_t>(bits >> 11U) - (std::int64_t{1} << 52U));
  const std::uint64_t exponent = 1023 - 92 + (bits & 63U);  // 2^-92 to 2^-29
  return fraction * std::bit_cast<double>(exponent << 52U);
}

void remove_files(const std::vector<std::string>& paths) {
  for (const std::string& path : paths) {
    std::error_code failure;
    std::filesystem::remove(path, failure);
    if (failure) throw system_error(failure.value(), "removing", {.file = path});
  }
}

ExpectedContent::ExpectedContent(std::string path, std::int64_t size_bytes)
    : path_(std::move(path)), store_(open_posix(path_, OpenMode::read)) {
  if (store_->size_bytes() == size_bytes) return;
  throw Error({.code = ErrorCode::input,
               .problem = fmt::format("the file has {} bytes instead of {}", store_->size_bytes(), size_bytes),
               .where = {.file = path_}});
}

void ExpectedContent::add(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const std::span<const std::byte> next = bytes.first(std::min(bytes.size(), block_bytes - wanted_.size()));
    wanted_.insert(wanted_.end(), next.begin(), next.end());
    bytes = bytes.subspan(next.size());
    if (wanted_.size() == block_bytes) compare();
  }
}

void ExpectedContent::pad_to(std::int64_t end) {
  for (std::int64_t at = compared_ + std::ssize(wanted_); at < end; ++at) add_value(std::byte{0});
}

void ExpectedContent::skip_to(std::int64_t end) {
  compare();
  if (end < compared_) throw std::logic_error(fmt::format("bytes from {} are compared again", end));
  compared_ = end;
}

void ExpectedContent::compare() {
  found_.resize(wanted_.size());
  read_at(*store_, compared_, found_);
  const auto [at, other] = std::ranges::mismatch(found_, wanted_);
  if (at != found_.end()) {
    const auto place = static_cast<std::size_t>(at - found_.begin());
    const std::size_t few = std::min<std::size_t>(16, found_.size() - place);
    throw Error({.code = ErrorCode::input,
                 .problem = fmt::format("the file does not contain the computed values: {} instead of {}",
                                        shown(std::span(found_).subspan(place, few)),
                                        shown(std::span(wanted_).subspan(place, few))),
                 .where = {.file = path_, .byte = compared_ + static_cast<std::int64_t>(place)}});
  }
  compared_ += std::ssize(wanted_);
  wanted_.clear();
}

void require_content(const std::string& path, std::int64_t size_bytes,
                     const std::function<void(ExpectedContent&)>& add_all) {
  ExpectedContent expected(path, size_bytes);
  add_all(expected);
  expected.compare();
  if (expected.compared_ == size_bytes) return;
  throw std::logic_error(fmt::format("{} of {} expected bytes were computed", expected.compared_, size_bytes));
}

void require_content(const std::string& path, std::string_view text) {
  require_content(path, std::ssize(text), [&](ExpectedContent& expected) { expected.add(text); });
}

std::int64_t sum_bytes(std::int64_t a, std::int64_t b) {
  std::int64_t bytes = 0;
  if (__builtin_add_overflow(a, b, &bytes)) refuse_bytes();
  return bytes;
}

std::int64_t product_bytes(std::int64_t a, std::int64_t b) {
  std::int64_t bytes = 0;
  if (__builtin_mul_overflow(a, b, &bytes)) refuse_bytes();
  return bytes;
}

}  // namespace sill::kernels
