// Writing of records of any size, passed by ranks in any order, to one or more compressed files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sill/formats/records/record_codec.hpp"
#include "sill/formats/records/record_index.hpp"
#include "sill/io/session/resources.hpp"
#include "sill/io/simulation/growing_files.hpp"
#include "sill/io/simulation/output_lock.hpp"

namespace sill {

/// Options of records, the same on all ranks.
struct RecordsOptions {
  records::FrameForm form = {};
  std::int64_t files = 1;  ///< number of files, each for a range of ids; more than one needs `ids`
  std::int64_t ids = 0;    ///< number of ids, which start at 0; 0: not known
  bool replaces = false;   ///< replaces existing files; otherwise they are an error
};

/// Local. Returns the names of the files of records: `path`, or for several files NAME.0.END, NAME.1.END, ...
[[nodiscard]] std::vector<std::string> records_paths(const std::string& path, std::int64_t files);

/// Writes records in the order of their ids. The files depend only on ids, records and form, not on the ranks, the
/// policy or the order of arrival. A record waits in the memory of the rank that passed it until all records before it
/// have arrived and its frame is full. All ranks compress frames, each with its threads, in rounds of bounded memory.
/// With Policy::async frames are written while the next ones are compressed. Each file grows under its name, with its
/// index next to it: after a killed run both can be read up to their ends.
class RecordsWriter {
 public:
  /// Collective. Opens the files. `resources` outlive it. Errors: usage for invalid options, and if a file already
  /// exists; io, also if another run is writing `path`.
  RecordsWriter(const Resources& resources, std::string path, const RecordsOptions& options);
  ~RecordsWriter();
  RecordsWriter(const RecordsWriter&) = delete;
  RecordsWriter& operator=(const RecordsWriter&) = delete;

  /// Local. Stores a record, which `write` or `close` writes. Errors: usage if the id is below 0, not below `ids`, or
  /// already passed by this rank.
  void put(std::int64_t id, std::span<const std::byte> record);

  /// Collective. Writes the full frames of all records that have arrived, with all records before them, without a gap
  /// starting at 0. Errors: usage if two ranks passed the same id, or if the id is already written; io, also of earlier
  /// calls. After an error, further calls throw it again.
  void write();

  /// Collective. Writes all remaining records, with or without gaps, and completes the files. Must be called once.
  /// Errors: as `write`.
  void close();

 private:
  // A record whose id and size all ranks know.
  struct Known {
    records::RecordPlace place;
    std::int64_t rank = 0;
  };
  // A file and its index.
  struct File {
    std::int64_t first_id = 0;
    std::int64_t next_id = 0;               ///< all records with lower ids are placed
    std::int64_t end_id = 0;                ///< end of the file's range of ids
    std::map<std::int64_t, Known> waiting;  ///< records that wait for earlier ids
    std::deque<Known> placed;               ///< records with bytes still to be written
    std::int64_t raw_end = 0;               ///< end of the placed records
    std::int64_t raw_written = 0;           ///< bytes written in frames
    std::int64_t file_end = 0;
    std::int64_t index_end = 0;
    std::vector<records::FrameSize> frames;  ///< sizes of the frames, on rank 0
  };

  [[nodiscard]] std::size_t file_of(std::int64_t id) const;
  // Collective. Exchanges the ids and sizes of new records between all ranks.
  void announce();
  void write_frames(std::size_t number, bool all);
  // Collective. Writes frames [first, end) of the placed records.
  void write_round(std::size_t number, std::int64_t first, std::int64_t end);
  // Collective. Fills `raw_` with the bytes of those frames of [first, end) that belong to this rank.
  void collect(const File& file, std::int64_t first, std::int64_t end);
  // Collective. Appends the bytes of all ranks in rank order to a file, and on rank 0 lines to the index.
  void append(std::size_t number, std::vector<std::byte> mine, std::int64_t before, std::int64_t all,
              std::string lines);
  template <class Work>
  void perform(Work&& work);

  const Resources& resources_;
  std::string path_;
  RecordsOptions options_;
  std::map<std::int64_t, std::vector<std::byte>> records_;  // passed by this rank
  std::vector<std::int64_t> unannounced_;
  std::vector<File> files_;
  std::vector<std::byte> raw_;                 // decompressed bytes of the frames of a round
  std::vector<records::FramePacker> packers_;  // one for each thread
  std::optional<Error> failure_;
  std::int64_t calls_ = 0;
  std::optional<OutputLock> lock_;
  std::optional<GrowingFiles> output_;
};

}  // namespace sill
