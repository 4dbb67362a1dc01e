#include "sill/flow/run/header_scan.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "sill/base/byte_order.hpp"
#include "sill/comm/agree.hpp"
#include "sill/layout/decomposition.hpp"
#include "sill/survey/sort/key_table.hpp"

namespace sill::flow {
namespace {

enum class Fate : char { stays, leaves, leaves_after_check };

ByteRange scanned_range(const BoundFlow& flow, const Pass& pass) {
  ByteRange bytes;
  for (std::size_t k = pass.first; k < pass.scan_end; ++k) {
    const Access& access = flow.planned[k].access;
    for (const ByteRange& read : access.reads_words) bytes = joined(bytes, read);
    for (const ByteRange& written : access.writes_words) bytes = joined(bytes, written);
  }
  for (const PassKey& key : pass.keys) bytes = joined(bytes, key.key.needed_bytes());
  return bytes;
}

std::int64_t packed_bytes(const Pass& pass) {
  std::int64_t bytes = 0;
  for (const PassKey& key : pass.keys) bytes += key.key.packed_bytes();
  return bytes;
}

template <std::size_t Words>
class Scan {
 public:
  Scan(const Resources& resources, const SurveyReader& reader, const BoundFlow& flow, const Pass& pass,
       NonFinite nonfinite, Failures& failures)
      : resources_(resources),
        reader_(reader),
        flow_(flow),
        pass_(pass),
        nonfinite_(nonfinite),
        failures_(failures),
        own_(block_of(reader.traces(), resources.comm.size(), resources.comm.rank())),
        bytes_(scanned_range(flow, pass)) {
    for (std::size_t k = pass.first; k < pass.scan_end; ++k)
      edits_ = edits_ || !flow.planned[k].access.writes_words.empty();
  }

  ScanResult run() {
    Communicator& comm = resources_.comm;
    resources_.begin_stage("reading headers", own_.count * bytes_.length);
    run_and_agree(comm, [&] {
      records_.resize(static_cast<std::size_t>(own_.count));
      fates_.resize(static_cast<std::size_t>(own_.count));
      reader_.scan_headers(own_, bytes_, resources_.threads(),
                           [this](const HeaderBlock& block, int /*thread*/) { look_at(block); });
    });
    ScanResult result;
    if (failures_.first_operation(comm)) return result;
    for (std::size_t i = 0; i < fates_.size(); ++i)
      if (fates_[i] == Fate::leaves_after_check) result.leaving.push_back(records_[i].item);
    std::size_t kept = 0;
    for (std::size_t i = 0; i < fates_.size(); ++i)
      if (fates_[i] == Fate::stays) records_[kept++] = records_[i];
    records_.resize(kept);
    std::vector<Fate>().swap(fates_);
    if (!pass_.keys.empty()) sort_distributed(comm, records_);
    std::int64_t gather_key_bytes = 0;
    for (std::size_t k = 0; k < pass_.gather_keys; ++k) gather_key_bytes += pass_.keys[k].key.packed_bytes();
    result.order = order_of(comm, std::move(records_), gather_key_bytes, pass_.halo);
    return result;
  }

 private:
  void look_at(const HeaderBlock& block) {
    // The requested bytes of headers before and after an operation.
    std::vector<std::byte> before;
    std::vector<std::byte> after;
    if (edits_) {
      // Complete headers, for operations that copy them; bytes that were not requested are zero.
      const std::int64_t header_bytes = flow_.states[pass_.first].header_bytes;
      before.resize(static_cast<std::size_t>(header_bytes));
      after.resize(static_cast<std::size_t>(header_bytes));
    }
    for (std::int64_t i = 0; i < block.count; ++i) {
      const std::int64_t trace = block.first_trace + i;
      segy::HeaderView view = block.view(i);
      if (edits_) {
        std::memcpy(after.data() + bytes_.offset, view.header + bytes_.offset, static_cast<std::size_t>(bytes_.length));
        before = after;
        view.header = before.data();
      }
      std::array<std::byte, 8 * Words> keys{};
      Fate fate = Fate::stays;
      std::size_t operation = pass_.first;
      try {
        for (; operation < pass_.scan_end && fate == Fate::stays; ++operation) {
          pack_keys_of(operation, view, keys);
          if (!flow_.edit_header(operation, view, before, after, nonfinite_))
            fate = must_see_before(flow_.planned, pass_, operation, nonfinite_ == NonFinite::stop)
                       ? Fate::leaves_after_check
                       : Fate::leaves;
        }
      } catch (const Error& error) {
        failures_.add(operation, trace,
                      error_of_operation(error, operation, flow_.planned[operation].name, reader_.where(trace)));
      }
      const auto index = static_cast<std::size_t>(trace - own_.first);
      fates_[index] = fate;
      for (std::size_t w = 0; w < Words; ++w)
        records_[index].key[w] = load<std::uint64_t>(keys.data() + 8 * w, ByteOrder::big);
      records_[index].item = trace;
    }
  }

  void pack_keys_of(std::size_t operation, const segy::HeaderView& view, std::span<std::byte> keys) const {
    std::byte* to = keys.data();
    for (const PassKey& key : pass_.keys) {
      if (key.operation == operation) key.key.pack(view, to);
      to += key.key.packed_bytes();
    }
  }

  const Resources& resources_;
  const SurveyReader& reader_;
  const BoundFlow& flow_;
  const Pass& pass_;
  NonFinite nonfinite_;
  Failures& failures_;
  ItemRange own_;
  ByteRange bytes_;
  bool edits_ = false;
  std::vector<KeyRecord<Words>> records_;
  std::vector<Fate> fates_;
};

}  // namespace

std::int64_t scanned_bytes(const BoundFlow& flow, const Pass& pass) { return scanned_range(flow, pass).length; }

std::int64_t key_bytes(const Pass& pass) {
  return with_key_words(packed_bytes(pass), []<std::size_t Words>() { return std::int64_t{sizeof(KeyRecord<Words>)}; });
}

ScanResult scan_headers(const Resources& resources, const SurveyReader& reader, const BoundFlow& flow, const Pass& pass,
                        NonFinite nonfinite, Failures& failures) {
  return with_key_words(packed_bytes(pass), [&]<std::size_t Words>() {
    return Scan<Words>(resources, reader, flow, pass, nonfinite, failures).run();
  });
}

}  // namespace sill::flow
