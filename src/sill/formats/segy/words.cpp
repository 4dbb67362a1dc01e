// The tables of standard header words, and looking them up.
#include "sill/formats/segy/words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "sill/base/error.hpp"
#include "sill/base/nearest_names.hpp"
#include "sill/base/user_text.hpp"

namespace sill::segy {
namespace {

constexpr WordType i2{WordKind::signed_integer, 2};
constexpr WordType i4{WordKind::signed_integer, 4};
constexpr WordType u1{WordKind::unsigned_integer, 1};
constexpr WordType u2{WordKind::unsigned_integer, 2};

// Byte, type, segyio, Seismic Unix, standard, unit, byte of the scalar, text.
// Revision 1 gives the source energy direction (219-224) six bytes and no parts; revision 2 makes three words of it.
// The two parts here are those that segyio 1 and most readers of revision 1 use.
constexpr Word trace_word_table[] = {
    {1, i4, "TRACE_SEQUENCE_LINE", "tracl", "trace_seq_num_line", "", 0, "trace sequence number within the line"},
    {5, i4, "TRACE_SEQUENCE_FILE", "tracr", "trace_seq_num_reel", "", 0, "trace sequence number within the file"},
    {9, i4, "FieldRecord", "fldr", "orig_field_record_num", "", 0, "original field record number"},
    {13, i4, "TraceNumber", "tracf", "trace_num_orig_record", "", 0, "trace number within the field record"},
    {17, i4, "EnergySourcePoint", "ep", "energy_source_point_num", "", 0, "energy source point number"},
    {21, i4, "CDP", "cdp", "ensemble_num", "", 0, "ensemble number (CDP, CMP, CRP)"},
    {25, i4, "CDP_TRACE", "cdpt", "trace_num_ensemble", "", 0, "trace number within the ensemble"},
    {29, i2, "TraceIdentificationCode", "trid", "trace_id_code", "", 0, "trace identification code"},
    {31, i2, "NSummedTraces", "nvs", "vertically_summed_traces", "", 0, "number of vertically summed traces"},
    {33, i2, "NStackedTraces", "nhs", "horizontally_stacked_traces", "", 0, "number of horizontally stacked traces"},
    {35, i2, "DataUse", "duse", "data_use", "", 0, "data use: 1 production, 2 test"},
    {37, i4, "offset", "offset", "source_to_receiver_distance", "m or ft", 0, "distance from source to receiver group"},
    {41, i4, "ReceiverGroupElevation", "gelev", "receiver_group_elevation", "m or ft", 69, "receiver group elevation"},
    {45, i4, "SourceSurfaceElevation", "selev", "source_surface_elevation", "m or ft", 69,
     "surface elevation at the source"},
    {49, i4, "SourceDepth", "sdepth", "source_depth_below_surface", "m or ft", 69, "source depth below the surface"},
    {53, i4, "ReceiverDatumElevation", "gdel", "receiver_datum_elevation", "m or ft", 69,
     "datum elevation at the receiver group"},
    {57, i4, "SourceDatumElevation", "sdel", "source_datum_elevation", "m or ft", 69, "datum elevation at the source"},
    {61, i4, "SourceWaterDepth", "swdep", "source_water_depth", "m or ft", 69, "water depth at the source"},
    {65, i4, "GroupWaterDepth", "gwdep", "receiver_water_depth", "m or ft", 69, "water depth at the receiver group"},
    {69, i2, "ElevationScalar", "scalel", "elevation_depth_scalar", "", 0,
     "scalar of elevations and depths (bytes 41-68)"},
    {71, i2, "SourceGroupScalar", "scalco", "coordinate_scalar", "", 0, "scalar of coordinates (bytes 73-88, 181-188)"},
    {73, i4, "SourceX", "sx", "source_coord_x", "by bytes 89-90", 71, "source coordinate x"},
    {77, i4, "SourceY", "sy", "source_coord_y", "by bytes 89-90", 71, "source coordinate y"},
    {81, i4, "GroupX", "gx", "group_coord_x", "by bytes 89-90", 71, "receiver group coordinate x"},
    {85, i4, "GroupY", "gy", "group_coord_y", "by bytes 89-90", 71, "receiver group coordinate y"},
    {89, i2, "CoordinateUnits", "counit", "coordinate_unit", "", 0, "1 length, 2 seconds of arc, 3 degrees, 4 DMS"},
    {91, i2, "WeatheringVelocity", "wevel", "weathering_velocity", "m/s or ft/s", 0, "weathering velocity"},
    {93, i2, "SubWeatheringVelocity", "swevel", "subweathering_velocity", "m/s or ft/s", 0, "subweathering velocity"},
    {95, i2, "SourceUpholeTime", "sut", "source_uphole_time", "ms", 215, "uphole time at the source"},
    {97, i2, "GroupUpholeTime", "gut", "group_uphole_time", "ms", 215, "uphole time at the receiver group"},
    {99, i2, "SourceStaticCorrection", "sstat", "source_static_correction", "ms", 215, "source static correction"},
    {101, i2, "GroupStaticCorrection", "gstat", "receiver_static_correction", "ms", 215,
     "receiver group static correction"},
    {103, i2, "TotalStaticApplied", "tstat", "total_static_applied", "ms", 215, "total static applied"},
    {105, i2, "LagTimeA", "laga", "lag_time_a", "ms", 215, "lag time A: header end to time break"},
    {107, i2, "LagTimeB", "lagb", "lag_time_b", "ms", 215, "lag time B: time break to source start"},
    {109, i2, "DelayRecordingTime", "delrt", "delay_recording_time", "ms", 215,
     "delay from source start to first sample"},
    {111, i2, "MuteTimeStart", "muts", "mute_time_start", "ms", 215, "mute start"},
    {113, i2, "MuteTimeEND", "mute", "mute_time_end", "ms", 215, "mute end"},
    {115, u2, "TRACE_SAMPLE_COUNT", "ns", "samples_per_trace", "", 0, "number of samples in this trace"},
    {117, u2, "TRACE_SAMPLE_INTERVAL", "dt", "sample_interval", "us", 0, "sample interval of this trace"},
    {119, i2, "GainType", "gain", "instrument_gain_type", "", 0, "gain type of the field instruments"},
    {121, i2, "InstrumentGainConstant", "igc", "instrument_gain_const", "dB", 0, "instrument gain constant"},
    {123, i2, "InstrumentInitialGain", "igi", "instrument_gain_initial", "dB", 0, "instrument early or initial gain"},
    {125, i2, "Correlated", "corr", "correlated_data", "", 0, "correlated: 1 no, 2 yes"},
    {127, i2, "SweepFrequencyStart", "sfs", "sweep_freq_start", "Hz", 0, "sweep frequency at start"},
    {129, i2, "SweepFrequencyEnd", "sfe", "sweep_freq_end", "Hz", 0, "sweep frequency at end"},
    {131, i2, "SweepLength", "slen", "sweep_length", "ms", 0, "sweep length"},
    {133, i2, "SweepType", "styp", "sweep_type", "", 0, "sweep type code"},
    {135, i2, "SweepTraceTaperLengthStart", "stas", "sweep_taper_start", "ms", 0, "sweep taper length at start"},
    {137, i2, "SweepTraceTaperLengthEnd", "stae", "sweep_taper_end", "ms", 0, "sweep taper length at end"},
    {139, i2, "TaperType", "tatyp", "taper_type", "", 0, "taper type code"},
    {141, i2, "AliasFilterFrequency", "afilf", "alias_filter_freq", "Hz", 0, "alias filter frequency"},
    {143, i2, "AliasFilterSlope", "afils", "alias_filter_slope", "dB/octave", 0, "alias filter slope"},
    {145, i2, "NotchFilterFrequency", "nofilf", "notch_filter_freq", "Hz", 0, "notch filter frequency"},
    {147, i2, "NotchFilterSlope", "nofils", "notch_filter_slope", "dB/octave", 0, "notch filter slope"},
    {149, i2, "LowCutFrequency", "lcf", "low_cut_freq", "Hz", 0, "low-cut frequency"},
    {151, i2, "HighCutFrequency", "hcf", "high_cut_freq", "Hz", 0, "high-cut frequency"},
    {153, i2, "LowCutSlope", "lcs", "low_cut_slope", "dB/octave", 0, "low-cut slope"},
    {155, i2, "HighCutSlope", "hcs", "high_cut_slope", "dB/octave", 0, "high-cut slope"},
    {157, i2, "YearDataRecorded", "year", "year_recorded", "", 0, "year data recorded"},
    {159, i2, "DayOfYear", "day", "day_of_year", "d", 0, "day of the year"},
    {161, i2, "HourOfDay", "hour", "hour_of_day", "h", 0, "hour of the day"},
    {163, i2, "MinuteOfHour", "minute", "minute_of_hour", "min", 0, "minute of the hour"},
    {165, i2, "SecondOfMinute", "sec", "second_of_minute", "s", 0, "second of the minute"},
    {167, i2, "TimeBaseCode", "timbas", "time_basis_code", "", 0, "time basis: 1 local, 2 GMT, 3 other, 4 UTC"},
    {169, i2, "TraceWeightingFactor", "trwf", "trace_weighting_factor", "", 0, "N: least bit is 2^-N volts"},
    {171, i2, "GeophoneGroupNumberRoll1", "grnors", "group_num_roll_switch", "", 0,
     "geophone group at roll switch position one"},
    {173, i2, "GeophoneGroupNumberFirstTraceOrigField", "grnofr", "group_num_first_trace", "", 0,
     "geophone group of the record's first trace"},
    {175, i2, "GeophoneGroupNumberLastTraceOrigField", "grnlof", "group_num_last_trace", "", 0,
     "geophone group of the record's last trace"},
    {177, i2, "GapSize", "gaps", "gap_size", "", 0, "gap size: groups dropped"},
    {179, i2, "OverTravel", "otrav", "taper_overtravel", "", 0, "over travel of the taper: 1 down, 2 up"},
    {181, i4, "CDP_X", "cdpx", "cdp_x", "by bytes 89-90", 71, "ensemble coordinate x"},
    {185, i4, "CDP_Y", "cdpy", "cdp_y", "by bytes 89-90", 71, "ensemble coordinate y"},
    {189, i4, "INLINE_3D", "iline", "inline", "", 0, "in-line number"},
    {193, i4, "CROSSLINE_3D", "xline", "crossline", "", 0, "cross-line number"},
    {197, i4, "ShotPoint", "sp", "shot_point", "", 201, "shotpoint number"},
    {201, i2, "ShotPointScalar", "scalsp", "shot_point_scalar", "", 0,
     "scalar of the shotpoint number (bytes 197-200)"},
    {203, i2, "TraceValueMeasurementUnit", "trunit", "trace_value_unit", "", 0, "unit of the samples"},
    {205, i4, "TransductionConstantMantissa", "tdcm", "transduction_const_mantissa", "by bytes 211-212", 0,
     "transduction constant: mantissa"},
    {209, i2, "TransductionConstantPower", "tdcp", "transduction_const_exponent", "", 0,
     "transduction constant: power of ten"},
    {211, i2, "TransductionUnit", "tdunit", "transduction_unit", "", 0, "unit after the transduction constant"},
    {213, i2, "TraceIdentifier", "triden", "device_trace_id", "", 0, "device or trace identifier"},
    {215, i2, "ScalarTraceHeader", "sctrh", "times_scalar", "", 0, "scalar of times (bytes 95-114)"},
    {217, i2, "SourceType", "stype", "source_type_orientation", "", 0, "source type and orientation"},
    {219, i4, "SourceEnergyDirectionMantissa", "sedm", "source_energy_dir_mantissa", "0.1 degree", 0,
     "source energy direction: first four bytes"},
    {223, i2, "SourceEnergyDirectionExponent", "sede", "source_energy_dir_exponent", "", 0,
     "source energy direction: last two bytes"},
    {225, i4, "SourceMeasurementMantissa", "smm", "source_measurement_mantissa", "by bytes 231-232", 0,
     "source measurement: mantissa"},
    {229, i2, "SourceMeasurementExponent", "sme", "source_measurement_exponent", "", 0,
     "source measurement: power of ten"},
    {231, i2, "SourceMeasurementUnit", "smunit", "source_measurement_unit", "", 0, "unit of the source measurement"},
};

constexpr Word binary_word_table[] = {
    {3201, i4, "JobID", "jobid", "job_id", "", 0, "job identification number"},
    {3205, i4, "LineNumber", "lino", "line_num", "", 0, "line number"},
    {3209, i4, "ReelNumber", "reno", "reel_num", "", 0, "reel number"},
    {3213, i2, "Traces", "ntrpr", "data_traces_per_ensemble", "", 0, "data traces per ensemble"},
    {3215, i2, "AuxTraces", "nart", "aux_traces_per_ensemble", "", 0, "auxiliary traces per ensemble"},
    {3217, u2, "Interval", "hdt", "sample_interval", "us", 0, "sample interval"},
    {3219, u2, "IntervalOriginal", "dto", "orig_sample_interval", "us", 0, "sample interval of the field recording"},
    {3221, u2, "Samples", "hns", "samples_per_trace", "", 0, "samples per trace"},
    {3223, u2, "SamplesOriginal", "nso", "orig_samples_per_trace", "", 0, "samples per trace of the field recording"},
    {3225, i2, "Format", "format", "data_sample_format", "", 0, "data sample format code"},
    {3227, i2, "EnsembleFold", "fold", "ensemble_fold", "", 0, "expected number of traces per ensemble"},
    {3229, i2, "SortingCode", "tsort", "trace_sorting_code", "", 0, "trace sorting code"},
    {3231, i2, "VerticalSum", "vscode", "vertical_sum_code", "", 0, "vertical sum code"},
    {3233, i2, "SweepFrequencyStart", "hsfs", "sweep_freq_start", "Hz", 0, "sweep frequency at start"},
    {3235, i2, "SweepFrequencyEnd", "hsfe", "sweep_freq_end", "Hz", 0, "sweep frequency at end"},
    {3237, i2, "SweepLength", "hslen", "sweep_length", "ms", 0, "sweep length"},
    {3239, i2, "Sweep", "hstyp", "sweep_type_code", "", 0, "sweep type code"},
    {3241, i2, "SweepChannel", "schn", "sweep_trace_num", "", 0, "trace number of the sweep channel"},
    {3243, i2, "SweepTaperStart", "hstas", "sweep_taper_start", "ms", 0, "sweep taper length at start"},
    {3245, i2, "SweepTaperEnd", "hstae", "sweep_taper_end", "ms", 0, "sweep taper length at end"},
    {3247, i2, "Taper", "htatyp", "taper_type_code", "", 0, "taper type code"},
    {3249, i2, "CorrelatedTraces", "hcorr", "correlated_data_code", "", 0, "correlated data traces: 1 no, 2 yes"},
    {3251, i2, "BinaryGainRecovery", "bgrcv", "binary_gain_code", "", 0, "binary gain recovered: 1 yes, 2 no"},
    {3253, i2, "AmplitudeRecovery", "rcvm", "amp_recovery_code", "", 0, "amplitude recovery method"},
    {3255, i2, "MeasurementSystem", "mfeet", "measurement_system_code", "", 0, "measurement system: 1 metres, 2 feet"},
    {3257, i2, "ImpulseSignalPolarity", "polyt", "impulse_polarity_code", "", 0, "impulse signal polarity"},
    {3259, i2, "VibratoryPolarity", "vpol", "vibratory_polarity_code", "", 0, "vibratory polarity code"},
    {3501, u1, "SEGYRevision", "rev", "segy_revision_major", "", 0, "format revision: major number"},
    {3502, u1, "SEGYRevisionMinor", "revmin", "segy_revision_minor", "", 0, "format revision: minor number"},
    {3503, i2, "TraceFlag", "trflag", "fixed_length_trace_flag", "", 0, "1: all traces have the same length"},
    {3505, i2, "ExtendedHeaders", "exth", "num_extended_text_headers", "", 0,
     "3200-byte extended text headers, -1 variable"},
};

// Names of segyio 2 for words whose segyio 1 names stand in the table.
constexpr std::pair<std::string_view, int> later_binary_names[] = {{"EnsembleTraces", 3213},
                                                                   {"AuxEnsembleTraces", 3215}};

constexpr std::string_view word_grammar =
    "write a word by name (cdp, SourceX, ensemble_num) or as @BYTE:TYPE, with BYTE 1-240 and TYPE one of i1-i8, u1-u8, "
    "f4, f8, ibm4 (@189:i4)";

bool equal_in_any_case(std::string_view a, std::string_view b) {
  return a.size() == b.size() && detail::lower_case(a) == detail::lower_case(b);
}

const Word* find_word(std::span<const Word> words, std::string_view name) {
  if (name.empty()) return nullptr;
  for (const Word& word : words) {
    for (const std::string_view known : {word.segyio, word.su, word.standard}) {
      if (equal_in_any_case(known, name)) return &word;
    }
  }
  return nullptr;
}

[[noreturn]] void throw_unknown_word(std::string_view name, std::span<const std::string_view> also) {
  ErrorParts parts{.code = ErrorCode::usage, .problem = fmt::format("unknown header word '{}'", echoed(name))};
  if (find_binary_word(name) != nullptr) {
    parts.problem = fmt::format("'{}' is a word of the binary header, not of the trace header", echoed(name));
  }
  parts.action = did_you_mean(nearest_names(name, trace_words(), also)) + std::string(word_grammar);
  throw Error(std::move(parts));
}

[[noreturn]] void throw_bad_position(std::string_view text, std::string_view what) {
  throw Error({.code = ErrorCode::usage,
               .problem = fmt::format("'{}' {}", echoed(text), what),
               .action = std::string(word_grammar)});
}

/// Reads "@BYTE:TYPE".
WordRef parse_position(std::string_view text) {
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos) throw_bad_position(text, "has no type");
  const std::string_view digits = text.substr(1, colon - 1);
  int byte = 0;
  const auto [end, status] = std::from_chars(digits.data(), digits.data() + digits.size(), byte);
  if (status != std::errc{} || end != digits.data() + digits.size() || byte < 1 || byte > trace_header_bytes) {
    throw_bad_position(text, "does not name a byte of the trace header, which are 1 to 240");
  }
  const auto type = parse_word_type(text.substr(colon + 1));
  if (!type) throw_bad_position(text, "has an unknown type");
  if (byte + type->bytes - 1 > trace_header_bytes) throw_bad_position(text, "reaches beyond byte 240 of the header");
  return {std::string(text), byte, *type};
}

}  // namespace

