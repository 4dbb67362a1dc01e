! SEG-Y and Seismic Unix files.
module sill_segy_module
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: int8, int64, real32, real64
  use sill_c_module
  use sill_session_module
  implicit none
  private

  integer, parameter, public :: SILL_SEGY = 0, SILL_SEISMIC_UNIX = 1
  integer, parameter, public :: SILL_BIG = 0, SILL_LITTLE = 1, SILL_PAIRWISE = 2
  integer, parameter, public :: SILL_REV_0 = 0, SILL_REV_1 = 10, SILL_REV_2_0 = 20, SILL_REV_2_1 = 21
  integer, parameter, public :: SILL_EBCDIC = 0, SILL_ASCII = 1, SILL_UNKNOWN_TEXT = 2

  ! As in sill.h, except for the text, which is an argument of sill_writer_open.
  type, public :: sill_file_form
    integer :: kind = SILL_SEGY
    integer :: byte_order = SILL_BIG
    integer :: revision = SILL_REV_1
    integer :: sample_format = 5
    integer(int64) :: samples = 0
    real(real64) :: interval_us = 0
    integer(int64) :: traces = 0
    logical :: lengths_vary = .false.
    integer :: additional_trace_headers = 0
    integer :: sorting_code = 0
    integer :: measurement_system = 0
    integer :: text_encoding = SILL_EBCDIC
  end type

  type, public :: sill_reader
    type(c_ptr) :: handle = c_null_ptr
  end type
  type, public :: sill_writer
    type(c_ptr) :: handle = c_null_ptr
  end type
  type, public :: sill_extremes
    real(real64) :: smallest
    real(real64) :: largest
    integer(int64) :: smallest_trace
    integer(int64) :: largest_trace
  end type

  public :: sill_reader_open_with, sill_reader_text, sill_reader_bytes_of_list, sill_reader_samples_of_list, &
            sill_reader_read_list, sill_reader_read_list_samples, sill_reader_check_samples, sill_reader_true_values, &
            sill_reader_set_true_values, sill_writer_write_list, sill_writer_write_list_samples, sill_block_of, &
            sill_reader_read_values, sill_reader_extremes, sill_reader_order, sill_reader_sort
  public :: sill_reader_open, sill_reader_files, sill_reader_form, sill_reader_traces, sill_reader_file_of, &
            sill_reader_is_uniform, sill_reader_trace_bytes, sill_reader_longest_trace_bytes, sill_reader_bytes_of, &
            sill_reader_samples_of, sill_reader_file_header, sill_reader_file_trailer, sill_reader_read_headers, &
            sill_reader_read_own, sill_reader_read, sill_reader_read_samples, sill_reader_require_unchanged, &
            sill_reader_close, sill_reader_free
  public :: sill_writer_open, sill_writer_open_bytes, sill_writer_write_header, sill_writer_write_trailer, &
            sill_writer_write, sill_writer_write_samples, sill_writer_file_bytes, sill_writer_longest_trace_bytes, &
            sill_writer_finish, sill_writer_free
  public :: sill_read_word, sill_write_word

  interface sill_reader_read_samples
    module procedure read_samples_of_traces, read_samples_in_a_row
  end interface

