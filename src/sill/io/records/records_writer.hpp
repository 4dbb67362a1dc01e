// Records of any size that ranks bring in any order, in one file or several, compressed.
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

/// How records are written, the same on all ranks.
struct RecordsOptions {
  records::FrameForm form = {};
  std::int64_t files = 1;  ///< each of a range of ids; more than one needs `ids`
  std::int64_t ids = 0;    ///< how many there will be, from 0 on; 0: not said
  bool replaces = false;   ///< files of the names; without, they are an error
};

/// Local. Returns the names of the files of records: `path`, or of several NAME.0.END, NAME.1.END, ...
[[nodiscard]] std::vector<std::string> records_paths(const std::string& path, std::int64_t files);

/// Writes records in the order of their ids: the files are a function of ids, records and form, whatever the ranks, the
/// policy and the order in which records come. A record waits in the memory of the rank that brought it until those
/// before it have come and its frame is full. Frames are packed by all ranks, each by its threads, in rounds of bounded
/// memory, and with Policy::async written while the next ones are packed. Each file grows under its name, and its index
/// beside it: what a killed run leaves can be read up to where it ends.
class RecordsWriter {
 public:
  /// Collective. `resources` outlive it. Errors: usage for invalid options, and if a file exists already; io, also if
  /// another run writes `path`.
  RecordsWriter(const Resources& resources, std::string path, const RecordsOptions& options);
  ~RecordsWriter();
  RecordsWriter(const RecordsWriter&) = delete;
  RecordsWriter& operator=(const RecordsWriter&) = delete;

  /// Local. Takes a record, which `write` and `close` write. Errors: usage for an id below 0, or not below `ids`, or
  /// that this rank brought already.
  void put(std::int64_t id, std::span<const std::byte> record);

  /// Collective. Writes the full frames of all records that have come with all those before them: from 0 on without a
  /// gap. Errors: usage if two ranks brought the same id, or one that was written; io, of earlier calls too. After an
  /// error further calls throw it again.
  void write();

  /// Collective. Writes all records that are left, gaps or not, and ends the files. Called once. Errors: as `write`.
  void close();

 private:
  // A record that all ranks know of.
  struct Known {
    records::RecordPlace place;
    std::int64_t rank = 0;
  };
  // A file and its index.
  struct File {
    std::int64_t first_id = 0;
    std::int64_t next_id = 0;               ///< all before it are placed
    std::int64_t end_id = 0;                ///< of its range
    std::map<std::int64_t, Known> waiting;  ///< for those before them
    std::deque<Known> placed;               ///< of which bytes are still to be written
    std::int64_t raw_end = 0;               ///< of what is placed
    std::int64_t raw_written = 0;           ///< in frames
    std::int64_t file_end = 0;
    std::int64_t index_end = 0;
    std::vector<records::FrameSize> frames;  ///< on rank 0
  };

  [[nodiscard]] std::size_t file_of(std::int64_t id) const;
  // Collective. Lets all ranks know of what has come.
  void announce();
  void write_frames(std::size_t number, bool all);
  // Collective. Writes frames [first, end) of what is placed.
  void write_round(std::size_t number, std::int64_t first, std::int64_t end);
  // Collective. Fills `raw_` with the bytes of this rank's frames of [first, end).
  void collect(const File& file, std::int64_t first, std::int64_t end);
  // Collective. Writes bytes behind each other on the ranks, and on rank 0 lines behind the index.
  void append(std::size_t number, std::vector<std::byte> mine, std::int64_t before, std::int64_t all,
              std::string lines);
  template <class Work>
  void perform(Work&& work);

  const Resources& resources_;
  std::string path_;
  RecordsOptions options_;
  std::map<std::int64_t, std::vector<std::byte>> records_;  // that this rank brought
  std::vector<std::int64_t> unannounced_;
  std::vector<File> files_;
  std::vector<std::byte> raw_;                 // of the frames of a round
  std::vector<records::FramePacker> packers_;  // of each thread
  std::optional<Error> failure_;
  std::int64_t calls_ = 0;
  std::optional<OutputLock> lock_;
  std::optional<GrowingFiles> output_;
};

}  // namespace sill