std::string detail::lower_case(std::string_view text) {
  std::string result(text);
  for (char& c : result) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return result;
}

std::span<const Word> trace_words() { return trace_word_table; }

std::span<const Word> binary_words() { return binary_word_table; }

const Word* find_trace_word(std::string_view name) { return find_word(trace_word_table, name); }

const Word* find_binary_word(std::string_view name) {
  if (const Word* word = find_word(binary_word_table, name)) return word;
  for (const auto& [later_name, byte] : later_binary_names) {
    if (!equal_in_any_case(later_name, name)) continue;
    return std::ranges::find(binary_word_table, byte, &Word::byte);
  }
  return nullptr;
}

std::vector<std::string> nearest_names(std::string_view name, std::span<const Word> words,
                                       std::span<const std::string_view> also) {
  std::vector<std::string_view> known(also.begin(), also.end());
  for (const Word& word : words) known.insert(known.end(), {word.segyio, word.su, word.standard});
  return sill::nearest_names(name, known);
}

WordRef parse_word(std::string_view text, std::span<const std::string_view> also) {
  const std::string_view name = trimmed(text);
  if (name.empty()) {
    throw Error({.code = ErrorCode::usage, .problem = "a header word is missing", .action = std::string(word_grammar)});
  }
  if (name.front() == '@') return parse_position(name);
  const Word* word = find_trace_word(name);
  if (word == nullptr) throw_unknown_word(name, also);
  return {std::string(name), word->byte, word->type};
}

}  // namespace sill::segy
