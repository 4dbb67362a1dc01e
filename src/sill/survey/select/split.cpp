#include "sill/survey/select/split.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <deque>
#include <filesystem>
#include <map>
#include <memory>
#include <utility>

#include "sill/base/error.hpp"
#include "sill/base/user_text.hpp"
#include "sill/comm/agree.hpp"
#include "sill/comm/exchange.hpp"
#include "sill/comm/key_sort.hpp"
#include "sill/io/files/folder_syncs.hpp"
#include "sill/io/survey/index_file.hpp"
#include "sill/io/survey/same_file.hpp"
#include "sill/layout/decomposition.hpp"
#include "sill/store/part/left_part_files.hpp"
#include "sill/store/part/part_file.hpp"
#include "sill/survey/select/name_pattern.hpp"
#include "sill/survey/select/select_traces.hpp"
#include "sill/survey/sort/key_table.hpp"

namespace sill {
namespace {

// Traces with equal keys, of all ranks.
template <std::size_t Words>
struct Group {
  std::array<std::uint64_t, Words> key{};
  std::int64_t first_trace = 0;  // of the survey
  std::int64_t traces = 0;
};

NamePattern pattern_of(const SplitOptions& options, const SurveyReader& reader) {
  return {options.pattern, options.keys, options.words != nullptr ? *options.words : reader.words()};
}

template <std::size_t Words>
class Split {
 public:
  Split(const Resources& resources, const SurveyReader& reader, const SplitOptions& options)
      : resources_(resources), comm_(resources.comm), reader_(reader), options_(options) {}

  SplitResult run() {
    choose();
    std::int64_t own = 0;
    for (const auto& [key, list] : lists_) own += list.count();
    SplitResult result;
    result.traces = all_reduce(comm_, own, Reduction::sum);
    require_traces(result.traces);
    const std::vector<Group<Words>> groups = groups_of_all();
    result.files = named(groups);
    const bool apart = resources_.policy.owners_write() && std::ssize(groups) >= 2 * comm_.size();
    apart || comm_.size() == 1 ? write_apart(groups, result) : write_together(groups, result);
    return result;
  }

 private:
  using Key = std::array<std::uint64_t, Words>;

  // Reads this rank's traces, into a list for each key.
  void choose() {
    const segy::Expression* const where = options_.where ? &*options_.where : nullptr;
    const ItemRange block = block_of(reader_.traces(), comm_.size(), comm_.rank());
    const KeyPacker<Words> packer(options_.keys);
    resources_.begin_stage("reading keys", 0);
    run_and_agree(comm_, [&] {
      std::vector<std::vector<KeyRecord<Words>>> found(static_cast<std::size_t>(resources_.threads()));
      std::vector<KeyRecord<Words>> part;
      std::int64_t bytes = 0;
      visit_where_in_parts(
          reader_, block, where, needed_bytes(options_.keys), resources_.threads(),
          [&](std::int64_t trace, const segy::HeaderView& header, int thread) {
            found[static_cast<std::size_t>(thread)].push_back({packer.pack(header), trace});
          },
          [&] {
            part.clear();
            for (std::vector<KeyRecord<Words>>& of_thread : found) {
              part.insert(part.end(), of_thread.begin(), of_thread.end());
              of_thread.clear();
            }
            std::ranges::sort(part, {}, &KeyRecord<Words>::item);
            bytes += add(part);
            require_room_for_list(resources_, reader_, bytes);
          });
    });
  }

  // Adds traces to the lists; returns the additional memory used.
  std::int64_t add(std::span<const KeyRecord<Words>> part) {
    constexpr std::int64_t overhead_bytes_per_list = 64 + sizeof(Key);
    std::int64_t more = 0;
    auto list = lists_.end();
    for (const KeyRecord<Words>& record : part) {
      if (list == lists_.end() || list->first != record.key) {
        const auto [at, is_new] = lists_.try_emplace(record.key);
        list = at;
        if (is_new) more += overhead_bytes_per_list;
        if (std::ssize(lists_) > options_.max_files) refuse_files(std::ssize(lists_));
      }
      const std::int64_t before = list->second.bytes();
      list->second.add({record.item, {0, reader_.shape_of(record.item).samples}});
      more += list->second.bytes() - before;
    }
    return more;
  }

  void require_traces(std::int64_t total) {
    run_and_agree(comm_, [&] {
      if (total > 0) return;
      throw Error({.code = ErrorCode::usage,
                   .problem = reader_.traces() == 0 ? "the input has no traces"
                                                    : fmt::format("none of {} traces satisfies '{}'", reader_.traces(),
                                                                  echoed(options_.where->text())),
                   .where = {.file = reader_.paths().front()},
                   .action = "no file was written"});
    });
  }

