// The output of a parallel BLAST: a compressed XML record per query.
#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <random>

#include "kernels/kernels.hpp"
#include "kernels/stdio_file.hpp"
#include "sill/base/byte_order.hpp"
#include "sill/base/error.hpp"
#include "sill/base/units.hpp"
#include "sill/comm/agree.hpp"
#include "sill/io/records/records_reader.hpp"

namespace sill::kernels {
namespace {

constexpr std::int64_t batch_spread = 64;  // by how many positions records come early or late
constexpr std::size_t length_bytes = 4;

class BlastKernel final : public Kernel {
 public:
  BlastKernel(KernelSetting setting, BlastRun run) : Kernel(std::move(setting), "blast-records"), run_(std::move(run)) {
    run_.options.replaces = true;
    run_.options.ids = run_.records;
    if (run_.records < 1 || run_.record_bytes < 1 || run_.buffer_bytes < 1) {
      throw usage_error(fmt::format("{} records of {} bytes cannot be written", run_.records, run_.record_bytes),
                        "for example --records 20000 --record-bytes 8192");
    }
    (void)product_bytes(run_.records, 2 * run_.record_bytes + 1024);
  }

  [[nodiscard]] std::string sizes() const override {
    return fmt::format("{} of {}", format_count(run_.records, "record"), format_bytes(run_.record_bytes));
  }

  [[nodiscard]] KernelNumbers numbers() const override {
    return {{"records", run_.records}, {"record_bytes", run_.record_bytes}, {"buffer", run_.buffer_bytes}};
  }

  [[nodiscard]] std::vector<std::string> paths() const override { return records_paths(path(), run_.options.files); }
  [[nodiscard]] std::vector<std::string> paths_beside() const override {
    std::vector<std::string> indexes;
    for (const std::string& each : paths()) indexes.push_back(records::index_path(each));
    return indexes;
  }

  /// Local. Returns the size of the records before compression.
  [[nodiscard]] std::int64_t file_bytes() const override { return product_bytes(run_.records, run_.record_bytes); }

  /// Collective. Writes with a RecordsWriter.
  void write(const Resources& resources, RunClock& clock) const override {
    Communicator& comm = resources.comm;
    run_on_rank(comm, 0, [&] {
      for (int node = 0; std::filesystem::remove(node_path(node)); ++node) {
      }
    });
    RecordsWriter writer(resources, path(), run_.options);
    loop(
        resources, clock,
        [&](std::int64_t id, const std::string& text) { writer.put(id, std::as_bytes(std::span(text))); },
        [&] { writer.write(); });
    clock.output([&] { writer.close(); });
  }

