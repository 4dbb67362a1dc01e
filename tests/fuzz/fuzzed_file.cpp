#include "fuzz/fuzzed_file.hpp"

#include <array>
#include <cstring>
#include <string_view>
#include <utility>

#include "sill/base/byte_order.hpp"
#include "sill/formats/segy/synthetic/synthetic_survey.hpp"
#include "sill/formats/segy/words/words.hpp"

namespace sill::fuzz {
namespace {

using FileBytes = std::vector<std::byte>;
using Place = FileBytes::difference_type;

constexpr std::size_t max_file_bytes = 256 << 10;
constexpr int max_steps = 64;

constexpr std::array formats = {segy::SampleFormat::ibm_float, segy::SampleFormat::ieee_float,
                                segy::SampleFormat::int16,     segy::SampleFormat::int8,
                                segy::SampleFormat::int32,     segy::SampleFormat::ieee_double,
                                segy::SampleFormat::int24,     segy::SampleFormat::uint16,
                                segy::SampleFormat::int64,     segy::SampleFormat::uint8};
constexpr std::array orders = {ByteOrder::big, ByteOrder::little, ByteOrder::pairwise};
constexpr std::array revisions = {segy::Revision::rev1, segy::Revision::rev0, segy::Revision::rev2_1,
                                  segy::Revision::rev2_0};

// Numbers at which readers decide, or go wrong.
constexpr std::array<std::int64_t, 34> telling_numbers = {0,
                                                          1,
                                                          -1,
                                                          2,
                                                          3,
                                                          4,
                                                          5,
                                                          6,
                                                          8,
                                                          10,
                                                          -10,
                                                          100,
                                                          -100,
                                                          128,
                                                          240,
                                                          255,
                                                          256,
                                                          512,
                                                          1000,
                                                          3200,
                                                          3600,
                                                          10'000,
                                                          -10'000,
                                                          32'767,
                                                          -32'768,
                                                          65'535,
                                                          65'536,
                                                          16'909'060,
                                                          2'147'483'647,
                                                          -2'147'483'648LL,
                                                          4'294'967'295LL,
                                                          0x0100,
                                                          0x0200,
                                                          0x7fff'ffff'ffff'ffff};

constexpr std::string_view layout =
    "((SEG:Layout ver 1.0))<segy-layout><entry name=\"sx\" byte=\"73\" type=\"coor4\"/>"
    "<extension name=\"MINE0001\"><entry name=\"quality\" byte=\"1\" type=\"ieee32\"/></extension></segy-layout>";
constexpr std::string_view end_of_texts = "((SEG: EndText))";

// The low bytes of a number as a word; words of odd widths byte by byte.
void put_bits(std::byte* at, int bytes, std::uint64_t bits, ByteOrder order) {
  switch (bytes) {
    case 2: store<std::uint16_t>(at, static_cast<std::uint16_t>(bits), order); return;
    case 4: store<std::uint32_t>(at, static_cast<std::uint32_t>(bits), order); return;
    case 8: store<std::uint64_t>(at, bits, order); return;
    default:
      for (int i = 0; i < bytes; ++i) at[i] = static_cast<std::byte>(bits >> (8 * i));
  }
}

// A file in parts, as long as its parts are known.
struct Form {
  ByteOrder order = ByteOrder::big;
  FileBytes label;
  FileBytes head;  // none of Seismic Unix
  FileBytes texts;
  std::vector<FileBytes> traces;
  FileBytes trailers;

  void put_binary(int byte, int bytes, std::int64_t value) {
    put_bits(head.data() + byte - 1, bytes, static_cast<std::uint64_t>(value), order);
  }

  [[nodiscard]] FileBytes joined() const {
    FileBytes all = label;
    for (const FileBytes* part : {&head, &texts}) all.insert(all.end(), part->begin(), part->end());
    for (const FileBytes& trace : traces) all.insert(all.end(), trace.begin(), trace.end());
    all.insert(all.end(), trailers.begin(), trailers.end());
    return all;
  }
};

FileBytes block_of_text(std::string_view text) {
  FileBytes block(3200, std::byte{' '});
  std::memcpy(block.data(), text.data(), text.size());
  return block;
}

void add_headers(Form& form, std::int64_t samples) {
  form.put_binary(3507, 2, 1);
  for (FileBytes& trace : form.traces) {
    FileBytes extension(segy::trace_header_bytes);
    put_bits(extension.data() + 136, 4, static_cast<std::uint64_t>(samples), form.order);
    put_bits(extension.data() + 156, 2, 1, form.order);
    std::memcpy(extension.data() + 232, "SEG00001", 8);
    trace.insert(trace.begin() + segy::trace_header_bytes, extension.begin(), extension.end());
  }
}

// Trace i has so many samples that lengths go up and down; its header states so.
void vary(Form& form, std::int64_t samples, std::size_t sample_bytes) {
  form.put_binary(3503, 2, 0);
  for (std::size_t i = 0; i < form.traces.size(); ++i) {
    FileBytes& trace = form.traces[i];
    const auto own = static_cast<std::size_t>(samples) - (i * 5) % static_cast<std::size_t>(samples);
    trace.erase(trace.end() - static_cast<Place>((static_cast<std::size_t>(samples) - own) * sample_bytes),
                trace.end());
    put_bits(trace.data() + 114, 2, own, form.order);
  }
}

Form made_form(Choices& choices) {
  enum Extra : unsigned {
    label = 1,
    texts = 2,
    headers = 4,
    trailers = 8,
    varying = 16,
    bare = 32,
    stanza = 64,
    any_end = 128
  };
  segy::SurveyOptions options;
  options.traces = 1 + static_cast<std::int64_t>(choices.below(24));
  options.samples = 1 + static_cast<std::int64_t>(choices.below(32));
  options.channels = 1 + static_cast<int>(choices.below(6));
  options.sample_format = choices.one_of(formats);
  options.byte_order = choices.one_of(orders);
  options.revision = choices.one_of(revisions);
  const auto extras = static_cast<unsigned>(choices.number(1));
  if ((extras & bare) != 0) options.sample_format = segy::SampleFormat::ieee_float;
  const segy::SyntheticSurvey survey(options);

  Form form;
  form.order = options.byte_order;
  form.head.resize(static_cast<std::size_t>(survey.header_bytes()));
  survey.file_header(form.head);
  for (std::int64_t i = 0; i < options.traces; ++i) {
    form.traces.emplace_back(static_cast<std::size_t>(survey.trace_bytes()));
    survey.trace(i, form.traces.back());
  }
  if ((extras & label) != 0) {
    form.label.assign(128, std::byte{' '});
    std::memcpy(form.label.data(), "   1SY2.1RECORDB  1         0", 29);
  }
  if ((extras & (texts | stanza)) != 0) {
    const bool ends_itself = (extras & any_end) != 0;
    if ((extras & stanza) != 0) form.texts = block_of_text(layout);
    const FileBytes last = block_of_text(ends_itself ? end_of_texts : "C 1 MORE");
    form.texts.insert(form.texts.end(), last.begin(), last.end());
    form.put_binary(3505, 2, ends_itself ? -1 : static_cast<std::int64_t>(form.texts.size()) / 3200);
  }
  if ((extras & headers) != 0) add_headers(form, options.samples);
  if ((extras & trailers) != 0) {
    form.trailers = block_of_text("((SEG:Notes ver 1.0)) THE END");
    form.put_binary(3529, 4, (extras & any_end) != 0 ? -1 : 1);
  }
  if ((extras & varying) != 0)
    vary(form, options.samples, static_cast<std::size_t>(segy::bytes_of(options.sample_format)));
  if ((extras & bare) != 0) {
    for (FileBytes* part : {&form.label, &form.head, &form.texts, &form.trailers}) part->clear();
  }
  return form;
}

// The changes to a file whose parts begin where the form says, as long as nothing was put in or taken out.
class Mutation {
 public:
  Mutation(const Form& form, Choices& choices) : order_(form.order), choices_(choices), file_(form.joined()) {
    head_ = form.label.size();
    has_head_ = !form.head.empty();
    std::size_t at = head_ + form.head.size() + form.texts.size();
    for (const FileBytes& trace : form.traces) {
      traces_.push_back(at);
      at += trace.size();
    }
  }

  FileBytes done() {
    for (int step = 0; step < max_steps && !choices_.at_end(); ++step) {
      change();
      if (file_.size() > max_file_bytes) file_.resize(max_file_bytes);
    }
    return std::move(file_);
  }

 private:
  void change() {
    switch (choices_.below(14)) {
      case 0: set_binary_word(); return;
      case 1: set_trace_word(choices_.below(256), 1); return;
      case 2: set_trace_word(0, traces_.size()); return;
      case 3: put(place(), 1 + static_cast<int>(choices_.below(8)), value()); return;
      case 4: file_.resize(place()); return;
      case 5: file_.insert(file_.end(), length(), filling()); return;
      case 6: {
        const auto at = static_cast<Place>(place());
        file_.insert(file_.begin() + at, length(), filling());
        return;
      }
      case 7: {
        const auto [first, last] = stretch();
        file_.erase(file_.begin() + first, file_.begin() + last);
        return;
      }
      case 8: {
        const auto [first, last] = stretch();
        std::fill(file_.begin() + first, file_.begin() + last, filling());
        return;
      }
      case 9: {
        const auto [first, last] = stretch();
        const std::byte bits = filling();
        for (Place i = first; i < last; ++i) file_[static_cast<std::size_t>(i)] ^= bits;
        return;
      }
      case 10: swap_bytes(); return;
      case 11: turn_line_ends(); return;
      case 12: {
        // A copy of a part elsewhere: a trace twice, a header within samples.
        const auto [first, last] = stretch();
        const FileBytes copy(file_.begin() + first, file_.begin() + last);
        file_.insert(file_.begin() + static_cast<Place>(place()), copy.begin(), copy.end());
        return;
      }
      default: count_up(); return;
    }
  }

  void set_binary_word() {
    const segy::Word& word = choices_.one_of(segy::binary_words());
    if (has_head_) put(head_ + static_cast<std::size_t>(word.byte) - 1, word.type.bytes, value());
  }

  void set_trace_word(std::size_t first, std::size_t count) {
    const segy::Word& word = choices_.one_of(segy::trace_words());
    const std::uint64_t bits = value();
    for (std::size_t i = 0; i < count; ++i)
      put(traces_[(first + i) % traces_.size()] + static_cast<std::size_t>(word.byte) - 1, word.type.bytes, bits);
  }

  // A word that grows from trace to trace.
  void count_up() {
    const segy::Word& word = choices_.one_of(segy::trace_words());
    std::uint64_t bits = value();
    const auto step = static_cast<std::uint64_t>(static_cast<std::int8_t>(choices_.number(1)));
    for (const std::size_t trace : traces_) {
      put(trace + static_cast<std::size_t>(word.byte) - 1, word.type.bytes, bits);
      bits += step;
    }
  }

  void put(std::size_t at, int bytes, std::uint64_t bits) {
    if (at + static_cast<std::size_t>(bytes) <= file_.size()) put_bits(file_.data() + at, bytes, bits, order_);
  }

  std::uint64_t value() {
    const std::size_t kind = choices_.below(telling_numbers.size() + 3);
    if (kind < telling_numbers.size()) return static_cast<std::uint64_t>(telling_numbers[kind]);
    return choices_.number(kind == telling_numbers.size() ? 2 : kind == telling_numbers.size() + 1 ? 4 : 8);
  }

  std::byte filling() {
    constexpr std::array<unsigned char, 6> usual = {0, 0xff, 0x40, 0x20, 0x0a, 0x80};
    return std::byte{choices_.one_of(usual)};
  }

  std::size_t length() {
    constexpr std::array<std::size_t, 10> usual = {1, 2, 3, 4, 128, 240, 400, 3200, 3600, 40'000};
    const std::size_t kind = choices_.below(usual.size() + 2);
    return kind < usual.size() ? usual[kind] : choices_.number(2);
  }

  // A byte of the file, or its end: near one of its parts, or anywhere.
  std::size_t place() {
    std::size_t at = 0;
    switch (choices_.below(4)) {
      case 0: at = traces_[choices_.below(traces_.size())] + choices_.number(1); break;
      case 1: at = head_ + 3200 + 2 * choices_.number(1); break;
      case 2: at = file_.size() - std::min<std::size_t>(file_.size(), choices_.number(2)); break;
      default: at = choices_.number(3);
    }
    return std::min(at, file_.size());
  }

  std::pair<Place, Place> stretch() {
    const std::size_t first = place();
    return {static_cast<Place>(first), static_cast<Place>(std::min(file_.size(), first + length()))};
  }

  // Every word of 2 or 4 bytes from a place on the other way round.
  void swap_bytes() {
    const std::size_t width = choices_.below(2) == 0 ? 2 : 4;
    const std::size_t begin = place();
    const std::size_t end = choices_.below(2) == 0 ? file_.size() : std::min(file_.size(), begin + length());
    for (std::size_t at = begin; at + width <= end; at += width)
      std::reverse(file_.begin() + static_cast<Place>(at), file_.begin() + static_cast<Place>(at + width));
  }

  // What a transfer as text does to a file.
  void turn_line_ends() {
    constexpr std::byte feed{0x0a};
    constexpr std::byte carriage{0x0d};
    const bool adds = choices_.below(2) == 0;
    FileBytes transformed;
    for (std::size_t i = 0; i < file_.size(); ++i) {
      if (adds && file_[i] == feed) transformed.push_back(carriage);
      if (!adds && file_[i] == carriage && i + 1 < file_.size() && file_[i + 1] == feed) continue;
      transformed.push_back(file_[i]);
    }
    file_ = std::move(transformed);
  }

  ByteOrder order_;
  Choices& choices_;
  FileBytes file_;
  std::size_t head_ = 0;  // where the text header begins
  bool has_head_ = false;
  std::vector<std::size_t> traces_;  // where each begins
};

}  // namespace

std::vector<std::byte> fuzzed_file(Choices& choices) {
  constexpr std::size_t forms = 16;
  if (choices.below(forms) == forms - 1) {
    const auto rest = choices.rest().first(std::min(choices.rest().size(), max_file_bytes));
    return {rest.begin(), rest.end()};
  }
  const Form form = made_form(choices);
  return Mutation(form, choices).done();
}

}  // namespace sill::fuzz
