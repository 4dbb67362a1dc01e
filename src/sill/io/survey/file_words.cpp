#include "sill/io/survey/file_words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <system_error>

#include "sill/base/error.hpp"
#include "sill/base/nearest_names.hpp"
#include "sill/comm/agree.hpp"
#include "sill/comm/exchange.hpp"
#include "sill/formats/segy/description/trace_shape.hpp"
#include "sill/formats/segy/detect/float_words.hpp"
#include "sill/formats/segy/detect/text_words.hpp"
#include "sill/formats/segy/words/layout_stanza.hpp"

namespace sill {
namespace {

constexpr std::size_t max_map_bytes = 1 << 20;
constexpr std::int64_t max_text_bytes = 4 << 20;

std::string map_text(const std::string& path) {
  const auto refuse = [&](int reason, const char* call) {
    const auto presets = segy::HeaderMap::preset_names();
    throw system_error(reason, call, {.file = path},
                       (reason == ENOENT ? did_you_mean(nearest_names(path, presets)) : "") +
                           fmt::format("name a file with a header map, or a preset: {}", fmt::join(presets, ", ")));
  };
  // Reading other kinds of files might never end, or never begin.
  std::error_code reason;
  if (std::filesystem::exists(path, reason) && !std::filesystem::is_regular_file(path, reason))
    throw Error({.code = ErrorCode::io,
                 .problem = "this is not a regular file",
                 .where = {.file = path},
                 .action = "name a file of TOML or JSON"});
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"), std::fclose);
  if (!file) refuse(errno, "opening");
  std::string content(max_map_bytes + 1, '\0');
  errno = 0;
  content.resize(std::fread(content.data(), 1, content.size(), file.get()));
  if (std::ferror(file.get()) != 0) refuse(errno, "reading");
  if (content.size() > max_map_bytes) {
    throw Error({.code = ErrorCode::usage,
                 .problem = "the file is longer than 1 MiB, which is too long for a header map",
                 .where = {.file = path},
                 .action = "name a file of TOML or JSON"});
  }
  return content;
}

std::vector<std::byte> bytes_at(Store& store, std::int64_t at, std::int64_t length) {
  std::vector<std::byte> bytes(static_cast<std::size_t>(length));
  read_at(store, at, bytes);
  return bytes;
}

// Returns the XML of the file's layout stanza, empty if it has none.
std::string stanza_of(const Resources& resources, Store& store, const segy::FileDescription& file) {
  if (file.extended_text_headers == 0) return {};
  return value_from_rank(resources.comm, 0, [&] {
    const std::int64_t begin = file.label_bytes + segy::file_header_bytes;
    const std::int64_t stated = std::int64_t{3200} * file.extended_text_headers;
    const std::int64_t length = std::min({stated, max_text_bytes, file.first_trace_byte - begin});
    return length > 0 ? segy::find_layout_stanza(bytes_at(store, begin, length)).value_or("") : std::string();
  });
}

// Returns bytes 233-240 of each header of the first trace.
std::vector<std::string> header_names_of(const Resources& resources, Store& store, const segy::FileDescription& file) {
  std::vector<std::string> names(static_cast<std::size_t>(1 + file.additional_trace_headers));
  if (file.additional_trace_headers == 0 || file.traces == 0) return names;
  std::string texts;
  run_on_rank(resources.comm, 0, [&] {
    // Reads only headers that the first trace has: other traces may have more.
    const segy::TraceShapeRule rule(file);
    const std::int64_t there = file.traces_end_byte() - file.first_trace_byte;
    if (there < rule.needed_bytes().end()) return;
    const segy::TraceShape shape =
        rule.shape_of(bytes_at(store, file.first_trace_byte, rule.needed_bytes().end()).data());
    const std::vector<std::byte> headers =
        bytes_at(store, file.first_trace_byte, std::min(there, shape.header_bytes()));
    for (std::size_t at = 0; at + segy::trace_header_bytes <= headers.size(); at += segy::trace_header_bytes) {
      texts += segy::read_word(headers.data() + at, 233, {segy::WordKind::text, 8}, file.byte_order).text() + "\n";
    }
  });
  broadcast_all(resources.comm, texts, 0);
  std::size_t from = 0;
  for (std::string& name : names) {
    const std::size_t end = std::min(texts.find('\n', from), texts.size());
    name = texts.substr(from, end - from);
    from = std::min(end + 1, texts.size());
  }
  return names;
}

std::optional<segy::LayoutStanza> parsed(const std::string& xml, const std::vector<std::string>& names,
                                         segy::FileDescription& file) {
  if (xml.empty()) return {};
  segy::LayoutStanza stanza = segy::parse_layout_stanza(xml, file.path, names);
  file.diagnostics.insert(file.diagnostics.end(), stanza.diagnostics.begin(), stanza.diagnostics.end());
  return stanza;
}

void require_same_text_words(std::span<const segy::FileDescription> files) {
  const auto same = [](const segy::TextWord& a, const segy::TextWord& b) {
    return a.name == b.name && a.byte == b.byte && a.bytes == b.bytes;
  };
  for (const segy::FileDescription& file : files)
    if (!std::ranges::equal(file.text_words, files.front().text_words, same))
      throw Error({.code = ErrorCode::input,
                   .problem = fmt::format("the text header states other positions of words than the text header of {}",
                                          files.front().path),
                   .where = {.file = file.path},
                   .clause = "SEG-Y rev 1, textual file header",
                   .action = "give a file with a header map instead of --map text, or process the files separately"});
}

}  // namespace

segy::HeaderMap open_header_map(Communicator& comm, const std::string& name) {
  const std::string small = segy::detail::lower_case(name);
  const auto presets = segy::HeaderMap::preset_names();
  if (std::ranges::find(presets, small) != presets.end()) return segy::HeaderMap::preset(name);
  const std::string text = value_from_rank(comm, 0, [&] { return map_text(name); });
  return run_and_agree(comm, [&] { return segy::HeaderMap::parse(text, name); });
}

segy::HeaderMap words_of_files(const Resources& resources, std::span<const std::unique_ptr<Store>> stores,
                               std::vector<segy::FileDescription>& files, const segy::HeaderMap* user) {
  const std::string xml = stanza_of(resources, *stores.front(), files.front());
  for (std::size_t i = 1; i < files.size(); ++i) {
    const std::string other = stanza_of(resources, *stores[i], files[i]);
    run_and_agree(resources.comm, [&] {
      if (other == xml) return;
      throw Error(
          {.code = ErrorCode::input,
           .problem = fmt::format("the files cannot be read as one survey: the layout stanza here is not that of {}",
                                  files.front().path),
           .where = {.file = files[i].path},
           .clause = "SEG-Y rev 2.1, annex D8",
           .action = "convert the files to one form first, or process them separately"});
    });
  }
  const std::vector<std::string> names = header_names_of(resources, *stores.front(), files.front());
  const bool is_old = std::ranges::all_of(files, [](const segy::FileDescription& file) { return file.revision == 0; });
  const segy::HeaderKind kind = files.front().kind != segy::FileKind::segy ? segy::HeaderKind::su
                                : is_old                                   ? segy::HeaderKind::segy_of_revision_0
                                                                           : segy::HeaderKind::segy;
  return run_and_agree(resources.comm, [&] {
    const std::optional<segy::LayoutStanza> stanza = parsed(xml, names, files.front());
    const std::vector<segy::LayerWord> of_text = segy::layer_of(files.front().text_words);
    if (user != nullptr && user->follows_text()) require_same_text_words(files);
    segy::HeaderMap words = segy::words_of(kind, names, stanza ? &*stanza : nullptr, user, of_text);
    for (segy::FileDescription& file : files) {
      segy::report_text_words(file, &words);
      segy::report_float_words(file, &words);
    }
    return words;
  });
}

std::optional<segy::LayoutStanza> layout_stanza_of(const Resources& resources, Store& store,
                                                   segy::FileDescription& file) {
  const std::string xml = stanza_of(resources, store, file);
  if (xml.empty()) return {};
  const std::vector<std::string> names = header_names_of(resources, store, file);
  return run_and_agree(resources.comm, [&] { return parsed(xml, names, file); });
}

}  // namespace sill