  /// Collective. Writes one file per node: the first rank of the node receives each record of the others, compresses it
  /// with zlib, writes it after a gap of 4 bytes, and seeks back to write its length in the gap.
  void write_as_original(const Resources& resources, Meter& meter, RunClock& clock) const override {
    Communicator& comm = resources.comm;
    run_on_rank(comm, 0, [&] {
      remove_files(paths());
      remove_files(paths_beside());
    });
    const std::span<const int> nodes = comm.node_of_ranks();
    const int node = nodes[static_cast<std::size_t>(comm.rank())];
    const int writer = static_cast<int>(std::ranges::find(nodes, node) - nodes.begin());
    std::optional<StdioFile> file;
    run_and_agree(comm, [&] {
      if (writer != comm.rank()) return;
      file.emplace(node_path(node), "wb", meter);
      file->unbuffer();
    });
    const auto put = [&](std::span<const std::byte> record) {
      const Stopwatch packing;
      uLongf size = compressBound(record.size());
      std::vector<Bytef> packed(size);
      if (compress(packed.data(), &size, reinterpret_cast<const Bytef*>(record.data()), record.size()) != Z_OK)
        throw Error({.code = ErrorCode::io, .problem = "compression with zlib failed", .action = "free memory"});
      meter.count_preparing(packing.seconds());
      file->seek(length_bytes, SEEK_CUR);
      file->write(packed.data(), size);
      std::array<std::byte, length_bytes> length{};
      store(length.data(), static_cast<std::uint32_t>(size), ByteOrder::little);
      file->seek(-static_cast<std::int64_t>(size + length_bytes), SEEK_CUR);
      file->write(length.data(), length.size());
      file->seek(static_cast<std::int64_t>(size), SEEK_CUR);
    };
    std::vector<std::string> mine;
    loop(
        resources, clock, [&](std::int64_t, const std::string& text) { mine.push_back(text); },
        [&] {
          // The writer receives the records of its node one by one, rank after rank.
          for (int rank = 0; rank < comm.size(); ++rank) {
            if (nodes[static_cast<std::size_t>(rank)] != node) continue;
            if (rank == comm.rank() && rank != writer) {
              send_to(comm, writer, std::array{std::ssize(mine)});
              for (const std::string& text : mine) {
                send_to(comm, writer, std::array{std::ssize(text)});
                send_to(comm, writer, text);
              }
            }
            if (comm.rank() != writer) continue;
            if (rank == writer) {
              for (const std::string& text : mine) put(std::as_bytes(std::span(text)));
              continue;
            }
            std::array<std::int64_t, 1> count{};
            receive_from(comm, rank, count);
            for (std::int64_t r = 0; r < count[0]; ++r) {
              std::array<std::int64_t, 1> size{};
              receive_from(comm, rank, size);
              std::vector<std::byte> text(static_cast<std::size_t>(size[0]));
              receive_from(comm, rank, text);
              put(text);
            }
          }
          mine.clear();
        });
    clock.output([&] {
      run_and_agree(comm, [&] {
        if (file) file->close();
      });
    });
  }

  void verify(const Resources& resources) const override {
    run_on_rank(resources.comm, 0, [&] {
      if (std::filesystem::exists(node_path(0))) return verify_nodes();
      std::int64_t id = 0;
      std::vector<std::byte> bytes;
      for (const std::string& path : paths()) {
        RecordsFile file(resources, path);
        const auto refuse = [&](const std::string& problem) {
          throw Error({.code = ErrorCode::input, .problem = problem, .where = {.file = path}});
        };
        if (file.incomplete()) refuse(*file.incomplete());
        for (const records::RecordPlace& each : file.records()) {
          if (const auto fault = file.read(each, bytes)) refuse(*fault);
          const std::string expected = record(id);
          const auto found = std::as_bytes(std::span(expected));
          if (each.id != id++ || !std::ranges::equal(bytes, found)) refuse(fmt::format("record {} differs", each.id));
        }
      }
      if (id != run_.records)
        throw Error({.code = ErrorCode::input,
                     .problem = fmt::format("{} of {} records are present", id, run_.records),
                     .where = {.file = paths().front()}});
    });
  }

 private:
  // Returns hits of a query, until the record is long enough; the lengths vary.
  [[nodiscard]] std::string record(std::int64_t id) const {
    std::mt19937_64 random(static_cast<std::uint64_t>(id));
    constexpr std::string_view amino_acids = "ARNDCQEGHILKMFPSTWYV";
    const auto bytes = static_cast<std::size_t>(
        run_.record_bytes / 2 + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(run_.record_bytes)));
    std::string text = fmt::format("<Iteration><Iteration_iter-num>{}</Iteration_iter-num><Iteration_hits>\n", id + 1);
    for (int hit = 1; text.size() < bytes; ++hit) {
      std::string sequence(60, 'A');
      for (char& each : sequence) each = amino_acids[random() % amino_acids.size()];
      text += fmt::format(
          "<Hit><Hit_num>{}</Hit_num><Hit_id>gi|{}|ref|NP_{}.1|</Hit_id><Hit_hsps><Hsp><Hsp_bit-score>{}</"
          "Hsp_bit-score>"
          "<Hsp_query-from>1</Hsp_query-from><Hsp_query-to>60</Hsp_query-to><Hsp_identity>60</Hsp_identity>\n"
          "<Hsp_qseq>{}</Hsp_qseq>\n<Hsp_hseq>{}</Hsp_hseq>\n<Hsp_midline>{}</Hsp_midline></Hsp></Hit_hsps></Hit>\n",
          hit, random() % 100000000, random() % 1000000, random() % 1000, sequence, sequence, sequence);
    }
    return text + "</Iteration_hits></Iteration>\n";
  }