  // Returns the groups of all ranks, in order, on every rank. A group belongs to the rank that has its first record.
  std::vector<Group<Words>> groups_of_all() {
    std::vector<KeyRecord<Words>> records = run_and_agree(comm_, [&] {
      std::vector<KeyRecord<Words>> firsts;
      for (const auto& [key, list] : lists_) firsts.push_back({key, TraceList::Cursor(list).next().trace});
      std::ranges::sort(firsts, {}, &KeyRecord<Words>::item);
      return firsts;
    });
    sort_distributed(comm_, records);
    const auto lasts = all_gather_all(
        comm_, std::span<const KeyRecord<Words>>(records).last(std::min<std::size_t>(1, records.size())));
    const KeyRecord<Words>* before = nullptr;  // on lower ranks
    for (const KeyRecord<Words>& last : lasts)
      if (!records.empty() && last < records.front()) before = &last;
    std::vector<Group<Words>> begun;
    for (const KeyRecord<Words>& record : records) {
      if (before == nullptr || before->key != record.key) begun.push_back({record.key, record.item, 0});
      before = &record;
    }
    const std::int64_t count = all_reduce(comm_, std::ssize(begun), Reduction::sum);
    run_and_agree(comm_, [&] {
      if (count > options_.max_files) refuse_files(count);
    });
    std::vector<Group<Words>> groups = all_gather_all(comm_, std::span<const Group<Words>>(begun));
    std::vector<std::int64_t> traces = run_and_agree(comm_, [&] {
      std::vector<std::int64_t> own;
      for (const Group<Words>& group : groups) own.push_back(list_of(group).count());
      return own;
    });
    comm_.all_reduce(traces, Reduction::sum);
    for (std::size_t g = 0; g < groups.size(); ++g) groups[g].traces = traces[g];
    return groups;
  }

  // Returns this rank's traces of a group.
  [[nodiscard]] const TraceList& list_of(const Group<Words>& group) const {
    static const TraceList none;
    const auto found = lists_.find(group.key);
    return found == lists_.end() ? none : found->second;
  }

  [[noreturn]] void refuse_files(std::int64_t groups) const {
    throw Error({.code = ErrorCode::usage,
                 .problem = fmt::format("this would write {} files or more, but at most {} are allowed", groups,
                                        options_.max_files),
                 .action = "choose another key, or allow them with --max-files; no file was written"});
  }

