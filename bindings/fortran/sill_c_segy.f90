! The structures and functions of sill.h for SEG-Y files, as they are; see sill_c.f90.
module sill_c_segy_module
  use, intrinsic :: iso_c_binding
  implicit none
  public

  type, bind(C) :: c_file_form
    integer(c_int) :: kind
    integer(c_int) :: byte_order
    integer(c_int) :: revision
    integer(c_int) :: sample_format
    integer(c_int64_t) :: samples
    real(c_double) :: interval_us
    integer(c_int64_t) :: traces
    integer(c_int) :: lengths_vary
    integer(c_int) :: additional_trace_headers
    integer(c_int) :: sorting_code
    integer(c_int) :: measurement_system
    integer(c_int) :: text_encoding
    type(c_ptr) :: text
  end type

  interface
    function c_reader_open(session, paths, count, reader) bind(C, name="sill_reader_open") result(status)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: session
      type(c_ptr), intent(in) :: paths(*)
      integer(c_int64_t), value :: count
      type(c_ptr), value :: reader  ! its place
      integer(c_int) :: status
    end function
    function c_reader_files(reader, files) bind(C, name="sill_reader_files") result(status)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: reader
      integer(c_int64_t) :: files
      integer(c_int) :: status
    end function
    function c_reader_form(reader, file, form) bind(C, name="sill_reader_form") result(status)
      import :: c_file_form, c_int, c_int64_t, c_ptr
      type(c_ptr), value :: reader
      integer(c_int64_t), value :: file
      type(c_file_form) :: form
      integer(c_int) :: status
    end function
    function c_reader_traces(reader, traces) bind(C, name="sill_reader_traces") result(status)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: reader
      integer(c_int64_t) :: traces
      integer(c_int) :: status
    end function
    function c_reader_file_of(reader, trace, file) bind(C, name="sill_reader_file_of") result(status)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: reader
      integer(c_int64_t), value :: trace
      integer(c_int64_t) :: file
      integer(c_int) :: status
    end function
    function c_reader_is_uniform(reader, is_uniform) bind(C, name="sill_reader_is_uniform") result(status)
      import :: c_int, c_ptr
      type(c_ptr), value :: reader
      integer(c_int) :: is_uniform
      integer(c_int) :: status
    end function
    function c_reader_trace_bytes(reader, bytes) bind(C, name="sill_reader_trace_bytes") result(status)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: reader
      integer(c_int64_t) :: bytes
      integer(c_int) :: status
    end function
    function c_reader_longest_trace_bytes(reader, bytes) bind(C, name="sill_reader_longest_trace_bytes") result(status)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: reader
      integer(c_int64_t) :: bytes
      integer(c_int) :: status
    end function
    function c_reader_bytes_of(reader, first, count, bytes) bind(C, name="sill_reader_bytes_of") result(status)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: reader
      integer(c_int64_t), value :: first, count
      integer(c_int64_t) :: bytes
      integer(c_int) :: status
    end function
    function c_reader_samples_of(reader, first, count, samples) bind(C, name="sill_reader_samples_of") result(status)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: reader
      integer(c_int64_t), value :: first, count
      integer(c_int64_t) :: samples
      integer(c_int) :: status
    end function
    function c_reader_file_header(reader, file, most, into, bytes) &
        bind(C, name="sill_reader_file_header") result(status)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: reader
      integer(c_int64_t), value :: file, most
      type(c_ptr), value :: into
      integer(c_int64_t) :: bytes
      integer(c_int) :: status
    end function
    function c_reader_file_trailer(reader, file, most, into, bytes) &
        bind(C, name="sill_reader_file_trailer") result(status)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: reader
      integer(c_int64_t), value :: file, most
      type(c_ptr), value :: into
      integer(c_int64_t) :: bytes
      integer(c_int) :: status
    end function
    function c_reader_read_headers(reader, first, count, into, bytes) &
        bind(C, name="sill_reader_read_headers") result(status)
      import :: c_int, c_int64_t, c_int8_t, c_ptr
      type(c_ptr), value :: reader
      integer(c_int64_t), value :: first, count
      integer(c_int8_t) :: into(*)
      integer(c_int64_t), value :: bytes
      integer(c_int) :: status
    end function
    function c_reader_read_own(reader, first, count, into, bytes) bind(C, name="sill_reader_read_own") result(status)
      import :: c_int, c_int64_t, c_int8_t, c_ptr
      type(c_ptr), value :: reader
      integer(c_int64_t), value :: first, count
      integer(c_int8_t) :: into(*)
      integer(c_int64_t), value :: bytes
      integer(c_int) :: status
    end function
    function c_reader_read(reader, first, count, into, bytes) bind(C, name="sill_reader_read") result(status)
      import :: c_int, c_int64_t, c_int8_t, c_ptr
      type(c_ptr), value :: reader
      integer(c_int64_t), value :: first, count
      integer(c_int8_t) :: into(*)
      integer(c_int64_t), value :: bytes
      integer(c_int) :: status
    end function
    function c_reader_read_samples(reader, first, count, into, samples) &
        bind(C, name="sill_reader_read_samples") result(status)
      import :: c_float, c_int, c_int64_t, c_ptr
      type(c_ptr), value :: reader
      integer(c_int64_t), value :: first, count
      real(c_float) :: into(*)
      integer(c_int64_t), value :: samples
      integer(c_int) :: status
    end function
    function c_reader_require_unchanged(reader) bind(C, name="sill_reader_require_unchanged") result(status)
      import :: c_int, c_ptr
      type(c_ptr), value :: reader
      integer(c_int) :: status
    end function
    function c_reader_close(reader) bind(C, name="sill_reader_close") result(status)
      import :: c_int, c_ptr
      type(c_ptr) :: reader
      integer(c_int) :: status
    end function
    function c_reader_free(reader) bind(C, name="sill_reader_free") result(status)
      import :: c_int, c_ptr
      type(c_ptr) :: reader
      integer(c_int) :: status
    end function

    function c_writer_open(session, target, form, writer) bind(C, name="sill_writer_open") result(status)
      import :: c_char, c_file_form, c_int, c_ptr
      type(c_ptr), value :: session
      character(kind=c_char), intent(in) :: target(*)
      type(c_file_form), intent(in) :: form
      type(c_ptr), value :: writer  ! its place
      integer(c_int) :: status
    end function
    function c_writer_open_bytes(session, target, header_bytes, trace_bytes, traces, trailer_bytes, writer) &
        bind(C, name="sill_writer_open_bytes") result(status)
      import :: c_char, c_int, c_int64_t, c_ptr
      type(c_ptr), value :: session
      character(kind=c_char), intent(in) :: target(*)
      integer(c_int64_t), value :: header_bytes, trace_bytes, traces, trailer_bytes
      type(c_ptr), value :: writer  ! its place
      integer(c_int) :: status
    end function
    function c_writer_write_header(writer, from, bytes) bind(C, name="sill_writer_write_header") result(status)
      import :: c_int, c_int64_t, c_int8_t, c_ptr
      type(c_ptr), value :: writer
      integer(c_int8_t), intent(in) :: from(*)
      integer(c_int64_t), value :: bytes
      integer(c_int) :: status
    end function
    function c_writer_write_trailer(writer, from, bytes) bind(C, name="sill_writer_write_trailer") result(status)
      import :: c_int, c_int64_t, c_int8_t, c_ptr
      type(c_ptr), value :: writer
      integer(c_int8_t), intent(in) :: from(*)
      integer(c_int64_t), value :: bytes
      integer(c_int) :: status
    end function
    function c_writer_write(writer, first, count, from, bytes) bind(C, name="sill_writer_write") result(status)
      import :: c_int, c_int64_t, c_int8_t, c_ptr
      type(c_ptr), value :: writer
      integer(c_int64_t), value :: first, count
      integer(c_int8_t), intent(in) :: from(*)
      integer(c_int64_t), value :: bytes
      integer(c_int) :: status
    end function
    function c_writer_write_samples(writer, first, count, headers, header_bytes, samples, sample_count) &
        bind(C, name="sill_writer_write_samples") result(status)
      import :: c_float, c_int, c_int64_t, c_int8_t, c_ptr
      type(c_ptr), value :: writer
      integer(c_int64_t), value :: first, count
      integer(c_int8_t), intent(in) :: headers(*)
      integer(c_int64_t), value :: header_bytes
      real(c_float), intent(in) :: samples(*)
      integer(c_int64_t), value :: sample_count
      integer(c_int) :: status
    end function
    function c_writer_file_bytes(writer, bytes) bind(C, name="sill_writer_file_bytes") result(status)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: writer
      integer(c_int64_t) :: bytes
      integer(c_int) :: status
    end function
    function c_writer_longest_trace_bytes(writer, bytes) bind(C, name="sill_writer_longest_trace_bytes") result(status)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: writer
      integer(c_int64_t) :: bytes
      integer(c_int) :: status
    end function
    function c_writer_finish(writer) bind(C, name="sill_writer_finish") result(status)
      import :: c_int, c_ptr
      type(c_ptr) :: writer
      integer(c_int) :: status
    end function
    function c_writer_free(writer) bind(C, name="sill_writer_free") result(status)
      import :: c_int, c_ptr
      type(c_ptr) :: writer
      integer(c_int) :: status
    end function

    function c_read_word(header, word, byte_order, value) bind(C, name="sill_read_word") result(status)
      import :: c_char, c_double, c_int, c_int8_t
      integer(c_int8_t), intent(in) :: header(*)
      character(kind=c_char), intent(in) :: word(*)
      integer(c_int), value :: byte_order
      real(c_double) :: value
      integer(c_int) :: status
    end function
    function c_write_word(header, word, byte_order, value) bind(C, name="sill_write_word") result(status)
      import :: c_char, c_double, c_int, c_int8_t
      integer(c_int8_t) :: header(*)
      character(kind=c_char), intent(in) :: word(*)
      integer(c_int), value :: byte_order
      real(c_double), value :: value
      integer(c_int) :: status
    end function
  end interface
end module
