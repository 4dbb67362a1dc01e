! Station output.
module sill_stations_module
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use sill_c_module
  use sill_session_module
  implicit none
  private

  type, public :: sill_stations
    type(c_ptr) :: handle = c_null_ptr
  end type

  integer, parameter, public :: SILL_STATIONS_TEXT = 0, SILL_STATIONS_SAC = 1, SILL_STATIONS_SEGY = 2, &
                                SILL_STATIONS_SU = 3, SILL_STATIONS_MINISEED = 4, SILL_STATIONS_ASDF = 5

  public :: sill_stations_open, sill_stations_owned, sill_stations_attach, sill_stations_attach_text, &
            sill_stations_attach_attribute, sill_stations_attach_attribute_text, &
            sill_stations_record, sill_stations_write_step, &
            sill_stations_flush, sill_stations_steps, sill_stations_phases, sill_stations_file_bytes, &
            sill_stations_close, sill_stations_free

contains

  ! Collective. `numbers(s)` and `positions_m(:, s)` describe station s; `owners(c, s)` is the rank of its component c.
  subroutine sill_stations_open(session, stations, folder, numbers, positions_m, owners, interval_s, final_steps, &
                                steps_per_phase, count_grows, form, component_names, continues_after, shot, source_m, &
                                start_us, codes, tag, event_id, ierr)
    type(sill_session), intent(in) :: session
    type(sill_stations), intent(inout), target :: stations
    character(len=*), intent(in) :: folder
    integer, intent(in) :: numbers(:)
    real(real64), intent(in) :: positions_m(:, :)
    integer, intent(in) :: owners(:, :)
    real(real64), intent(in) :: interval_s
    integer, intent(in) :: final_steps
    integer, intent(in), optional :: steps_per_phase  ! 1
    logical, intent(in), optional :: count_grows    ! .false.
    integer, intent(in), optional :: form           ! SILL_STATIONS_TEXT
    character(len=*), intent(in), optional :: component_names  ! 'vx,vy,vz'; those of Ondes3D
    integer, intent(in), optional :: continues_after           ! steps of an earlier run to preserve: 0
    integer, intent(in), optional :: shot                      ! 1
    real(real64), intent(in), optional, target :: source_m(3)  ! unknown
    integer(int64), intent(in), optional :: start_us           ! of the first sample, microseconds since 1970: 0
    character(len=*), intent(in), optional :: codes     ! of ASDF: 'NET.STA,NET.STA.LOC'; network XX and the numbers
    character(len=*), intent(in), optional :: tag       ! of ASDF: 'synthetic'
    character(len=*), intent(in), optional :: event_id  ! of ASDF: none
    integer, intent(out), optional :: ierr
    character(kind=c_char), allocatable, target :: path(:), names(:), all_codes(:), tag_text(:), event(:)
    type(c_station), allocatable, target :: each(:)
    integer(c_int), allocatable, target :: ranks(:)
    type(c_station_output) :: output
    integer :: s
    allocate (path, source=c_text(folder))
    allocate (ranks, source=int(reshape(owners, [size(owners)]), c_int))
    output%folder = c_loc(path)
    output%stations = size(numbers)
    ! Arrays whose sizes do not agree become an error of C on all ranks.
    if (any(shape(positions_m) /= [3, size(numbers)]) .or. size(owners, 2) /= size(numbers)) output%stations = -1
    allocate (each(max(0, int(output%stations))))
    do s = 1, size(each)
      each(s) = c_station(int(numbers(s), c_int), positions_m(:, s))
    end do
    output%station = c_null_ptr
    if (size(each) > 0) output%station = c_loc(each)
    output%components = size(owners, 1)
    output%owners = c_null_ptr
    if (size(ranks) > 0) output%owners = c_loc(ranks)
    output%interval_s = interval_s
    output%final_steps = final_steps
    output%steps_per_phase = 1
    if (present(steps_per_phase)) output%steps_per_phase = steps_per_phase
    output%count_grows = 0
    if (present(count_grows)) output%count_grows = merge(1, 0, count_grows)
    output%form = SILL_STATIONS_TEXT
    if (present(form)) output%form = form
    call keep_text(names, component_names, '')
    output%component_names = c_loc(names)
    output%shot = 1
    if (present(shot)) output%shot = shot
    output%source_m = c_null_ptr
    if (present(source_m)) output%source_m = c_loc(source_m)
    output%start_us = 0
    if (present(start_us)) output%start_us = start_us
    call keep_text(all_codes, codes, '')
    output%codes = c_loc(all_codes)
    call keep_text(tag_text, tag, 'synthetic')
    output%tag = c_loc(tag_text)
    call keep_text(event, event_id, '')
    output%event_id = c_loc(event)
    output%continues_after = 0
    if (present(continues_after)) output%continues_after = continues_after
    call tell_status(c_stations_open(session%handle, output, place_for(stations%handle)), ierr)
  end subroutine

  ! Local. Returns the stations and components of this rank in the order of its values, both counted from 1.
  subroutine sill_stations_owned(stations, station, component, ierr)
    type(sill_stations), intent(in) :: stations
    integer, allocatable, intent(out) :: station(:), component(:)
    integer, intent(out), optional :: ierr
    integer(c_int64_t), allocatable :: number(:)
    integer(c_int), allocatable :: of_station(:)
    integer(c_int64_t) :: count
    integer(c_int) :: status
    allocate (number(0), of_station(0))
    status = c_stations_owned(stations%handle, 0_c_int64_t, number, of_station, count)
    if (status == SILL_OK) then
      deallocate (number, of_station)
      allocate (number(count), of_station(count))
      status = c_stations_owned(stations%handle, count, number, of_station, count)
    end if
    allocate (station, source=int(number) + 1)
    allocate (component, source=int(of_station) + 1)
    call tell_status(status, ierr)
  end subroutine

  ! Local. Adds an array to an ASDF file, before its first output phase: 'AuxiliaryData/TYPE/NAME'. `type` is the type of
  ! `values`, SILL_I1, ... SILL_F8. In the file, as in C, the order of dimensions is reversed.
  subroutine sill_stations_attach(stations, path, type, values, ierr)
    type(sill_stations), intent(in) :: stations
    character(len=*), intent(in) :: path
    integer, intent(in) :: type
    type(*), intent(in), contiguous, target :: values(..)
    integer, intent(out), optional :: ierr
    integer(c_int64_t) :: lengths(rank(values))
    integer(c_int64_t), target :: reversed(rank(values))
    integer :: d
    lengths = shape(values, kind=c_int64_t)
    do d = 1, size(lengths)
      reversed(d) = lengths(size(lengths) + 1 - d)
    end do
    call tell_status(c_stations_attach(stations%handle, c_text(path), int(type, c_int), int(size(lengths), c_int), &
                                       c_loc(reversed), c_loc(values)), ierr)
  end subroutine

  ! Local. Adds a text to an ASDF file: 'QuakeML', 'Waveforms/NET.STA/StationXML', 'Provenance/NAME'. Trailing blanks are
  ! left out.
  subroutine sill_stations_attach_text(stations, path, text, ierr)
    type(sill_stations), intent(in) :: stations
    character(len=*), intent(in) :: path, text
    integer, intent(out), optional :: ierr
    call tell_status(c_stations_attach_text(stations%handle, c_text(path), c_text(text)), ierr)
  end subroutine

  ! Local. Sets an attribute of 'AuxiliaryData/TYPE/NAME', which this rank attached, to values of `type`.
  subroutine sill_stations_attach_attribute(stations, path, name, type, values, ierr)
    type(sill_stations), intent(in) :: stations
    character(len=*), intent(in) :: path, name
    integer, intent(in) :: type
    type(*), intent(in), contiguous, target :: values(..)
    integer, intent(out), optional :: ierr
    call tell_status(c_stations_attach_attribute(stations%handle, c_text(path), c_text(name), int(type, c_int), &
                                                 size(values, kind=c_int64_t), c_loc(values)), ierr)
  end subroutine

  ! Local. Sets an attribute to a text. Trailing blanks are left out.
  subroutine sill_stations_attach_attribute_text(stations, path, name, text, ierr)
    type(sill_stations), intent(in) :: stations
    character(len=*), intent(in) :: path, name, text
    integer, intent(out), optional :: ierr
    call tell_status(c_stations_attach_attribute_text(stations%handle, c_text(path), c_text(name), c_text(text)), ierr)
  end subroutine

  ! Local.
  subroutine sill_stations_record(stations, values, ierr)
    type(sill_stations), intent(in) :: stations
    real(real64), intent(in), contiguous :: values(:)
    integer, intent(out), optional :: ierr
    call tell_status(c_stations_record(stations%handle, values, size(values, kind=c_int64_t)), ierr)
  end subroutine

  ! Collective.
  subroutine sill_stations_write_step(stations, values, ierr)
    type(sill_stations), intent(in) :: stations
    real(real64), intent(in), contiguous :: values(:)
    integer, intent(out), optional :: ierr
    call tell_status(c_stations_write_step(stations%handle, values, size(values, kind=c_int64_t)), ierr)
  end subroutine

  ! Collective.
  subroutine sill_stations_flush(stations, ierr)
    type(sill_stations), intent(in) :: stations
    integer, intent(out), optional :: ierr
    call tell_status(c_stations_flush(stations%handle), ierr)
  end subroutine

  ! Local.
  subroutine sill_stations_steps(stations, steps, ierr)
    type(sill_stations), intent(in) :: stations
    integer(int64), intent(out) :: steps
    integer, intent(out), optional :: ierr
    call tell_status(c_stations_steps(stations%handle, steps), ierr)
  end subroutine

  ! Local.
  subroutine sill_stations_phases(stations, phases, ierr)
    type(sill_stations), intent(in) :: stations
    integer(int64), intent(out) :: phases
    integer, intent(out), optional :: ierr
    call tell_status(c_stations_phases(stations%handle, phases), ierr)
  end subroutine

  ! Local.
  subroutine sill_stations_file_bytes(stations, bytes, ierr)
    type(sill_stations), intent(in) :: stations
    integer(int64), intent(out) :: bytes
    integer, intent(out), optional :: ierr
    call tell_status(c_stations_file_bytes(stations%handle, bytes), ierr)
  end subroutine

  ! Collective.
  subroutine sill_stations_close(stations, ierr)
    type(sill_stations), intent(inout) :: stations
    integer, intent(out), optional :: ierr
    call tell_status(c_stations_close(stations%handle), ierr)
  end subroutine

  ! Local.
  subroutine sill_stations_free(stations, ierr)
    type(sill_stations), intent(inout) :: stations
    integer, intent(out), optional :: ierr
    call tell_status(c_stations_free(stations%handle), ierr)
  end subroutine
end module