  // Returns each group with its file name. Rank 0 reads the values, because the names are needed in one place.
  std::vector<SplitFile> named(std::span<const Group<Words>> groups) {
    std::string names;
    run_on_rank(comm_, 0, [&] {
      const NamePattern pattern = pattern_of(options_, reader_);
      std::vector<std::string> sorted;
      std::vector<segy::WordValue> values(options_.keys.size());
      for (const Group<Words>& group : groups) {
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
    std::vector<std::pair<std::string, std::size_t>> files;  // the files that the names resolve to
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

  // Returns resources like those of the command, with a communicator of one rank.
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

  // Every rank writes its own files: the groups whose first trace, in the order of the keys, is in its share.
  void write_apart(std::span<const Group<Words>> groups, SplitResult& result) {
    std::vector<int> owners;
    std::int64_t position = 0;
    for (const Group<Words>& group : groups) {
      owners.push_back(static_cast<int>(part_holding(position, result.traces, comm_.size())));
      position += group.traces;
    }
    std::deque<TraceList> own = lists_of_owners(groups, owners);
    std::deque<PartFile> parts;
    run_and_agree(comm_, [&] {
      const std::unique_ptr<Communicator> alone = make_alone();
      const Resources local = resources_of(*alone);
      std::vector<std::string> targets;
      for (std::size_t g = 0; g < groups.size(); ++g)
        if (owners[g] == comm_.rank()) targets.push_back(result.files[g].path);
      parts = part_files_of(targets, striping());
      for (std::size_t i = 0; i < targets.size(); ++i)
        add(write_selected(local, reader_, targets[i], own[i], nullptr, options_.marks, &parts[i]), result);
    });
    for (std::int64_t* const sum : {&result.bytes, &result.deviating_traces})
      *sum = all_reduce(comm_, *sum, Reduction::sum);
    commit_all(parts, owners, result);
  }

  // Returns, for each group that this rank owns, the list of the traces that all ranks found.
  std::deque<TraceList> lists_of_owners(std::span<const Group<Words>> groups, std::span<const int> owners) {
    if (comm_.size() == 1) {
      std::deque<TraceList> all;
      for (const Group<Words>& group : groups) all.push_back(std::move(lists_.at(group.key)));
      lists_.clear();
      return all;
    }
    const auto messages = run_and_agree(comm_, [&] {
      std::vector<std::vector<char>> for_ranks(static_cast<std::size_t>(comm_.size()));
      for (std::size_t g = 0; g < groups.size(); ++g)
        list_of(groups[g]).append_to(for_ranks[static_cast<std::size_t>(owners[g])]);
      lists_.clear();
      return for_ranks;
    });
    const std::vector<std::span<const char>> parts(messages.begin(), messages.end());
    const std::vector<char> received = all_to_all(comm_, std::span<const std::span<const char>>(parts));
    return run_and_agree(comm_, [&] {
      std::deque<TraceList> all(static_cast<std::size_t>(std::ranges::count(owners, comm_.rank())));
      std::span<const char> left = received;
      for (int rank = 0; rank < comm_.size(); ++rank) {
        for (TraceList& list : all) {
          const TraceList of_rank = TraceList::take_from(left);
          TraceList::Cursor cursor(of_rank);
          for (std::int64_t i = 0; i < of_rank.count(); ++i) list.add(cursor.next());
        }
      }
      return all;
    });
  }

  void write_together(std::span<const Group<Words>> groups, SplitResult& result) {
    std::deque<PartFile> parts;
    run_on_rank(comm_, 0, [&] {
      std::vector<std::string> targets;
      for (const SplitFile& file : result.files) targets.push_back(file.path);
      parts = part_files_of(targets, striping());
    });
    for (std::size_t g = 0; g < groups.size(); ++g) {
      const TraceList share = distributed(comm_, list_of(groups[g]));
      add(write_selected(resources_, reader_, result.files[g].path, share, nullptr, options_.marks,
                         parts.empty() ? nullptr : &parts[g]),
          result);
    }
    commit_all(parts, std::vector<int>(groups.size(), 0), result);
  }

  [[nodiscard]] Striping striping() const { return {resources_.policy.stripe_count, resources_.policy.stripe_bytes}; }

  // Gives all files their names, after every rank has completed its files: `parts` are those of this rank.
  void commit_all(std::deque<PartFile>& parts, std::span<const int> owners, const SplitResult& result) {
    std::int64_t done = 0;
    const std::optional<Error> failed = attempt([&] {
      for (PartFile& part : parts) {
        commit(part, resources_.policy.is_durable(), resources_.meter);
        ++done;
      }
    });
    if (all_reduce(comm_, std::int64_t{failed ? 1 : 0}, Reduction::max) == 0) return;
    // A rank has named its files in order, up to the one that failed.
    std::vector<std::int64_t> named = all_gather(comm_, done);
    std::vector<std::pair<std::size_t, std::size_t>> runs;  // runs of named groups: first and last
    for (std::size_t g = 0; g < owners.size(); ++g) {
      if (named[static_cast<std::size_t>(owners[g])]-- <= 0) continue;
      if (runs.empty() || runs.back().second + 1 != g) runs.emplace_back(g, g);
      runs.back().second = g;
    }
    std::vector<std::string> ranges;
    for (const auto& [first, last] : runs)
      ranges.push_back(result.files[first].path + (first == last ? "" : " to " + result.files[last].path));
    agree(comm_, !failed ? std::nullopt : attempt([&] {
            ErrorParts parts_of_error = failed->parts();
            parts_of_error.action = ranges.empty()
                                        ? "no file was replaced"
                                        : fmt::format(
                                              "in the order of the keys, these have their new content: {}; all others "
                                              "are as they were",
                                              fmt::join(ranges, ", "));
            throw Error(parts_of_error);
          }));
  }

  static void add(const WrittenTraces& written, SplitResult& result) {
    result.bytes += written.bytes;
    result.deviating_traces += written.deviating_traces;
  }

  const Resources& resources_;
  Communicator& comm_;
  const SurveyReader& reader_;
  const SplitOptions& options_;
  std::map<Key, TraceList> lists_;
};

}  // namespace

SplitResult split(const Resources& resources, const SurveyReader& reader, const SplitOptions& options) {
  run_and_agree(resources.comm, [&] {
    if (options.keys.empty()) throw Error({.code = ErrorCode::usage, .problem = "no keys to split by are given"});
    with_key_words(packed_bytes(options.keys), []<std::size_t Words>() {});
    (void)pattern_of(options, reader);
  });
  return with_key_words(packed_bytes(options.keys),
                        [&]<std::size_t Words>() { return Split<Words>(resources, reader, options).run(); });
}

}  // namespace sill
