#include "sill/flow/split.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <numeric>
#include <utility>

#include "sill/base/error.hpp"
#include "sill/base/user_text.hpp"
#include "sill/comm/agree.hpp"
#include "sill/comm/exchange.hpp"
#include "sill/comm/key_sort.hpp"
#include "sill/flow/key_table.hpp"
#include "sill/flow/name_pattern.hpp"
#include "sill/flow/sort_memory.hpp"
#include "sill/flow/trace_choice.hpp"
#include "sill/flow/who_writes.hpp"
#include "sill/io/index_file.hpp"
#include "sill/io/same_file.hpp"
#include "sill/layout/decomposition.hpp"
#include "sill/store/left_part_files.hpp"

namespace sill {
namespace {

// Traces with equal keys.
struct Group {
  std::int64_t first_trace = 0;     // of the survey
  std::int64_t first_position = 0;  // in the order of the keys
  std::int64_t traces = 0;
};

template <std::size_t Words>
class Split {
 public:
  Split(const Resources& resources, const Reader& reader, const SplitOptions& options)
      : resources_(resources), comm_(resources.comm), reader_(reader), options_(options) {}

  SplitResult run() {
    SortMemory(resources_, reader_, sizeof(KeyRecord<Words>), comm_.size() > 1 || Words == 1)
        .require_for_keys(PermutationMethod::gather);
    std::vector<KeyRecord<Words>> records = keys_of_chosen();
    const std::int64_t total = all_reduce(comm_, std::ssize(records), Reduction::sum);
    require_traces(total);
    sort_distributed(comm_, records);
    const std::vector<Group> groups = groups_of(records);
    SplitResult result;
    result.traces = total;
    result.files = named(groups);
    std::vector<ChosenTrace> ordered = together(comm_, [&] {
      std::vector<ChosenTrace> traces;
      traces.reserve(records.size());
      for (const KeyRecord<Words>& record : records)
        traces.push_back({record.item, {0, reader_.shape_of(record.item).samples}});
      return traces;
    });
    records = {};
    const bool apart = writing_ranks(resources_) == comm_.size() && std::ssize(groups) >= 2 * comm_.size();
    apart || comm_.size() == 1 ? write_apart(groups, ordered, total, result) : write_together(groups, ordered, result);
    return result;
  }

 private:
  std::vector<KeyRecord<Words>> keys_of_chosen() {
    const segy::Expression* const where = options_.where ? &*options_.where : nullptr;
    const ItemRange block = block_of(reader_.traces(), comm_.size(), comm_.rank());
    resources_.begin_stage("reading keys", 0);
    if (where == nullptr)
      return together(comm_, [&] { return read_keys<Words>(reader_, block, options_.keys, resources_.threads()); });
    // Every rank's own choice: the records are dealt when they are sorted.
    return together(comm_, [&] {
      const KeyPacker<Words> packer(options_.keys);
      std::vector<std::vector<KeyRecord<Words>>> found(static_cast<std::size_t>(resources_.threads()));
      visit_where(reader_, block, where, needed_bytes(options_.keys), resources_.threads(),
                  [&](std::int64_t trace, const segy::HeaderView& header, int thread) {
                    found[static_cast<std::size_t>(thread)].push_back({packer.pack(header), trace});
                  });
      std::vector<KeyRecord<Words>> records;
      for (std::vector<KeyRecord<Words>>& of_thread : found) {
        records.insert(records.end(), of_thread.begin(), of_thread.end());
        of_thread = {};
      }
      return records;
    });
  }

  void require_traces(std::int64_t total) {
    together(comm_, [&] {
      if (total > 0) return;
      throw Error({.code = ErrorCode::usage,
                   .problem = reader_.traces() == 0 ? "there is no trace to split"
                                                    : fmt::format("none of {} traces satisfies '{}'", reader_.traces(),
                                                                  echoed(options_.where->text())),
                   .where = {.file = reader_.paths().front()},
                   .action = "no file was written"});
    });
  }