contains

  ! Collective. The paths have one length, padded with blanks.
  subroutine sill_reader_open(session, reader, paths, ierr)
    type(sill_session), intent(in) :: session
    type(sill_reader), intent(inout), target :: reader
    character(len=*), intent(in) :: paths(:)
    integer, intent(out), optional :: ierr
    character(kind=c_char), allocatable, target :: all(:, :)
    type(c_ptr), allocatable :: each(:)
    integer :: i
    allocate (all(len(paths) + 1, size(paths)), each(size(paths)))
    do i = 1, size(paths)
      all(:len_trim(paths(i)) + 1, i) = c_text(paths(i))
      each(i) = c_loc(all(1, i))
    end do
    call tell_status(c_reader_open(session%handle, each, size(paths, kind=c_int64_t), place_for(reader%handle)), ierr)
  end subroutine

  ! Collective. As above, with assumptions and a header map.
  subroutine sill_reader_open_with(session, reader, paths, assume, map, ierr)
    type(sill_session), intent(in) :: session
    type(sill_reader), intent(inout), target :: reader
    character(len=*), intent(in) :: paths(:)
    character(len=*), intent(in), optional :: assume, map
    integer, intent(out), optional :: ierr
    character(kind=c_char), allocatable, target :: all(:, :), of_assume(:), of_map(:)
    type(c_ptr), allocatable :: each(:)
    integer :: i
    allocate (all(len(paths) + 1, size(paths)), each(size(paths)))
    do i = 1, size(paths)
      all(:len_trim(paths(i)) + 1, i) = c_text(paths(i))
      each(i) = c_loc(all(1, i))
    end do
    call keep_text(of_assume, assume, '')
    call keep_text(of_map, map, '')
    call tell_status(c_reader_open_with(session%handle, each, size(paths, kind=c_int64_t), &
                                        c_input_options(c_loc(of_assume), c_loc(of_map)), &
                                        place_for(reader%handle)), ierr)
  end subroutine

  ! Local. Returns the text header of a file: its lines, each followed by a newline.
  subroutine sill_reader_text(reader, file, text, ierr)
    type(sill_reader), intent(in) :: reader
    integer, intent(in) :: file
    character(len=:), allocatable, intent(out) :: text
    integer, intent(out), optional :: ierr
    character(kind=c_char), allocatable, target :: chars(:)
    integer(c_int64_t) :: number
    integer(c_int) :: status
    integer :: i
    number = 0
    status = c_reader_text(reader%handle, int(file, c_int64_t) - 1, 0_c_int64_t, c_null_ptr, number)
    allocate (chars(number))
    if (status == SILL_OK .and. number > 0) then
      status = c_reader_text(reader%handle, int(file, c_int64_t) - 1, number, c_loc(chars), number)
    end if
    allocate (character(len=size(chars)) :: text)
    do i = 1, size(chars)
      text(i:i) = chars(i)
    end do
    call tell_status(status, ierr)
  end subroutine

  ! Local. Traces by number, in any order.
  subroutine sill_reader_bytes_of_list(reader, traces, bytes, ierr)
    type(sill_reader), intent(in) :: reader
    integer(int64), intent(in) :: traces(:)
    integer(int64), intent(out) :: bytes
    integer, intent(out), optional :: ierr
    call tell_status(c_reader_bytes_of_list(reader%handle, traces - 1, size(traces, kind=c_int64_t), bytes), ierr)
  end subroutine

  ! Local.
  subroutine sill_reader_samples_of_list(reader, traces, samples, ierr)
    type(sill_reader), intent(in) :: reader
    integer(int64), intent(in) :: traces(:)
    integer(int64), intent(out) :: samples
    integer, intent(out), optional :: ierr
    call tell_status(c_reader_samples_of_list(reader%handle, traces - 1, size(traces, kind=c_int64_t), samples), ierr)
  end subroutine

  ! Local.
  subroutine sill_reader_read_list(reader, traces, into, ierr)
    type(sill_reader), intent(in) :: reader
    integer(int64), intent(in) :: traces(:)
    integer(int8), intent(inout), contiguous :: into(:)
    integer, intent(out), optional :: ierr
    call tell_status(c_reader_read_list(reader%handle, traces - 1, size(traces, kind=c_int64_t), into, &
                                        size(into, kind=c_int64_t)), ierr)
  end subroutine

  ! Local. Traces of one length: into(samples, count).
  subroutine sill_reader_read_list_samples(reader, traces, into, ierr)
    type(sill_reader), intent(in) :: reader
    integer(int64), intent(in) :: traces(:)
    real(real32), intent(inout), contiguous :: into(:, :)
    integer, intent(out), optional :: ierr
    call tell_status(c_reader_read_list_samples(reader%handle, traces - 1, size(traces, kind=c_int64_t), into, &
                                                size(into, kind=c_int64_t)), ierr)
  end subroutine

  ! Collective.
  subroutine sill_reader_check_samples(reader, ierr)
    type(sill_reader), intent(in) :: reader
    integer, intent(out), optional :: ierr
    call tell_status(c_reader_check_samples(reader%handle), ierr)
  end subroutine

  ! Local. Items are counted from 1, ranks from 0.
  subroutine sill_block_of(items, ranks, rank, first, own, ierr)
    integer(int64), intent(in) :: items
    integer, intent(in) :: ranks, rank
    integer(int64), intent(out) :: first, own
    integer, intent(out), optional :: ierr
    call tell_status(c_block_of(items, int(ranks, c_int), int(rank, c_int), first, own), ierr)
    first = first + 1
  end subroutine

  ! Collective. values(count, keys).
  subroutine sill_reader_read_values(reader, keys, first, count, values, ierr)
    type(sill_reader), intent(in) :: reader
    character(len=*), intent(in) :: keys
    integer(int64), intent(in) :: first, count
    real(real64), intent(inout), contiguous :: values(:, :)
    integer, intent(out), optional :: ierr
    call tell_status(c_reader_read_values(reader%handle, c_text(keys), first - 1, count, values, &
                                          size(values, kind=c_int64_t)), ierr)
  end subroutine

  ! Collective. Traces are counted from 1; 0 means none.
  subroutine sill_reader_extremes(reader, key, extremes, ierr)
    type(sill_reader), intent(in) :: reader
    character(len=*), intent(in) :: key
    type(sill_extremes), intent(out) :: extremes
    integer, intent(out), optional :: ierr
    type(c_extremes) :: found
    found = c_extremes(0, 0, -1, -1)
    call tell_status(c_reader_extremes(reader%handle, c_text(key), found), ierr)
    extremes = sill_extremes(found%smallest, found%largest, found%smallest_trace + 1, found%largest_trace + 1)
  end subroutine

  ! Collective. Returns the first traces of this rank's block, as many as fit into the array; `count` is the number of
  ! traces in the block.
  subroutine sill_reader_order(reader, keys, traces, count, ierr)
    type(sill_reader), intent(in) :: reader
    character(len=*), intent(in) :: keys
    integer(int64), intent(inout), contiguous :: traces(:)
    integer(int64), intent(out) :: count
    integer, intent(out), optional :: ierr
    integer(int64) :: filled
    count = 0
    call tell_status(c_reader_order(reader%handle, c_text(keys), size(traces, kind=c_int64_t), traces, count), ierr)
    filled = min(count, size(traces, kind=int64))
    traces(:filled) = traces(:filled) + 1
  end subroutine

  ! Collective.
  subroutine sill_reader_sort(reader, keys, target, ierr)
    type(sill_reader), intent(in) :: reader
    character(len=*), intent(in) :: keys, target
    integer, intent(out), optional :: ierr
    call tell_status(c_reader_sort(reader%handle, c_text(keys), c_text(target)), ierr)
  end subroutine

  ! Local. headers(240, traces), or 240 times the number of headers per trace; one value per trace.
  subroutine sill_reader_true_values(reader, word, headers, values, ierr)
    type(sill_reader), intent(in) :: reader
    character(len=*), intent(in) :: word
    integer(int8), intent(in), contiguous :: headers(:, :)
    real(real64), intent(inout), contiguous :: values(:)
    integer, intent(out), optional :: ierr
    call tell_status(c_reader_true_values(reader%handle, c_text(word), headers, size(headers, 1, c_int64_t), &
                                          count_of(headers, values), values), ierr)
  end subroutine

  ! Local. As above.
  subroutine sill_reader_set_true_values(reader, word, headers, values, ierr)
    type(sill_reader), intent(in) :: reader
    character(len=*), intent(in) :: word
    integer(int8), intent(inout), contiguous :: headers(:, :)
    real(real64), intent(in), contiguous :: values(:)
    integer, intent(out), optional :: ierr
    call tell_status(c_reader_set_true_values(reader%handle, c_text(word), headers, size(headers, 1, c_int64_t), &
                                              count_of(headers, values), values), ierr)
  end subroutine

  ! Local. Returns the number of headers, or -1, which C refuses, if the number of values differs.
  function count_of(headers, values) result(count)
    integer(int8), intent(in) :: headers(:, :)
    real(real64), intent(in) :: values(:)
    integer(c_int64_t) :: count
    count = -1
    if (size(headers, 2) == size(values)) count = size(values, kind=c_int64_t)
  end function

  ! Local.
  subroutine sill_reader_files(reader, files, ierr)
    type(sill_reader), intent(in) :: reader
    integer, intent(out) :: files
    integer, intent(out), optional :: ierr
    integer(c_int64_t) :: number
    number = 0
    call tell_status(c_reader_files(reader%handle, number), ierr)
    files = int(number)
  end subroutine

  ! Local.
  subroutine sill_reader_form(reader, file, form, ierr)
    type(sill_reader), intent(in) :: reader
    integer, intent(in) :: file
    type(sill_file_form), intent(out) :: form
    integer, intent(out), optional :: ierr
    type(c_file_form) :: of_c
    integer(c_int) :: status
    status = c_reader_form(reader%handle, int(file, c_int64_t) - 1, of_c)
    if (status == SILL_OK) then
      form = sill_file_form(of_c%kind, of_c%byte_order, of_c%revision, of_c%sample_format, of_c%samples, &
                            of_c%interval_us, of_c%traces, of_c%lengths_vary /= 0, of_c%additional_trace_headers, &
                            of_c%sorting_code, of_c%measurement_system, of_c%text_encoding)
    end if
    call tell_status(status, ierr)
  end subroutine

  ! Local.
  subroutine sill_reader_traces(reader, traces, ierr)
    type(sill_reader), intent(in) :: reader
    integer(int64), intent(out) :: traces
    integer, intent(out), optional :: ierr
    call tell_status(c_reader_traces(reader%handle, traces), ierr)
  end subroutine

  ! Local.
  subroutine sill_reader_file_of(reader, trace, file, ierr)
    type(sill_reader), intent(in) :: reader
    integer(int64), intent(in) :: trace
    integer, intent(out) :: file
    integer, intent(out), optional :: ierr
    integer(c_int64_t) :: number
    number = -1
    call tell_status(c_reader_file_of(reader%handle, trace - 1, number), ierr)
    file = int(number) + 1
  end subroutine

  ! Local.
  subroutine sill_reader_is_uniform(reader, is_uniform, ierr)
    type(sill_reader), intent(in) :: reader
    logical, intent(out) :: is_uniform
    integer, intent(out), optional :: ierr
    integer(c_int) :: answer
    answer = 0
    call tell_status(c_reader_is_uniform(reader%handle, answer), ierr)
    is_uniform = answer /= 0
  end subroutine

  ! Local.
  subroutine sill_reader_trace_bytes(reader, bytes, ierr)
    type(sill_reader), intent(in) :: reader
    integer(int64), intent(out) :: bytes
    integer, intent(out), optional :: ierr
    call tell_status(c_reader_trace_bytes(reader%handle, bytes), ierr)
  end subroutine

  ! Local.
  subroutine sill_reader_longest_trace_bytes(reader, bytes, ierr)
    type(sill_reader), intent(in) :: reader
    integer(int64), intent(out) :: bytes
    integer, intent(out), optional :: ierr
    call tell_status(c_reader_longest_trace_bytes(reader%handle, bytes), ierr)
  end subroutine

  ! Local.
  subroutine sill_reader_bytes_of(reader, first, count, bytes, ierr)
    type(sill_reader), intent(in) :: reader
    integer(int64), intent(in) :: first, count
    integer(int64), intent(out) :: bytes
    integer, intent(out), optional :: ierr
    call tell_status(c_reader_bytes_of(reader%handle, first - 1, count, bytes), ierr)
  end subroutine

  ! Local.
  subroutine sill_reader_samples_of(reader, first, count, samples, ierr)
    type(sill_reader), intent(in) :: reader
    integer(int64), intent(in) :: first, count
    integer(int64), intent(out) :: samples
    integer, intent(out), optional :: ierr
    call tell_status(c_reader_samples_of(reader%handle, first - 1, count, samples), ierr)
  end subroutine

  ! Local. Returns the bytes before the first trace of a file.
  subroutine sill_reader_file_header(reader, file, bytes, ierr)
    type(sill_reader), intent(in) :: reader
    integer, intent(in) :: file
    integer(int8), allocatable, target, intent(out) :: bytes(:)
    integer, intent(out), optional :: ierr
    integer(c_int64_t) :: number
    integer(c_int) :: status
    number = 0
    status = c_reader_file_header(reader%handle, int(file, c_int64_t) - 1, 0_c_int64_t, c_null_ptr, number)
    allocate (bytes(number))
    if (status == SILL_OK .and. number > 0) then
      status = c_reader_file_header(reader%handle, int(file, c_int64_t) - 1, number, c_loc(bytes), number)
    end if
    call tell_status(status, ierr)
  end subroutine

  ! Local. Returns the bytes after the last trace of a file.
  subroutine sill_reader_file_trailer(reader, file, bytes, ierr)
    type(sill_reader), intent(in) :: reader
    integer, intent(in) :: file
    integer(int8), allocatable, target, intent(out) :: bytes(:)
    integer, intent(out), optional :: ierr
    integer(c_int64_t) :: number
    integer(c_int) :: status
    number = 0
    status = c_reader_file_trailer(reader%handle, int(file, c_int64_t) - 1, 0_c_int64_t, c_null_ptr, number)
    allocate (bytes(number))
    if (status == SILL_OK .and. number > 0) then
      status = c_reader_file_trailer(reader%handle, int(file, c_int64_t) - 1, number, c_loc(bytes), number)
    end if
    call tell_status(status, ierr)
  end subroutine

  ! Local. `into` is into(240, count).
  subroutine sill_reader_read_headers(reader, first, count, into, ierr)
    type(sill_reader), intent(in) :: reader
    integer(int64), intent(in) :: first, count
    integer(int8), intent(inout), contiguous :: into(:, :)
    integer, intent(out), optional :: ierr
    call tell_status(c_reader_read_headers(reader%handle, first - 1, count, into, size(into, kind=c_int64_t)), ierr)
  end subroutine

  ! Local.
  subroutine sill_reader_read_own(reader, first, count, into, ierr)
    type(sill_reader), intent(in) :: reader
    integer(int64), intent(in) :: first, count
    integer(int8), intent(inout), contiguous :: into(:)
    integer, intent(out), optional :: ierr
    call tell_status(c_reader_read_own(reader%handle, first - 1, count, into, size(into, kind=c_int64_t)), ierr)
  end subroutine

  ! Collective.
  subroutine sill_reader_read(reader, first, count, into, ierr)
    type(sill_reader), intent(in) :: reader
    integer(int64), intent(in) :: first, count
    integer(int8), intent(inout), contiguous :: into(:)
    integer, intent(out), optional :: ierr
    call tell_status(c_reader_read(reader%handle, first - 1, count, into, size(into, kind=c_int64_t)), ierr)
  end subroutine

  ! Collective. Traces of one length: into(samples, count).
  subroutine read_samples_of_traces(reader, first, count, into, ierr)
    type(sill_reader), intent(in) :: reader
    integer(int64), intent(in) :: first, count
    real(real32), intent(inout), contiguous :: into(:, :)
    integer, intent(out), optional :: ierr
    call tell_status(c_reader_read_samples(reader%handle, first - 1, count, into, size(into, kind=c_int64_t)), ierr)
  end subroutine

  ! Collective. Traces of any length, one after another.
  subroutine read_samples_in_a_row(reader, first, count, into, ierr)
    type(sill_reader), intent(in) :: reader
    integer(int64), intent(in) :: first, count
    real(real32), intent(inout), contiguous :: into(:)
    integer, intent(out), optional :: ierr
    call tell_status(c_reader_read_samples(reader%handle, first - 1, count, into, size(into, kind=c_int64_t)), ierr)
  end subroutine

  ! Collective.
  subroutine sill_reader_require_unchanged(reader, ierr)
    type(sill_reader), intent(in) :: reader
    integer, intent(out), optional :: ierr
    call tell_status(c_reader_require_unchanged(reader%handle), ierr)
  end subroutine

  ! Collective.
  subroutine sill_reader_close(reader, ierr)
    type(sill_reader), intent(inout) :: reader
    integer, intent(out), optional :: ierr
    call tell_status(c_reader_close(reader%handle), ierr)
  end subroutine

  ! Local.
  subroutine sill_reader_free(reader, ierr)
    type(sill_reader), intent(inout) :: reader
    integer, intent(out), optional :: ierr
    call tell_status(c_reader_free(reader%handle), ierr)
  end subroutine

  ! Collective. `text`: lines of the text header, padded with blanks.
  subroutine sill_writer_open(session, writer, target, form, text, ierr)
    type(sill_session), intent(in) :: session
    type(sill_writer), intent(inout), target :: writer
    character(len=*), intent(in) :: target
    type(sill_file_form), intent(in) :: form
    character(len=*), intent(in), optional :: text(:)
    integer, intent(out), optional :: ierr
    character(len=:), allocatable :: lines
    character(kind=c_char), allocatable, target :: of_c_text(:)
    type(c_file_form) :: of_c
    integer :: i
    lines = ''
    if (present(text)) then
      do i = 1, size(text)
        lines = lines // trim(text(i)) // new_line('a')
      end do
    end if
    allocate (of_c_text, source=c_text(lines))
    of_c = c_file_form(form%kind, form%byte_order, form%revision, form%sample_format, form%samples, form%interval_us, &
                       form%traces, merge(1, 0, form%lengths_vary), form%additional_trace_headers, form%sorting_code, &
                       form%measurement_system, form%text_encoding, c_loc(of_c_text))
    call tell_status(c_writer_open(session%handle, c_text(target), of_c, place_for(writer%handle)), ierr)
  end subroutine

  ! Collective.
  subroutine sill_writer_open_bytes(session, writer, target, header_bytes, trace_bytes, traces, trailer_bytes, ierr)
    type(sill_session), intent(in) :: session
    type(sill_writer), intent(inout), target :: writer
    character(len=*), intent(in) :: target
    integer(int64), intent(in) :: header_bytes, trace_bytes, traces, trailer_bytes
    integer, intent(out), optional :: ierr
    call tell_status(c_writer_open_bytes(session%handle, c_text(target), header_bytes, trace_bytes, traces, &
                                         trailer_bytes, place_for(writer%handle)), ierr)
  end subroutine

  ! Collective.
  subroutine sill_writer_write_header(writer, from, ierr)
    type(sill_writer), intent(in) :: writer
    integer(int8), intent(in), contiguous :: from(:)
    integer, intent(out), optional :: ierr
    call tell_status(c_writer_write_header(writer%handle, from, size(from, kind=c_int64_t)), ierr)
  end subroutine

  ! Collective.
  subroutine sill_writer_write_trailer(writer, from, ierr)
    type(sill_writer), intent(in) :: writer
    integer(int8), intent(in), contiguous :: from(:)
    integer, intent(out), optional :: ierr
    call tell_status(c_writer_write_trailer(writer%handle, from, size(from, kind=c_int64_t)), ierr)
  end subroutine

  ! Collective.
  subroutine sill_writer_write(writer, first, count, from, ierr)
    type(sill_writer), intent(in) :: writer
    integer(int64), intent(in) :: first, count
    integer(int8), intent(in), contiguous :: from(:)
    integer, intent(out), optional :: ierr
    call tell_status(c_writer_write(writer%handle, first - 1, count, from, size(from, kind=c_int64_t)), ierr)
  end subroutine

  ! Collective. headers(240, count), or 240 times the number of headers per trace; samples(samples, count).
  subroutine sill_writer_write_samples(writer, first, count, headers, samples, ierr)
    type(sill_writer), intent(in) :: writer
    integer(int64), intent(in) :: first, count
    integer(int8), intent(in), contiguous :: headers(:, :)
    real(real32), intent(in), contiguous :: samples(:, :)
    integer, intent(out), optional :: ierr
    call tell_status(c_writer_write_samples(writer%handle, first - 1, count, headers, &
                                            size(headers, kind=c_int64_t), samples, &
                                            size(samples, kind=c_int64_t)), ierr)
  end subroutine

  ! Collective. Traces by number, in any order.
  subroutine sill_writer_write_list(writer, traces, from, ierr)
    type(sill_writer), intent(in) :: writer
    integer(int64), intent(in) :: traces(:)
    integer(int8), intent(in), contiguous :: from(:)
    integer, intent(out), optional :: ierr
    call tell_status(c_writer_write_list(writer%handle, traces - 1, size(traces, kind=c_int64_t), from, &
                                         size(from, kind=c_int64_t)), ierr)
  end subroutine

  ! Collective. As sill_writer_write_samples.
  subroutine sill_writer_write_list_samples(writer, traces, headers, samples, ierr)
    type(sill_writer), intent(in) :: writer
    integer(int64), intent(in) :: traces(:)
    integer(int8), intent(in), contiguous :: headers(:, :)
    real(real32), intent(in), contiguous :: samples(:, :)
    integer, intent(out), optional :: ierr
    call tell_status(c_writer_write_list_samples(writer%handle, traces - 1, size(traces, kind=c_int64_t), headers, &
                                                 size(headers, kind=c_int64_t), samples, &
                                                 size(samples, kind=c_int64_t)), ierr)
  end subroutine

  ! Local.
  subroutine sill_writer_file_bytes(writer, bytes, ierr)
    type(sill_writer), intent(in) :: writer
    integer(int64), intent(out) :: bytes
    integer, intent(out), optional :: ierr
    call tell_status(c_writer_file_bytes(writer%handle, bytes), ierr)
  end subroutine

  ! Local.
  subroutine sill_writer_longest_trace_bytes(writer, bytes, ierr)
    type(sill_writer), intent(in) :: writer
    integer(int64), intent(out) :: bytes
    integer, intent(out), optional :: ierr
    call tell_status(c_writer_longest_trace_bytes(writer%handle, bytes), ierr)
  end subroutine

  ! Collective.
  subroutine sill_writer_finish(writer, ierr)
    type(sill_writer), intent(inout) :: writer
    integer, intent(out), optional :: ierr
    call tell_status(c_writer_finish(writer%handle), ierr)
  end subroutine

  ! Local.
  subroutine sill_writer_free(writer, ierr)
    type(sill_writer), intent(inout) :: writer
    integer, intent(out), optional :: ierr
    call tell_status(c_writer_free(writer%handle), ierr)
  end subroutine

  ! Local. `header` has at least 240 bytes.
  subroutine sill_read_word(header, word, byte_order, value, ierr)
    integer(int8), intent(in), contiguous :: header(:)
    character(len=*), intent(in) :: word
    integer, intent(in) :: byte_order
    real(real64), intent(out) :: value
    integer, intent(out), optional :: ierr
    call tell_status(c_read_word(header, c_text(word), int(byte_order, c_int), value), ierr)
  end subroutine

  ! Local. As above.
  subroutine sill_write_word(header, word, byte_order, value, ierr)
    integer(int8), intent(inout), contiguous :: header(:)
    character(len=*), intent(in) :: word
    integer, intent(in) :: byte_order
    real(real64), intent(in) :: value
    integer, intent(out), optional :: ierr
    call tell_status(c_write_word(header, c_text(word), int(byte_order, c_int), value), ierr)
  end subroutine
end module
