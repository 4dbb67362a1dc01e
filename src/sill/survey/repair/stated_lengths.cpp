#include "sill/survey/repair/stated_lengths.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "sill/base/byte_order.hpp"
#include "sill/comm/agree.hpp"
#include "sill/layout/decomposition.hpp"
#include "sill/survey/output/length_check.hpp"
#include "sill/survey/repair/header_proof.hpp"
#include "sill/survey/sort/key_table.hpp"

namespace sill {
namespace {

constexpr double max_undoubted_us = 32767;

segy::FileDescription in_order(segy::FileDescription file, ByteOrder order) {
  file.byte_order = order;
  return file;
}

}  // namespace

void Contradictions::see(std::int64_t trace, std::int64_t value) {
  add({.traces = 1, .first_trace = trace, .min = value, .max = value});
}

void Contradictions::add(const Contradictions& other) {
  if (other.traces == 0) return;
  if (traces == 0) {
    *this = other;
    return;
  }
  traces += other.traces;
  first_trace = std::min(first_trace, other.first_trace);
  min = std::min(min, other.min);
  max = std::max(max, other.max);
}

std::string Contradictions::text() const {
  return min == max ? fmt::format("{}", min) : fmt::format("{} to {}", min, max);
}

void StatedLengths::Found::add(const Found& other) {
  samples.add(other.samples);
  interval.add(other.interval);
  unlike.add(other.unlike);
  doubtful.add(other.doubtful);
}

StatedLengths::StatedLengths(const SurveyReader& reader, const segy::FileForm& form, bool is_interval_certain)
    : reader_(reader),
      is_uniform_(reader.is_uniform()),
      samples_(reader.files().front().samples),
      is_interval_certain_(is_interval_certain),
      in_order_(reader.files().front().byte_order),
      out_order_(form.byte_order),
      in_rule_(reader.files().front()),
      out_rule_(in_order(reader.files().front(), form.byte_order)) {
  const double interval_us = reader.files().front().interval_us;
  if (interval_us > 0.0 && interval_us <= max_undoubted_us && interval_us == static_cast<int>(interval_us))
    interval_us_ = static_cast<int>(interval_us);
}

// Extension 1 states the right number, but not every reader uses it.
bool StatedLengths::is_overridden(std::uint16_t summarized) const {
  return summarized != 0 && summarized != samples_ && samples_ <= segy::max_short_samples;
}

void StatedLengths::see(const std::byte* headers, std::int64_t trace, Found& found) const {
  if (!is_uniform_) return;
  if (const std::int64_t stated = in_rule_.shape_of(headers).samples; stated != samples_)
    found.samples.see(trace, stated);
  else if (const auto shortly = load<std::uint16_t>(headers + segy::samples_at, in_order_); is_overridden(shortly))
    found.samples.see(trace, shortly);
  const int stated_us = load<std::uint16_t>(headers + segy::interval_at, in_order_);
  if (interval_us_ > 0 && stated_us != 0 && stated_us != interval_us_) found.interval.see(trace, stated_us);
}

void StatedLengths::set(std::byte* headers, segy::TraceShape shape) const {
  if (!is_uniform_) return;
  if (out_rule_.shape_of(headers).samples != samples_) {
    if (samples_ > segy::max_short_samples) store(headers + segy::samples_at, std::uint16_t{0}, out_order_);
    segy::set_samples_stated(headers, shape.headers, out_order_, samples_, false);
  } else if (is_overridden(load<std::uint16_t>(headers + segy::samples_at, out_order_))) {
    store(headers + segy::samples_at, static_cast<std::uint16_t>(samples_), out_order_);
  }
  if (!sets_interval()) return;
  if (load<std::uint16_t>(headers + segy::interval_at, out_order_) != 0)
    store(headers + segy::interval_at, static_cast<std::uint16_t>(interval_us_), out_order_);
}

StatedLengths::Found StatedLengths::look(const Resources& resources) const {
  Found all;
  if (!is_uniform_) return all;
  Communicator& comm = resources.comm;
  const ItemRange own = block_of(reader_.traces(), comm.size(), comm.rank());
  const ByteRange part{0, std::max<std::int64_t>(segy::trace_header_bytes, in_rule_.needed_bytes().end())};
  const HeaderProof proof = run_and_agree(comm, [&] { return HeaderProof(reader_); });
  resources.begin_stage("reading trace headers", own.count * part.length);
  const int threads = resources.threads();
  std::vector<Found> of_threads(static_cast<std::size_t>(threads));
  LengthCheck lengths(reader_);
  run_and_agree(comm, [&] {
    reader_.scan_headers(own, part, threads, [&](const HeaderBlock& block, int thread) {
      Found& found = of_threads[static_cast<std::size_t>(thread)];
      for_each_trace(reader_, block.first_trace, block.count, [&](std::int64_t i) {
        const std::int64_t trace = block.first_trace + i;
        const std::byte* const header = block.header(i);
        lengths.see({&trace, 1}, {&header, 1});
        const std::int64_t contradicting = found.samples.traces;
        see(header, trace, found);
        if (proof.is_in_place(trace, header)) return;
        const auto stated = load<std::uint16_t>(header + segy::samples_at, in_order_);
        found.unlike.see(trace, stated);
        if (found.samples.traces > contradicting) found.doubtful.see(trace, stated);
      });
    });
  });
  Found mine;
  for (const Found& found : of_threads) {
    mine.add(found);
  }
  for (const Found& of_rank : all_gather(comm, mine)) {
    all.add(of_rank);
  }
  return all;
}

}  // namespace sill