  [[nodiscard]] std::string path() const {
    switch (run_.options.form.codec) {
      case records::Codec::zstd: return folder() + "/hits.xml.zst";
      case records::Codec::bgzf: return folder() + "/hits.xml.gz";
      case records::Codec::none: break;
    }
    return folder() + "/hits.xml";
  }

  [[nodiscard]] std::string node_path(int node) const { return fmt::format("{}/hits.node{}.xml.z", folder(), node); }

  // Calls `put` for the records of this rank in each batch, and `end` after the batch.
  void loop(const Resources& resources, RunClock& clock,
            const std::function<void(std::int64_t, const std::string&)>& put, const std::function<void()>& end) const {
    Communicator& comm = resources.comm;
    clock.begin_loop();
    const std::int64_t batch = std::max<std::int64_t>(1, run_.buffer_bytes / run_.record_bytes);
    for (std::int64_t first = 0; first < run_.records; first += batch) {
      // Within each group of `batch_spread` records the ranks finish the last record first.
      std::vector<std::pair<std::int64_t, std::string>> mine;
      for (std::int64_t place = first; place < std::min(first + batch, run_.records); ++place) {
        const std::int64_t begin = place / batch_spread * batch_spread;
        const std::int64_t id = begin + std::min(batch_spread, run_.records - begin) - 1 - (place - begin);
        if (id % comm.size() == comm.rank()) mine.emplace_back(id, record(id));
      }
      compute();
      clock.phase([&] {
        for (const auto& [id, text] : mine) put(id, text);
        end();
      });
    }
  }

  // Checks that the files of nodes contain all records, each once, in any order.
  void verify_nodes() const {
    std::vector<bool> seen(static_cast<std::size_t>(run_.records));
    std::int64_t count = 0;
    for (int node = 0; std::filesystem::exists(node_path(node)); ++node) {
      const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(node_path(node).c_str(), "rb"),
                                                                 std::fclose);
      std::array<std::byte, length_bytes> length{};
      while (file != nullptr && std::fread(length.data(), 1, length.size(), file.get()) == length.size()) {
        std::vector<Bytef> packed(load<std::uint32_t>(length.data(), ByteOrder::little));
        std::string text(static_cast<std::size_t>(4 * run_.record_bytes + 4096), '\0');
        uLongf size = text.size();
        const bool is_read =
            std::fread(packed.data(), 1, packed.size(), file.get()) == packed.size() &&
            uncompress(reinterpret_cast<Bytef*>(text.data()), &size, packed.data(), packed.size()) == Z_OK;
        text.resize(is_read ? size : 0);
        std::int64_t id = 0;
        if (std::sscanf(text.c_str(), "<Iteration><Iteration_iter-num>%ld", &id) == 1 && id >= 1 &&
            id <= run_.records && !seen[static_cast<std::size_t>(id - 1)] && text == record(id - 1)) {
          seen[static_cast<std::size_t>(id - 1)] = true;
          ++count;
          continue;
        }
        throw Error({.code = ErrorCode::input,
                     .problem = fmt::format("block {} is not a record, or was written twice", count),
                     .where = {.file = node_path(node)}});
      }
    }
    if (count == run_.records) return;
    throw Error({.code = ErrorCode::input,
                 .problem = fmt::format("{} of {} records are present", count, run_.records),
                 .where = {.file = node_path(0)}});
  }

  BlastRun run_;
};

}  // namespace

std::unique_ptr<Kernel> make_blast_kernel(KernelSetting setting, BlastRun run) {
  return std::make_unique<BlastKernel>(std::move(setting), std::move(run));
}

}  // namespace sill::kernels
