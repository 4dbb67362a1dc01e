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
                                SILL_STATIONS_SU = 3, SILL_STATIONS_MINISEED = 4

  public :: sill_stations_open, sill_stations_owned, sill_stations_record, sill_stations_write_step, &
            sill_stations_flush, sill_stations_steps, sill_stations_phases, sill_stations_file_bytes, &
            sill_stations_close, sill_stations_free

contains

  ! Collective. `numbers(s)` and `positions_m(:, s)` describe station s; `owners(c, s)` is the rank of its component c.
  subroutine sill_stations_open(session, stations, folder, numbers, positions_m, owners, interval_s, final_steps, &
                                steps_per_phase, count_grows, form, component_names, continues_after, shot, source_m, &
                                start_us, ierr)
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
    integer, intent(out), optional :: ierr
    character(kind=c_char), allocatable, target :: path(:), names(:)
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
