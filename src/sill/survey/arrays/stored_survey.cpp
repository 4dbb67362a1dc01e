#include "sill/survey/arrays/stored_survey.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "sill/base/error.hpp"
#include "sill/formats/array/fill_value.hpp"
#include "sill/survey/arrays/stored_checks.hpp"

namespace sill {
namespace {

using Kind = CellVariable::Kind;

const Attribute* attribute_of(const std::vector<Attribute>& attributes, std::string_view name) {
  const auto found = std::ranges::find(attributes, name, &Attribute::name);
  return found == attributes.end() ? nullptr : &*found;
}

std::int64_t number_in(const std::vector<Attribute>& attributes, std::string_view name, std::int64_t otherwise) {
  const Attribute* const attribute = attribute_of(attributes, name);
  if (attribute == nullptr) return otherwise;
  const std::string text = attribute->text();
  std::int64_t number = otherwise;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

bool has_floats(const Variable& variable) {
  return variable.type == ElementType::f4 || variable.type == ElementType::f8;
}

// Makes a StoredSurvey of a description.
class StoredSurveyFinder {
 public:
  StoredSurveyFinder(const DatasetDescription& description, const std::string& path)
      : description_(description), path_(path) {}

  StoredSurvey find() {
    if (number_in(description_.attributes, "sill_survey", 0) != survey_layout_version) {
      if (variable("headers") != nullptr && variable("trace_mask") != nullptr && variable("trace") == nullptr)
        refuse("MDIO's own program wrote the dataset, which lacks the order of the traces and bytes of their headers",
               "write SEG-Y with it (mdio.mdio_to_segy), and convert that with Sill");
      refuse("the dataset does not hold a survey that this version of Sill converted to arrays",
             "convert a dataset that `sill convert` made of a survey, or write samples with the Python package");
    }
    find_forms();
    is_mdio_ = variable("amplitude") != nullptr;
    find_shape();
    if (const Variable* const fields = is_mdio_ ? variable("headers") : nullptr) add_fields(*fields);
    find_words();
    for (const Variable& each : description_.variables) add_word(each);
    if (const Variable* const mask = variable("trace_mask")) add(*mask, Kind::mask, ElementType::i1);
    for (const auto& [kind, name] : {std::pair{Kind::x, "cdp_x"}, std::pair{Kind::y, "cdp_y"}}) {
      const Variable* const coordinate = variable(name);
      if (coordinate != nullptr && is_mdio_ && coordinate->dimensions != std::vector<std::string>{name})
        add(*coordinate, kind, ElementType::f8);
    }
    require_all_unpacked();
    find_missing();
    return std::move(stored_);
  }

 private:
  [[noreturn]] void refuse(std::string problem, std::string action) const {
    throw Error({.code = ErrorCode::usage,
                 .problem = std::move(problem),
                 .where = {.file = path_},
                 .action = std::move(action)});
  }

  [[nodiscard]] const Variable* variable(const char* name) const {
    const auto found = std::ranges::find(description_.variables, name, &Variable::name);
    return found == description_.variables.end() ? nullptr : &*found;
  }

  const Variable& required(const char* name) const {
    const Variable* const found = variable(name);
    if (found == nullptr) refuse(fmt::format("the dataset lacks the variable {}", name), "restore the variable");
    return *found;
  }

  // The byte order and the format of the samples.
  void find_forms() {
    const Attribute* const format = attribute_of(description_.attributes, "sample_format");
    if (format == nullptr) refuse("the dataset lacks the attribute sample_format", "restore the attribute");
    const auto known = segy::sample_format_from_name(format->text());
    if (!known && format->text() == word_of(segy::SampleFormat::fixed_point_gain))
      refuse("samples of the original file's format (code 4) cannot be written", "use the original file");
    if (!known)
      refuse(fmt::format("the attribute sample_format is {:?}, which is not known", format->text()),
             "restore the attribute");
    stored_.format = *known;
    const Attribute* const order = attribute_of(description_.attributes, "byte_order");
    constexpr std::array orders{ByteOrder::big, ByteOrder::little, ByteOrder::pairwise};
    const auto* const found = std::ranges::find_if(
        orders, [&](ByteOrder each) { return order != nullptr && order->text() == name_of(each); });
    if (found == orders.end())
      refuse("the attribute byte_order is missing or not big, little or pairwise", "restore the attribute");
    stored_.order = *found;
  }

  // The variables that each survey has.
  void find_shape() {
    const char* const samples_name = is_mdio_ ? "amplitude" : "samples";
    const char* const headers_name = is_mdio_ ? "raw_headers" : "trace_headers";
    const Variable& samples = required(samples_name);
    const Variable& trace = required("trace");
    const Variable& headers = required(headers_name);
    const Attribute* const kind = attribute_of(description_.attributes, "kind");
    stored_.is_seismic_unix = kind != nullptr && kind->text() == segy::name_of(segy::FileKind::seismic_unix);
    if (!stored_.is_seismic_unix) (void)required("file_header");
    for (const Variable* const each : {&trace, &headers}) {
      if (has_floats(*each) || each->type == ElementType::text)
        refuse(fmt::format("{} has elements of type {} instead of integers", each->name, name_of(each->type)),
               "restore the variable");
    }
    stored_.shape = description_.shape_of(trace);
    const Index of_samples = description_.shape_of(samples);
    const Index of_headers = description_.shape_of(headers);
    if (stored_.shape.empty() || !is_over_traces(samples, trace) || !is_over_traces(headers, trace))
      refuse(fmt::format("{}, trace and {} differ in their dimensions", samples_name, headers_name),
             "restore the variables");
    const std::int64_t positions = whole(stored_.shape).items();
    stored_.traces = number_in(description_.attributes, "traces", -1);
    if (stored_.traces < 1)
      refuse("the attribute traces, the number of traces, is missing or not positive", "restore the attribute");
    if (stored_.traces > positions)
      refuse(fmt::format("the dataset has {} positions for {} traces", positions, stored_.traces),
             "convert the complete dataset; select traces of the SEG-Y file with sill cut");
    stored_.samples = of_samples.back();
    const std::int64_t original = number_in(description_.attributes, "samples_per_trace", -1);
    if (stored_.samples != original)
      refuse(fmt::format("traces have {} samples, in the original file {}", stored_.samples, original),
             "convert the complete dataset; cut the SEG-Y file with sill cut");
    stored_.header_bytes = of_headers.back();
    const ElementType type = element_type_of(stored_.format);
    const bool is_float = type == ElementType::f4 || type == ElementType::f8;
    stored_.variables = {
        {Kind::samples, samples_name, has_floats(samples) && !is_float ? ElementType::f8 : type, stored_.samples},
        {Kind::trace, "trace", ElementType::i8},
        {Kind::headers, headers_name, ElementType::u1, stored_.header_bytes}};
  }

  // The fields are found by their byte positions, so their type must be that of Sill.
  void add_fields(const Variable& fields) {
    const std::vector<MdioField> known = mdio_fields();
    const std::int64_t bytes = bytes_of_fields(known);
    const Index shape = description_.shape_of(fields);
    const auto is_type_known = [&] {  // other containers than Zarr have only bytes
      return fields.zarr_type.empty() ||
             nlohmann::json::parse(fields.zarr_type) == nlohmann::json::parse(zarr_type_of_fields(known));
    };
    const Variable& trace = required("trace");
    if (fields.type != ElementType::u1 || !is_over_traces(fields, trace) || shape.back() != bytes || !is_type_known())
      refuse("the fields or the dimensions of headers are not those that Sill writes",
             "restore the variable, or remove it: raw_headers has all header bytes");
    if (stored_.header_bytes < bytes)
      refuse(fmt::format("raw_headers has {} bytes per trace, fewer than headers", stored_.header_bytes),
             "restore the variable");
    int begin = 0;
    for (const MdioField& each : known) {
      stored_.words.push_back({each, stored_.variables.size(), begin});
      begin += each.type.bytes;
    }
    stored_.variables.push_back({Kind::fields, "headers", ElementType::u1, bytes});
  }

  // Adds a variable with one element per trace.
  void add(const Variable& variable, Kind kind, ElementType type) {
    if (variable.dimensions != required("trace").dimensions)
      refuse(fmt::format("{} has other dimensions than trace", variable.name), "restore the variable, or remove it");
    stored_.variables.push_back({kind, variable.name, type});
  }

  // The words that variables are by their names: those that the dataset states. Datasets of the first versions do not
  // state them; their words have the standard names, or names of a map that is not known.
  void find_words() {
    const std::optional<WordPlaces> stated = words_stated_in(description_.attributes, path_);
    are_words_stated_ = stated.has_value();
    if (stated) places_ = *stated;
    if (stated) return;
    const segy::HeaderMap map = stored_.is_seismic_unix ? segy::HeaderMap::preset("su") : segy::HeaderMap::standard();
    for (const segy::MapWord& word : map.all()) {
      for (const char* const ending : {"", "_word"})
        places_.try_emplace(word.names.front() + ending, WordPlace{word.byte, word.type});
    }
  }

  // Adds a variable that is a word by its name. Errors: usage if its attributes state another word.
  void add_word(const Variable& variable) {
    if (variable.dimensions == std::vector<std::string>{variable.name}) return;  // a coordinate of a dimension
    const Attribute* const type_text = attribute_of(variable.attributes, "type");
    const std::int64_t byte = number_in(variable.attributes, "byte", 0);
    const auto type = type_text == nullptr ? std::nullopt : segy::parse_word_type(type_text->text());
    const auto found = places_.find(variable.name);
    const bool is_named = found != places_.end();
    const bool is_stated = byte > 0 && type.has_value();
    if (!is_named && !is_stated) return;
    if (!are_words_stated_ && (!is_named || !is_stated || found->second != WordPlace{static_cast<int>(byte), *type}))
      refuse(fmt::format("the dataset of an earlier version does not state which word {} is", variable.name),
             "convert the SEG-Y file to arrays again and change that dataset, or remove the variable");
    if (!is_named) refuse_derived(variable.name, byte);
    const auto& [place_byte, word] = found->second;
    if (byte > 0 && (byte != place_byte || (type && *type != word)))
      refuse(fmt::format("{} has the attributes of another word: byte {}, type {}, but {} is at byte {}, type {}",
                         variable.name, byte, type_text == nullptr ? "none" : type_text->text(), variable.name,
                         place_byte, segy::name_of(word)),
             fmt::format("remove its attributes byte and type to write it as {}, or rename it", variable.name));
    if (word.kind == segy::WordKind::text || variable.type == ElementType::text ||
        place_byte > stored_.header_bytes - word.bytes + 1)
      refuse(fmt::format("{} is a word that cannot be written from a variable", variable.name),
             "change trace_headers, or rename the variable");
    const bool is_float = segy::is_float(word) || has_floats(variable);
    stored_.words.push_back({{variable.name, place_byte, word}, stored_.variables.size()});
    const ElementType integers = variable.type == ElementType::u8 ? ElementType::u8 : ElementType::i8;
    add(variable, Kind::word, is_float ? ElementType::f8 : integers);
  }

  [[noreturn]] void refuse_derived(const std::string& name, std::int64_t byte) const {
    const auto other = std::ranges::find_if(places_, [&](const auto& each) { return each.second.byte == byte; });
    const std::string word = other == places_.end() ? std::string() : fmt::format(", that of {}", other->first);
    refuse(
        fmt::format("{} has the attribute byte {}{}, but its name is not that of a word", name, byte, word),
        fmt::format("rename it to the word that it is, or remove its attribute byte (del ds[\"{}\"].attrs[\"byte\"]), "
                    "and it is not written",
                    name));
  }

  // Checks that no variable is packed whose values are written or compared.
  void require_all_unpacked() const {
    for (const Variable& each : description_.variables) {
      const bool is_compared =
          attribute_of(description_.attributes, std::string(checksum_prefix) + each.name) != nullptr;
      if (is_compared || each.name == "file_header" || each.name == "file_trailer" ||
          std::ranges::count(stored_.variables, each.name, &CellVariable::name) > 0)
        require_unpacked(each, path_);
    }
  }

  // The missing values of variables: the attributes `_FillValue` and `missing_value`, and those that readers of netCDF
  // assume for a word. 0 and NaN are not among them, because headers and samples may have them.
  void find_missing() {
    for (const CellVariable& each : stored_.variables) {
      const Variable& variable = required(each.name.c_str());
      std::vector<std::byte>& missing = stored_.missing.emplace_back();
      const auto add = [&](const std::byte* value, ElementType type) {
        std::array<std::byte, 8> element{};
        if (convert_elements(value, {0, {type}}, element.data(), {0, {each.type}}, 1) == 0) return;
        visit_type(each.type, [&](auto of_type) {
          using T = decltype(of_type);
          const auto number = load<T>(element.data(), native_order);
          if (number == T{} || number != number) return;
          missing.insert(missing.end(), element.begin(), element.begin() + sizeof(T));
        });
      };
      for (const Attribute& attribute : variable.attributes) {
        if ((attribute.name != "_FillValue" && attribute.name != "missing_value") ||
            !is_convertible(attribute.type, each.type))
          continue;
        for (std::int64_t i = 0; i < attribute.count(); ++i)
          add(attribute.values.data() + i * bytes_of(attribute.type), attribute.type);
      }
      if (each.kind == Kind::word && missing.empty() && bytes_of(variable.type) > 1)
        add(fill_element(variable, {variable.type}).data(), variable.type);
    }
  }

  // Returns true if a variable has the dimensions of `trace`, in their order, and one more.
  [[nodiscard]] static bool is_over_traces(const Variable& variable, const Variable& trace) {
    return variable.dimensions.size() == trace.dimensions.size() + 1 &&
           std::ranges::equal(trace.dimensions, std::span(variable.dimensions).first(trace.dimensions.size()));
  }

  const DatasetDescription& description_;
  const std::string& path_;
  bool is_mdio_ = false;
  bool are_words_stated_ = false;
  WordPlaces places_;
  StoredSurvey stored_;
};

}  // namespace

StoredSurvey survey_in(const DatasetDescription& description, const std::string& path) {
  return StoredSurveyFinder(description, path).find();
}

}  // namespace sill
