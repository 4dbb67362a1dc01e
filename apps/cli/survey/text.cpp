// sill text: prints the texts of a file.
#include <fmt/format.h>

#include "cli/command.hpp"
#include "cli/inputs.hpp"
#include "cli/session.hpp"
#include "sill/comm/agree.hpp"
#include "sill/formats/segy/text/text_header.hpp"
#include "sill/io/edit/journal_finding.hpp"
#include "sill/io/survey/describe.hpp"

namespace sill::cli {
namespace {

struct TextArguments {
  std::vector<std::string> files;
};

// Number of blocks that are read and printed at once.
constexpr std::int64_t blocks_per_batch = 64;

std::string lines_of(std::span<const std::byte, segy::text_header_bytes> block, segy::TextEncoding encoding) {
  std::string text;
  for (std::string& line : segy::decode_text_header(block, encoding)) {
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

// Returns a label as one line; characters that are not printable are shown as a full stop.
std::string label_text(std::span<const std::byte> label) {
  std::vector<std::byte> block(segy::text_header_bytes, std::byte{' '});
  std::copy(label.begin(), label.end(), block.begin());
  const auto lines =
      segy::decode_text_header(std::span(block).first<segy::text_header_bytes>(), segy::TextEncoding::ascii);
  return lines[0] + lines[1];
}

// For a single file, standard output receives only the lines of its texts, 40 each, as `sill edit --text` reads them,
// and standard error receives the descriptions. For several texts, headings separate them.
class Texts {
 public:
  Texts(Session& session, const std::string& path, bool is_alone)
      : session_(session),
        file_(open_described(session.resources(), path, session.rules().assume, session.rules().ignores_journals)),
        is_alone_(is_alone) {
    if (!session.rules().ignores_journals)
      require_no_journal(session.resources(), path);  // edits change text headers, too
    run_and_agree(session.comm(), [&] { session.refuse_if_strict(file_.description); });
  }

  void print() {
    const segy::FileDescription& file = file_.description;
    const std::string head = fmt::format("{}: {}", file.path, name_of(file.kind));
    if (file.kind == segy::FileKind::seismic_unix) return session_.print(head + " data, which has no text header");
    if (file.label_bytes > 0) {
      const std::string heading = fmt::format("{}, tape label", file.path);
      const std::string text = label_text(read({0, file.label_bytes}));
      if (is_alone_)
        session_.warn(fmt::format("{}: {}", heading, text));
      else
        session_.print(fmt::format("{}\n{}\n", heading, text));
    }
    blocks("text header", file.label_bytes, 1);
    blocks("extended text header", file.label_bytes + segy::file_header_bytes, file.extended_text_headers);
    blocks("data trailer", file.traces_end_byte(), file.trailers);
  }

 private:
  std::vector<std::byte> read(ByteRange range) {
    std::vector<std::byte> bytes(static_cast<std::size_t>(range.length));
    run_on_rank(session_.comm(), 0, [&] { read_at(*file_.store, range.offset, bytes); });
    return bytes;
  }

  void blocks(const char* what, std::int64_t first_byte, std::int64_t count) {
    constexpr auto block_bytes = static_cast<std::int64_t>(segy::text_header_bytes);
    for (std::int64_t first = 0; first < count; first += blocks_per_batch) {
      const std::int64_t here = std::min(blocks_per_batch, count - first);
      const std::vector<std::byte> bytes = read({first_byte + first * block_bytes, here * block_bytes});
      std::string text;
      for (std::int64_t i = 0; i < here; ++i) {
        const auto block =
            std::span(bytes).subspan(static_cast<std::size_t>(i * block_bytes)).first<segy::text_header_bytes>();
        const segy::TextEncoding encoding =
            session_.rules().assume.text_encoding.value_or(segy::detect_text_encoding(block));
        const std::string heading =
            fmt::format("{}, {}{} ({})", file_.description.path, what,
                        count > 1 ? fmt::format(" {} of {}", first + i + 1, count) : "", name_of(encoding));
        if (is_alone_)
          session_.warn(heading);
        else
          text += heading + "\n";
        text += lines_of(block, encoding) + (is_alone_ ? "" : "\n");
      }
      text.pop_back();
      session_.print(text);
    }
  }

  Session& session_;
  DescribedFile file_;
  bool is_alone_;
};

int run_text(Session& session, const TextArguments& options) {
  session.reserve_files(options.files, {});
  for (const std::string& path : options.files) Texts(session, path, options.files.size() == 1).print();
  return session.finish();
}

}  // namespace

void add_text(CLI::App& program, Commands& commands) {
  const auto [parser, command, options] =
      add_command(program, commands, "text",
                  "Show text headers, extended text headers and trailers\nPrints them in the form that `sill edit "
                  "--text` reads: 40 lines each.",
                  "  sill text line1.sgy\n"
                  "  sill text line1.sgy | grep -i datum\n"
                  "  sill text line1.sgy > t.txt; vi t.txt; sill edit line1.sgy --text t.txt\n",
                  run_text);
  add_inputs({parser, command}, "FILE", options->files, "SEG-Y files");
}

}  // namespace sill::cli