  // The groups of all ranks, in order, on every rank. A rank begins those whose first record it has.
  std::vector<Group> groups_of(std::span<const KeyRecord<Words>> records) {
    struct Last {
      KeyRecord<Words> record;
      std::int64_t count = 0;
    };
    const std::vector<Last> lasts =
        all_gather(comm_, records.empty() ? Last{} : Last{records.back(), std::ssize(records)});
    std::int64_t position = 0;
    const KeyRecord<Words>* before = nullptr;
    for (int rank = 0; rank < comm_.rank(); ++rank) {
      const Last& last = lasts[static_cast<std::size_t>(rank)];
      position += last.count;
      if (last.count > 0) before = &last.record;
    }
    std::vector<Group> begun;
    for (const KeyRecord<Words>& record : records) {
      if (before == nullptr || before->key != record.key) begun.push_back({record.item, position, 0});
      before = &record;
      ++position;
    }
    require_few(all_reduce(comm_, std::ssize(begun), Reduction::sum));
    std::vector<Group> groups = all_gather_all(comm_, std::span<const Group>(begun));
    const std::int64_t total = std::accumulate(lasts.begin(), lasts.end(), std::int64_t{0},
                                               [](auto sum, const Last& l) { return sum + l.count; });
    for (std::size_t g = 0; g < groups.size(); ++g)
      groups[g].traces = (g + 1 < groups.size() ? groups[g + 1].first_position : total) - groups[g].first_position;
    return groups;
  }

  void require_few(std::int64_t groups) {
    together(comm_, [&] {
      if (groups <= options_.most_files) return;
      throw Error({.code = ErrorCode::usage,
                   .problem = fmt::format("this would write {} files, more than {}", groups, options_.most_files),
                   .action = "choose another key, or allow them with --most-files; no file was written"});
    });
  }

  // Each group with the name of its file. Rank 0 reads the values, for the names are wanted in one place.
  std::vector<SplitFile> named(std::span<const Group> groups) {
    std::string names;
    on_rank(comm_, 0, [&] {
      const NamePattern pattern(options_.pattern, options_.keys, reader_.words());
      std::vector<std::string> sorted;
      std::vector<segy::WordValue> values(options_.keys.size());
      for (const Group& group : groups) {
        reader_.scan_headers({group.first_trace, 1}, needed_bytes(options_.keys), 1,
                             [&](const HeaderBlock& block, int) {
                               for (std::size_t k = 0; k < values.size(); ++k)
                                 values[k] = options_.keys[k].value(block.view(0));
                             });
        try {
          sorted.push_back(pattern.name(values));
        } catch (const Error& error) {
          rethrow_at(error, reader_, group.first_trace);
        }
        names += sorted.back();
        names += '\0';
      }
      require_free(sorted);
    });
    std::vector<SplitFile> files(groups.size());
    const std::vector<char> shared = all_gather_all(comm_, std::span<const char>(names));
    auto begin = shared.begin();
    for (std::size_t g = 0; g < groups.size(); ++g) {
      const auto end = std::find(begin, shared.end(), '\0');
      files[g] = {std::string(begin, end), groups[g].traces};
      begin = end + 1;
    }
    return files;
  }

  void require_free(const std::vector<std::string>& names) {
    const std::unique_ptr<Communicator> alone = make_alone();
    const Resources local = resources_of(*alone);
    std::vector<std::string> taken = with_kept_beside(reader_.paths());
    taken.insert(taken.end(), options_.kept.begin(), options_.kept.end());
    std::vector<std::pair<std::string, std::size_t>> files;  // where the names lead
    for (std::size_t i = 0; i < names.size(); ++i) {
      require_other_file(local, names[i], taken);
      std::error_code cannot_follow;
      if (std::filesystem::is_directory(names[i], cannot_follow))
        throw Error({.code = ErrorCode::usage,
                     .problem = "this output is a folder",
                     .where = {.file = names[i]},
                     .action = "change the pattern; no file was written"});
      files.emplace_back(std::filesystem::weakly_canonical(file_of_output(names[i]), cannot_follow).string(), i);
    }
    std::ranges::sort(files);
    const auto twice =
        std::ranges::adjacent_find(files, [](const auto& a, const auto& b) { return a.first == b.first; });
    if (twice == files.end()) return;
    throw Error({.code = ErrorCode::usage,
                 .problem = fmt::format("two groups of traces would be written to this file, as {} and {}",
                                        names[twice->second], names[std::next(twice)->second]),
                 .where = {.file = twice->first},
                 .action = "change the pattern; no file was written"});
  }

  // What one rank may use for itself.
  [[nodiscard]] Resources resources_of(Communicator& alone) const {
    Resources local{.comm = alone,
                    .open = resources_.open,
                    .open_together = resources_.open_together,
                    .policy = resources_.policy,
                    .memory_bytes = resources_.memory(),
                    .progress = resources_.progress,
                    .striping = nullptr};
    local.policy.threads = resources_.threads();
    return local;
  }

  // Every rank writes the files whose first trace is in its share of the order.
  void write_apart(std::span<const Group> groups, std::span<const ChosenTrace> ordered, std::int64_t total,
                   SplitResult& result) {
    const int ranks = comm_.size();
    const auto owner_of = [&](const Group& group) {
      return static_cast<int>(part_holding(group.first_position, total, ranks));
    };
    std::vector<std::int64_t> counts = all_gather(comm_, std::ssize(ordered));
    const std::int64_t first = std::accumulate(counts.begin(), counts.begin() + comm_.rank(), std::int64_t{0});
    std::vector<std::span<const ChosenTrace>> parts(static_cast<std::size_t>(ranks));
    for (const Group& group : groups) {
      const ItemRange mine = intersection({group.first_position, group.traces}, {first, std::ssize(ordered)});
      if (mine.empty()) continue;
      // Groups of one owner follow each other, so its part is one stretch.
      std::span<const ChosenTrace>& part = parts[static_cast<std::size_t>(owner_of(group))];
      const auto begin = part.empty() ? static_cast<std::size_t>(mine.first - first)
                                      : static_cast<std::size_t>(part.data() - ordered.data());
      part = ordered.subspan(begin, static_cast<std::size_t>(mine.end() - first) - begin);
    }
    const std::vector<ChosenTrace> own = all_to_all(comm_, std::span<const std::span<const ChosenTrace>>(parts));
    together(comm_, [&] {
      const std::unique_ptr<Communicator> alone = make_alone();
      const Resources local = resources_of(*alone);
      std::span<const ChosenTrace> left = own;
      for (std::size_t g = 0; g < groups.size(); ++g) {
        if (owner_of(groups[g]) != comm_.rank()) continue;
        const auto count = static_cast<std::size_t>(groups[g].traces);
        add(write_chosen(local, reader_, result.files[g].path, left.first(count), nullptr, options_.marks), result);
        left = left.subspan(count);
      }
    });
    for (std::int64_t* const sum : {&result.bytes, &result.deviating_traces})
      *sum = all_reduce(comm_, *sum, Reduction::sum);
  }

  void write_together(std::span<const Group> groups, std::span<const ChosenTrace> ordered, SplitResult& result) {
    const std::vector<std::int64_t> counts = all_gather(comm_, std::ssize(ordered));
    const std::int64_t first = std::accumulate(counts.begin(), counts.begin() + comm_.rank(), std::int64_t{0});
    for (std::size_t g = 0; g < groups.size(); ++g) {
      const ItemRange mine = intersection({groups[g].first_position, groups[g].traces}, {first, std::ssize(ordered)});
      const auto own = mine.empty() ? std::span<const ChosenTrace>()
                                    : ordered.subspan(static_cast<std::size_t>(mine.first - first),
                                                      static_cast<std::size_t>(mine.count));
      const std::vector<ChosenTrace> share = dealt(comm_, writing_ranks(resources_), own);
      add(write_chosen(resources_, reader_, result.files[g].path, share, nullptr, options_.marks), result);
    }
  }

  static void add(const WrittenTraces& written, SplitResult& result) {
    result.bytes += written.bytes;
    result.deviating_traces += written.deviating_traces;
  }

  const Resources& resources_;
  Communicator& comm_;
  const Reader& reader_;
  const SplitOptions& options_;
};

}  // namespace

SplitResult split(const Resources& resources, const Reader& reader, const SplitOptions& options) {
  together(resources.comm, [&] {
    if (options.keys.empty()) throw Error({.code = ErrorCode::usage, .problem = "no key to split by is named"});
    with_key_words(packed_bytes(options.keys), []<std::size_t Words>() {});
    (void)NamePattern(options.pattern, options.keys, reader.words());
  });
  return with_key_words(packed_bytes(options.keys),
                        [&]<std::size_t Words>() { return Split<Words>(resources, reader, options).run(); });
}

}  // namespace sill
