! Programs in Fortran, as parts of a test: each does what a user's program does, and returns the first status that is not
! 0. They are called from tests/bindings/fortran_mpi_test.cpp.
module fortran_calls
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: int8, int64, real32, real64
#ifdef SILL_MPI_F08
  use mpi_f08, only: MPI_Comm
#endif
  use sill
  implicit none

contains

  function text_of(chars) result(text)
    character(kind=c_char), intent(in) :: chars(*)
    character(len=:), allocatable :: text
    integer :: length, i
    length = 0
    do while (chars(length + 1) /= c_null_char)
      length = length + 1
    end do
    allocate (character(len=length) :: text)
    do i = 1, length
      text(i:i) = chars(i)
    end do
  end function

  function f_write_stations(comm, ranks, policy, folder, form) bind(C) result(ierr)
    integer(c_int), value :: comm, ranks, form
    character(kind=c_char), intent(in) :: policy(*), folder(*)
    integer(c_int) :: ierr
    type(sill_session) :: session
    type(sill_stations) :: stations
    integer :: numbers(5), owners(3, 5), s, c, step, after
    integer, allocatable :: station(:), component(:)
    integer(int64) :: phases
    real(real64) :: positions(3, 5)
    do s = 1, 5
      numbers(s) = s + 6
      positions(:, s) = 1000.5_real64 * (s - 1) - [0, 1, 2]
      do c = 1, 3
        owners(c, s) = mod(s + c - 2, ranks)
      end do
    end do
    do after = 0, 4, 4  ! in two runs, of which the first goes further than the second goes on from
      call sill_session_open(comm, session, text_of(policy) // '  ', ierr=ierr)
      if (ierr == SILL_OK) then
        call sill_stations_open(session, stations, text_of(folder), numbers, positions, owners, interval_s=0.0625_real64, &
                                final_steps=1000, steps_per_phase=4, form=int(form), shot=3, &
                                source_m=[12.5_real64, -7.25_real64, 100._real64], start_us=1000000_int64, &
                                continues_after=after, ierr=ierr)
      end if
      if (ierr == SILL_OK) call sill_session_finish(session, ierr)
      if (ierr == SILL_OK) call sill_stations_owned(stations, station, component, ierr)
      do step = after + 1, 8 + after
        if (ierr /= SILL_OK) exit
        call sill_stations_write_step(stations, &
                                      100 * real(station - 1, real64) + 10 * (component - 1) - 0.125_real64 * step, ierr)
      end do
      if (ierr == SILL_OK) call sill_stations_phases(stations, phases, ierr)
      if (ierr == SILL_OK .and. phases /= 2) ierr = -1
      if (ierr == SILL_OK) call sill_stations_close(stations, ierr)
      if (ierr /= SILL_OK) return
    end do
  end function

  ! See c_write_asdf.
  function f_write_asdf(comm, rank, ranks, folder) bind(C) result(ierr)
    integer(c_int), value :: comm, rank, ranks
    character(kind=c_char), intent(in) :: folder(*)
    integer(c_int) :: ierr
    type(sill_session) :: session
    type(sill_stations) :: stations
    integer :: numbers(5), owners(3, 5), s, c, step
    integer, allocatable :: station(:), component(:)
    real(real64) :: positions(3, 5), array(3, 2)
    positions = 0
    array = reshape([(real(s, real64), s = 0, 5)], [3, 2])
    do s = 1, 5
      numbers(s) = s + 6
      do c = 1, 3
        owners(c, s) = mod(s + c - 2, ranks)
      end do
    end do
    call sill_session_open(comm, session, 'staged', ierr=ierr)
    if (ierr /= SILL_OK) return
    call sill_stations_open(session, stations, text_of(folder), numbers, positions, owners, interval_s=0.0625_real64, &
                            final_steps=8, steps_per_phase=4, form=SILL_STATIONS_ASDF, component_names='BXE,BXN,BXZ', &
                            start_us=1356998400000000_int64, codes='IU.S0,IU.S1,IU.S2,IU.S3,IU.S4.10', tag='raw_1', &
                            event_id='smi:local/e', ierr=ierr)
    if (ierr == SILL_OK .and. rank == 0) then
      call sill_stations_attach(stations, 'AuxiliaryData/A/b', SILL_F8, array, ierr)
      if (ierr == SILL_OK) call sill_stations_attach_attribute(stations, 'AuxiliaryData/A/b', 'shape', SILL_I8, &
                                                               [2_int64, 3_int64], ierr)
      if (ierr == SILL_OK) call sill_stations_attach_attribute_text(stations, 'AuxiliaryData/A/b', 'units', 'm', ierr)
      if (ierr == SILL_OK) call sill_stations_attach_text(stations, 'Waveforms/IU.S4/StationXML', '<station/>', ierr)
    end if
    if (ierr == SILL_OK) call sill_stations_owned(stations, station, component, ierr)
    do step = 1, 8
      if (ierr /= SILL_OK) return
      call sill_stations_write_step(stations, &
                                    100 * real(station - 1, real64) + 10 * (component - 1) - 0.125_real64 * step, ierr)
    end do
    if (ierr == SILL_OK) call sill_stations_close(stations, ierr)
    if (ierr == SILL_OK) call sill_session_finish(session, ierr)
  end function

  ! A run that goes on from the checkpoint that is there; see c_restart.
  function f_restart(comm, path, first, count, whole, state, step) bind(C) result(ierr)
    integer(c_int), value :: comm
    character(kind=c_char), intent(in) :: path(*)
    integer(c_int64_t), value :: first, count, whole
    real(real64), intent(inout), target :: state(count), step
    integer(c_int) :: ierr
    type(sill_session) :: session
    type(sill_dataset) :: dataset
    type(sill_dataset_reader) :: reader
    real(real64), target :: found(1)
    integer(int64) :: steps, i
    call sill_session_open(comm, session, ierr=ierr)
    if (ierr == SILL_OK) call sill_dataset_open(session, dataset, text_of(path), existing=SILL_APPEND_TO_EXISTING, ierr=ierr)
    if (ierr == SILL_OK) call sill_dataset_define_dimension(dataset, 'time', 0, ierr)
    if (ierr == SILL_OK) call sill_dataset_define_dimension(dataset, 'x', whole, ierr)
    if (ierr == SILL_OK) call sill_dataset_define_variable(dataset, 'step', SILL_F8, 'time', ierr)
    if (ierr == SILL_OK) call sill_dataset_define_variable(dataset, 'u', SILL_F8, 'x,time', ierr)
    if (ierr == SILL_OK) call sill_dataset_begin(dataset, ierr)
    if (ierr == SILL_OK) call sill_dataset_steps(dataset, steps, ierr)
    if (ierr == SILL_OK .and. steps > 0) then
      call sill_dataset_reader_open(session, reader, text_of(path), ierr)
      if (ierr == SILL_OK .and. count > 0) call sill_dataset_reader_get(reader, 'u', state, [int(first)], [int(count)], ierr=ierr)
      if (ierr == SILL_OK) call sill_dataset_reader_get_elements(reader, 'step', found, [1_int64], ierr)
      if (ierr == SILL_OK) call sill_dataset_reader_read_step(reader, 0, ierr)
      if (ierr == SILL_OK) call sill_dataset_reader_free(reader, ierr)
      step = found(1)
    end if
    step = step + 1
    do i = 1, count
      state(i) = state(i) + 0.5_real64 * (first + i - 2)
    end do
    if (ierr == SILL_OK .and. count > 0) call sill_dataset_put(dataset, 'u', state, [int(first)], [int(count)], ierr=ierr)
    if (ierr == SILL_OK) call sill_dataset_put_value(dataset, 'step', step, ierr)
    if (ierr == SILL_OK) call sill_dataset_write_step(dataset, ierr=ierr)
    if (ierr == SILL_OK) call sill_dataset_close(dataset, ierr)
    if (ierr == SILL_OK) call sill_session_finish(session, ierr)
  end function

  function f_write_layout(comm, path, layout, first, count, whole, values) bind(C) result(ierr)
    integer(c_int), value :: comm
    character(kind=c_char), intent(in) :: path(*), layout(*)
    integer(c_int64_t), value :: first, count, whole
    real(real64), intent(in), target :: values(count)
    integer(c_int) :: ierr
    type(sill_session) :: session
    type(sill_dataset) :: dataset
    integer :: step
    call sill_session_open(comm, session, ierr=ierr)
    if (ierr == SILL_OK) call sill_dataset_open(session, dataset, text_of(path), layout=text_of(layout), ierr=ierr)
    if (ierr == SILL_OK) call sill_dataset_define_dimension(dataset, 'time', 0, ierr)
    if (ierr == SILL_OK) call sill_dataset_define_dimension(dataset, 'x', whole, ierr)
    if (ierr == SILL_OK) call sill_dataset_define_variable(dataset, 'u', SILL_F4, 'x,time', ierr)
    if (ierr == SILL_OK) call sill_dataset_begin(dataset, ierr)
    do step = 1, 2
      if (ierr == SILL_OK .and. count > 0) call sill_dataset_put(dataset, 'u', values, [int(first)], [int(count)], ierr=ierr)
      if (ierr == SILL_OK) call sill_dataset_write_step(dataset, ierr=ierr)
    end do
    if (ierr == SILL_OK) call sill_dataset_close(dataset, ierr)
    if (ierr == SILL_OK) call sill_session_finish(session, ierr)
  end function

  function f_write_dataset(comm, rank, ranks, policy, path) bind(C) result(ierr)
    integer(c_int), value :: comm, rank, ranks
    character(kind=c_char), intent(in) :: policy(*), path(*)
    integer(c_int) :: ierr
    integer, parameter :: nx = 12, ny = 5
    type(sill_session) :: session
    type(sill_dataset) :: dataset
    type(sill_dataset_reader) :: reader
    integer :: first, columns, step, s, x, y
    real(real64), allocatable, target :: u(:, :, :), depth(:)
    real(real32), target :: read(nx, ny)
    integer(int64), allocatable, target :: nodes(:, :), numbers(:)
    integer(int64), target :: found(2)
    integer(int64) :: steps, length
    logical :: holds
    first = nx * rank / ranks + 1
    columns = nx * (rank + 1) / ranks - first + 1
    allocate (u(first - 1:first + columns, 0:ny + 1, 0:1), nodes(columns, 0:1), numbers(columns), depth(ny))
    call sill_session_open(comm, session, text_of(policy), ierr=ierr)
    if (ierr == SILL_OK) call sill_dataset_open(session, dataset, text_of(path), existing=SILL_REPLACE_EXISTING, &
                                                   container='hdf', ierr=ierr)
    if (ierr /= SILL_USAGE) then
      ierr = -1
      return
    end if
    call sill_dataset_open(session, dataset, text_of(path), existing=SILL_REPLACE_EXISTING, container='netcdf  ', ierr=ierr)
    if (ierr == SILL_OK) call sill_dataset_define_dimension(dataset, 'time', 0, ierr)
    if (ierr == SILL_OK) call sill_dataset_define_dimension(dataset, 'y', ny, ierr)
    if (ierr == SILL_OK) call sill_dataset_define_dimension(dataset, 'x', int(nx, int64), ierr)
    if (ierr == SILL_OK) call sill_dataset_define_variable(dataset, 'depth', SILL_F8, 'y', ierr)
    if (ierr == SILL_OK) call sill_dataset_define_variable(dataset, 'u', SILL_F4, 'x, y,time', ierr)
    if (ierr == SILL_OK) call sill_dataset_define_variable(dataset, 'node', SILL_I4, 'x,time', ierr)
    if (ierr == SILL_OK) call sill_dataset_define_text(dataset, 'units', 'm s-1', variable='u', ierr=ierr)
    if (ierr == SILL_OK) call sill_dataset_define_attribute(dataset, 'valid_range', [0.0, 1000.0], variable='u', ierr=ierr)
    if (ierr == SILL_OK) call sill_dataset_define_text(dataset, 'title', 'bindings', ierr=ierr)
    if (ierr == SILL_OK) call sill_dataset_define_coordinate(dataset, 'time', 'T', 'seconds since 2026-01-01 00:00:00', &
                                                             ierr=ierr)
    if (ierr == SILL_OK) call sill_dataset_define_coordinate(dataset, 'y', 'Z', 'm', 'up', 'height', ierr)
    if (ierr == SILL_OK) call sill_dataset_begin(dataset, ierr)
    depth = [(0.5_real64 * (y - 1), y=1, ny)]
    if (ierr == SILL_OK .and. rank == 0) call sill_dataset_put(dataset, 'depth', depth, [1], [ny], ierr=ierr)
    if (ierr == SILL_OK) call sill_dataset_write(dataset, ierr=ierr)
    do step = 0, 2  ! the second and the third together
      if (ierr /= SILL_OK) exit
      s = mod(step, 2)
      do y = 0, ny + 1
        do x = first - 1, first + columns
          u(x, y, s) = 100 * step + 10 * (y - 1) + x - 1
        end do
      end do
      numbers = [(first + columns - x, x=1, columns)]
      nodes(:, s) = 10 * step + numbers - 1
      if (step == 1) then
        call sill_dataset_put(dataset, 'u', u(:, :, s), [first, 1], [columns, ny], [first - 1, 0], [columns + 2, ny + 2], ierr)
        if (ierr == SILL_OK) call sill_dataset_put_elements(dataset, 'node', nodes(:, s), numbers, ierr)
      else  ! expressions, of other kinds; indices of more bits
        call sill_dataset_put_copy(dataset, 'u', real(u(first:first + columns - 1, 1:ny, s), real32), &
                                   int([first, 1], int64), int([columns, ny], int64), ierr=ierr)
        if (ierr == SILL_OK) call sill_dataset_put_elements_copy(dataset, 'node', nodes(:, s) + 0, numbers, ierr)
      end if
      if (ierr == SILL_OK) call sill_dataset_put_value(dataset, 'time', 0.5 * step + rank, ierr)
      if (ierr == SILL_OK .and. step == 1) call sill_dataset_next_step(dataset, ierr)
      if (ierr == SILL_OK .and. step /= 1) call sill_dataset_write_step(dataset, ierr=ierr)
    end do
    if (ierr == SILL_OK) call sill_dataset_wait(dataset, ierr)
    if (ierr == SILL_OK .and. rank == 0) then
      call sill_dataset_put_copy(dataset, 'node', 10 + 10, [1_int64], [1_int64], ierr=ierr)
      if (ierr == SILL_OK) call sill_dataset_write_own(dataset, 2, ierr)
    end if
    if (ierr == SILL_OK) call sill_dataset_set_attribute(dataset, 'valid_range', [0.0, 299.0], variable='u', ierr=ierr)
    if (ierr == SILL_OK) call sill_dataset_set_text(dataset, 'title', 'bindings, complete', ierr=ierr)
    if (ierr == SILL_OK) call sill_dataset_steps(dataset, steps, ierr)
    if (ierr == SILL_OK .and. steps /= 3) ierr = -1
    if (ierr == SILL_OK) call sill_dataset_close(dataset, ierr)
    if (ierr == SILL_OK) call sill_dataset_reader_open(session, reader, text_of(path), ierr)
    if (ierr == SILL_OK) call sill_dataset_reader_length(reader, 'x', length, ierr)
    if (ierr == SILL_OK) call sill_dataset_reader_get(reader, 'u', read, [1, 1], [nx, ny], ierr=ierr)
    if (ierr == SILL_OK) call sill_dataset_reader_next_step(reader, ierr)
    if (ierr == SILL_OK) call sill_dataset_reader_get_elements(reader, 'node', found, [12_int64, 5_int64], ierr)
    if (ierr == SILL_OK) call sill_dataset_reader_read_step(reader, 0, ierr)
    depth = -1
    if (ierr == SILL_OK) call sill_dataset_reader_get(reader, 'depth', depth, [1], [ny], ierr=ierr)
    if (ierr == SILL_OK) call sill_dataset_reader_read(reader, ierr)
    if (ierr == SILL_OK) call sill_dataset_reader_steps(reader, steps, ierr)
    if (ierr == SILL_OK) call sill_dataset_reader_holds(reader, 'u', 0_int64, holds, ierr)
    if (ierr == SILL_OK .and. .not. holds) ierr = -1
    if (ierr /= SILL_OK) return
    if (steps /= 3 .or. length /= nx .or. any(found /= [21, 14]) .or. read(5, 2) < 14 .or. read(5, 2) > 14 .or. &
        depth(5) < 2) ierr = -1
    if (ierr == SILL_OK) call sill_dataset_reader_get(reader, 'u', read(1:nx:2, :), [1, 1], [nx / 2, ny], ierr=ierr)
    if (ierr == SILL_OK) call sill_dataset_reader_read_step(reader, 0, ierr)
    if (ierr /= SILL_USAGE) then  ! as that array is not contiguous
      ierr = -2
      return
    end if
    call sill_dataset_reader_get(reader, 'u', read, [1, 1], [nx, ny - 1], ierr=ierr)  ! of another size than the box
    if (ierr == SILL_OK) call sill_dataset_reader_read_step(reader, 0, ierr)
    if (ierr == SILL_USAGE) call sill_dataset_reader_get(reader, 'u', read, [1, 1], [nx, ny - 1], [2, 1], [nx, ny], ierr)
    if (ierr == SILL_OK) call sill_dataset_reader_read_step(reader, 0, ierr)  ! not within what is stored
    ierr = merge(SILL_OK, -2, ierr == SILL_USAGE)
    call sill_dataset_reader_free(reader)
  end function

  ! `boxes`: first, counted from 0, and count of what is written, of what is stored.
  function f_write_records(comm, rank, ranks, path) bind(C) result(ierr)
    integer(c_int), value :: comm, rank, ranks
    character(kind=c_char), intent(in) :: path(*)
    integer(c_int) :: ierr
    type(sill_session) :: session
    type(sill_records) :: records
    character(len=32) :: text
    integer(int64) :: id
    call sill_session_open(comm, session, 'staged', ierr=ierr)
    if (ierr == SILL_OK) then
      call sill_records_open(session, records, text_of(path), codec='bgzf', level=6, files=2, ids=100_int64, ierr=ierr)
    end if
    do id = 99, 0, -1
      if (ierr /= SILL_OK) exit
      write (text, '(a, i0)') 'record ', id
      if (modulo(id, int(ranks, int64)) == rank) call sill_records_put(records, id, trim(text), ierr)
      if (id == 50 .and. ierr == SILL_OK) call sill_records_write(records, ierr)
    end do
    if (ierr == SILL_OK) call sill_records_close(records, ierr)
    if (ierr == SILL_OK) call sill_session_finish(session, ierr)
  end function

  function f_write_surfaces(comm, policy, prefix, boxes, order, step, velocity, displacement) bind(C) result(ierr)
    integer(c_int), value :: comm
    character(kind=c_char), intent(in) :: policy(*), prefix(*)
    integer(c_int64_t), intent(in) :: boxes(3, 4)
    integer(c_int), value :: order, step
    type(c_ptr), intent(in) :: velocity(3), displacement(3)
    integer(c_int) :: ierr
    type(sill_session) :: session
    type(sill_surfaces) :: surfaces
    real(real32), pointer, contiguous :: v1(:, :, :), v2(:, :, :), v3(:, :, :), d1(:, :, :), d2(:, :, :), d3(:, :, :)
    integer(int64) :: bytes
    integer :: shape(3)
    logical :: has_displacement
    has_displacement = c_associated(displacement(1))
    shape = int(boxes(:, 4))
    if (order == SILL_Z_FASTEST) shape = shape([3, 2, 1])
    call c_f_pointer(velocity(1), v1, shape)
    call c_f_pointer(velocity(2), v2, shape)
    call c_f_pointer(velocity(3), v3, shape)
    call sill_session_open(comm, session, text_of(policy), ierr=ierr)
    if (ierr == SILL_OK) then
      call sill_surfaces_open(session, surfaces, [13, 10, 7], int(boxes(:, 1)) + 1, int(boxes(:, 2)), &
                              int(boxes(:, 3)) + 1, int(boxes(:, 4)), order=order, prefix=text_of(prefix), xy_at_z=6, &
                              xz_at_y=5, yz_at_x=13, first_plane_row=2, plane_rows=5, &
                              origin=[100._real64, -20._real64, 3.5_real64], &
                              spacing=[0.5_real64, 0.5_real64, 0.5_real64], displacement=has_displacement, ierr=ierr)
    end if
    if (ierr == SILL_OK) call sill_surfaces_phase_bytes(surfaces, bytes, ierr)
    if (ierr == SILL_OK .and. bytes < 2940) ierr = -1
    if (ierr == SILL_OK .and. has_displacement) then
      call c_f_pointer(displacement(1), d1, shape)
      call c_f_pointer(displacement(2), d2, shape)
      call c_f_pointer(displacement(3), d3, shape)
      call sill_surfaces_write_phase(surfaces, step, v1, v2, v3, d1, d2, d3, SILL_LENT, ierr)
      if (ierr == SILL_OK) call sill_surfaces_wait(surfaces, ierr)
    else if (ierr == SILL_OK) then
      call sill_surfaces_write_phase(surfaces, step, v1, v2, v3, ierr=ierr)
    end if
    if (ierr == SILL_OK) call sill_surfaces_close(surfaces, ierr)
    if (ierr == SILL_OK) call sill_session_finish(session, ierr)
  end function

  function f_write_volumes(comm, rank, ranks, prefix) bind(C) result(ierr)
    integer(c_int), value :: comm, rank, ranks
    character(kind=c_char), intent(in) :: prefix(*)
    integer(c_int) :: ierr
    type(sill_session) :: session
    type(sill_volumes) :: volumes
    integer :: first, count, step, x, y, z
    integer(int64) :: batches, bytes, kept
    real(real32), allocatable :: u(:, :, :), w(:, :, :)
    first = 8 * rank / ranks + 1
    count = 8 * (rank + 1) / ranks - first + 1
    allocate (u(9, first - 1:first + count, 6), w(9, first - 1:first + count, 6))
    call sill_session_open(comm, session, 'elected', ierr=ierr)
    call sill_volumes_open(session, volumes, [9, 8, 6], [1, first, 1], [9, count, 6], [1, first - 1, 1], &
                           [9, count + 2, 6], prefix=text_of(prefix), components='XZ', kept_first=[2, 1, 1], &
                           kept_last=[9, 7, 6], kept_skip=[2, 2, 2], steps_per_sample=2, samples_per_file=2, ierr=ierr)
    if (ierr /= SILL_OK) return
    do step = 1, 9
      do z = 1, 6
        do y = first - 1, first + count
          do x = 1, 9
            u(x, y, z) = real((step * 3 * 16 + x - 1) * 256 + (y - 1) * 16 + z - 1, real32)
            w(x, y, z) = u(x, y, z) + 2 * 16 * 256
          end do
        end do
      end do
      call sill_volumes_write_step(volumes, step, x=u, z=w, ierr=ierr)
      if (ierr /= SILL_OK) return
    end do
    call sill_volumes_wait(volumes)
    call sill_volumes_batches(volumes, batches)
    call sill_volumes_batch_bytes(volumes, bytes)
    call sill_volumes_kept_bytes(volumes, kept)
    if (batches /= 2 .or. bytes /= 2 * 2 * 4 * 4 * 3 * 4 .or. kept > bytes) ierr = -1
    call sill_volumes_close(volumes)
    call sill_session_finish(session)
  end function

  function f_write_solutions(comm, rank, folder) bind(C) result(ierr)
    integer(c_int), value :: comm, rank
    character(kind=c_char), intent(in) :: folder(*)
    integer(c_int) :: ierr
    type(sill_session) :: session
    type(sill_solutions) :: solutions
    integer(int64) :: first, count, bytes
    integer :: step, i
    real(real64) :: corners(3, 3, rank + 1)
    real(real64), target :: values(2, 10, rank + 1)
    call sill_session_open(comm, session, ierr=ierr)
    call sill_solutions_open(session, solutions, text_of(folder), rank + 1, 3, dimensions=2, ierr=ierr)
    if (ierr /= SILL_OK) return
    call sill_solutions_problems(solutions, first, count)
    if (count /= rank + 1) ierr = -1
    corners = reshape([(real(9 * (first - 1) + i, real64) / 8, i=0, size(corners) - 1)], shape(corners))
    call sill_solutions_write_problem_files(solutions, corners, 'order 2' // new_line('a'))
    do step = 2, 4, 2
      values = reshape([(real(20 * (first - 1) + i, real64) / 16 - step, i=0, size(values) - 1)], shape(values))
      call sill_solutions_write_phase(solutions, step, values, merge(SILL_LENT, SILL_COPIED, step == 4))
      if (step == 4) call sill_solutions_wait(solutions)
    end do
    call sill_solutions_phase_bytes(solutions, bytes)
    if (bytes < 260) ierr = -2
    call sill_solutions_close(solutions)
    call sill_session_finish(session)
  end function

  ! Copies a survey by headers and samples, and by bytes.
  function f_copy_survey(comm, rank, ranks, from, to_samples, to_bytes) bind(C) result(ierr)
    integer(c_int), value :: comm, rank, ranks
    character(kind=c_char), intent(in) :: from(*), to_samples(*), to_bytes(*)
    integer(c_int) :: ierr
    type(sill_session) :: session
    type(sill_reader) :: reader
    type(sill_writer) :: writer
    type(sill_file_form) :: form
    integer(int8), allocatable :: header(:), trailer(:), headers(:, :), bytes(:)
    real(real32), allocatable :: samples(:, :), in_a_row(:)
    integer(int64) :: first, count, trace_bytes, my_bytes, traces, file_bytes, number
    integer :: file, files
    logical :: is_uniform
    real(real64) :: value
    character(len=300) :: paths(1)
    paths(1) = text_of(from)
    call sill_session_open(comm, session, ierr=ierr)
    call sill_reader_open(session, reader, paths, ierr)
    if (ierr /= SILL_OK) return
    call sill_reader_form(reader, 1, form)
    call sill_reader_files(reader, files)
    call sill_reader_traces(reader, traces)
    call sill_reader_is_uniform(reader, is_uniform)
    call sill_reader_file_of(reader, traces, file)
    call sill_reader_trace_bytes(reader, trace_bytes)
    call sill_reader_longest_trace_bytes(reader, number)
    if (files /= 1 .or. file /= 1 .or. traces /= form%traces .or. .not. is_uniform .or. number /= trace_bytes) ierr = -1
    first = traces * rank / ranks + 1
    count = traces * (rank + 1) / ranks - first + 1
    call sill_reader_bytes_of(reader, first, count, my_bytes)
    call sill_reader_samples_of(reader, first, count, number)
    allocate (headers(240, count), samples(form%samples, count), in_a_row(number), bytes(my_bytes))
    call sill_reader_read_headers(reader, first, count, headers)
    call sill_reader_read_samples(reader, first, count, samples)
    call sill_reader_read_samples(reader, first, count, in_a_row)
    if (any(in_a_row /= reshape(samples, [size(samples)]))) ierr = -2
    if (count > 0) then
      call sill_read_word(headers(:, 1), 'tracl', form%byte_order, value)
      if (value /= real(first, real64)) ierr = -3
      call sill_write_word(headers(:, 1), 'tracl', form%byte_order, value)
    end if
    call sill_writer_open(session, writer, text_of(to_samples), form, ['C 1 MADE BY A TEST', 'C 2 OF WRITERS    '])
    call sill_writer_write_samples(writer, first, count, headers, samples)
    call sill_writer_finish(writer)

    call sill_reader_file_header(reader, 1, header)
    call sill_reader_file_trailer(reader, 1, trailer)
    call sill_reader_read(reader, first, count, bytes)
    call sill_writer_open_bytes(session, writer, text_of(to_bytes), size(header, kind=int64), trace_bytes, traces, &
                                size(trailer, kind=int64))
    call sill_writer_file_bytes(writer, file_bytes)
    if (file_bytes /= size(header) + traces * trace_bytes + size(trailer)) ierr = -4
    call sill_writer_write_header(writer, header)
    call sill_writer_write(writer, first, count, bytes)
    call sill_writer_write_trailer(writer, trailer)
    call sill_reader_require_unchanged(reader)
    call sill_writer_finish(writer)
    call sill_reader_close(reader)
    call sill_session_finish(session)
  end function

  ! Errors come as `ierr`, with a text; places of the wrong shape are among them. Whatever is wrong is reported
  ! by the number that is returned.
  function f_errors(comm, folder) bind(C) result(wrong)
    integer(c_int), value :: comm
    character(kind=c_char), intent(in) :: folder(*)
    integer(c_int) :: wrong
    type(sill_session) :: session
    type(sill_stations) :: stations
    type(sill_surfaces) :: surfaces
    type(sill_reader) :: reader
    character(len=:), allocatable :: text
    integer, parameter :: enoent = 2
    integer :: ierr
#ifdef SILL_MPI_F08
    type(MPI_Comm) :: f08
    type(sill_session) :: other
#endif
    wrong = 0
    call sill_session_finish(session, ierr)
    if (ierr /= SILL_USAGE .or. index(sill_error_text(), 'is NULL') == 0) wrong = 1
    call sill_session_open(comm, session, 'fastest', ierr=ierr)
    if (ierr /= SILL_USAGE .or. index(sill_error_text(), 'fastest') == 0) wrong = 2
    call sill_session_open(comm, session, ierr=ierr)
    if (ierr /= SILL_OK) wrong = 3
    call sill_session_report(session, text, SILL_JSON)
    if (index(text, '"ranks"') == 0) wrong = 8
    call sill_session_report(session, text, 7, ierr)
    if (ierr /= SILL_USAGE .or. len(text) /= 0) wrong = 9
#ifdef SILL_MPI_F08
    f08%mpi_val = comm
    call sill_session_open(f08, other, memory_bytes=1048576_int64, threads=1, environment=.false., ierr=ierr)
    if (ierr /= SILL_OK) wrong = 10
    call sill_session_finish(other)
#endif
    call sill_stations_open(session, stations, text_of(folder), [1, 2], reshape([0._real64], [1, 1]), &
                            reshape([0], [1, 1]), 1._real64, 10, ierr=ierr)
    if (ierr /= SILL_USAGE .or. index(sill_error_text(), 'not the same in all arrays') == 0) wrong = 4
    call sill_surfaces_open(session, surfaces, [4, 4, 4], [1, 1, 1], [4, 4, 4], prefix=text_of(folder) // '/', xy_at_z=5, &
                            ierr=ierr)
    if (ierr /= SILL_USAGE .or. index(sill_error_text(), 'a plane at z') == 0) wrong = 5
    call sill_surfaces_free(surfaces, ierr)
    if (ierr /= SILL_OK) wrong = 6
    if (sill_last_errno() /= 0) wrong = 11
    call sill_reader_open(session, reader, [text_of(folder) // '.none'], ierr)
    if (ierr /= SILL_IO .or. sill_last_errno() /= enoent) wrong = 12
    call sill_session_free(session)
    if (len(sill_version()) < 5) wrong = 7
  end function

  ! Of one rank: the first point alone, from step 0 on; and points and steps that cannot be.
  function f_first_point(comm, prefix) bind(C) result(wrong)
    integer(c_int), value :: comm
    character(kind=c_char), intent(in) :: prefix(*)
    integer(c_int) :: wrong
    type(sill_session) :: session
    type(sill_volumes) :: volumes
    real(real32) :: v(4, 5, 6)
    integer(int64) :: bytes
    integer :: ierr
    wrong = 0
    v = 1
    call sill_session_open(comm, session)
    call sill_volumes_open(session, volumes, [4, 5, 6], [1, 1, 1], [4, 5, 6], prefix=text_of(prefix), components='X', &
                           kept_last=[1, 1, 0], kept_skip=[1, 2, 3], first_step=0)
    call sill_volumes_batch_bytes(volumes, bytes)
    if (bytes /= 2 * 4) wrong = 1
    call sill_volumes_write_step(volumes, 0, x=v)
    call sill_volumes_write_step(volumes, 1, x=v)
    call sill_volumes_close(volumes)
    call sill_volumes_open(session, volumes, [4, 5, 6], [1, 1, 1], [4, 5, 6], kept_first=[2, 1, 1], kept_last=[1, 5, 6], &
                           ierr=ierr)
    if (ierr /= SILL_USAGE .or. index(sill_error_text(), 'with 4 points in x') == 0) wrong = 2
    call sill_volumes_open(session, volumes, [4, 5, 6], [1, 1, 1], [4, 5, 6], first_step=-1, ierr=ierr)
    if (ierr /= SILL_USAGE .or. index(sill_error_text(), 'the first step is -1') == 0) wrong = 3
    call sill_session_finish(session)
  end function

  ! Of one rank: errors name points, traces and files as Fortran counts them.
  function f_counting(comm, prefix) bind(C) result(wrong)
    integer(c_int), value :: comm
    character(kind=c_char), intent(in) :: prefix(*)
    integer(c_int) :: wrong
    type(sill_session) :: session
    type(sill_surfaces) :: surfaces
    type(sill_volumes) :: volumes
    type(sill_stations) :: stations
    type(sill_writer) :: writer
    type(sill_reader) :: reader
    type(sill_file_form) :: form
    integer(int8) :: byte(1)
    integer :: ierr
    wrong = 0
    byte = 0
    call sill_session_open(comm, session)
    call sill_surfaces_open(session, surfaces, [4, 5, 6], [0, 0, 0], [4, 5, 6], prefix=text_of(prefix), xy_at_z=1, ierr=ierr)
    if (ierr /= SILL_USAGE .or. .not. has('from (0, 0, 0)') .or. .not. has('count from 1')) wrong = 1
    call sill_surfaces_open(session, surfaces, [4, 5, 6], [1, 1, 1], [4, 5, 6], prefix=text_of(prefix), xz_at_y=6, ierr=ierr)
    if (ierr /= SILL_USAGE .or. .not. has('y = 6') .or. .not. has('count from 1')) wrong = 2
    call sill_surfaces_open(session, surfaces, [4, 5, 6], [1, 1, 1], [4, 5, 6], prefix=text_of(prefix), xz_at_y=5, &
                            first_plane_row=7, ierr=ierr)
    if (ierr /= SILL_USAGE .or. .not. has('starting at 7')) wrong = 3
    call sill_volumes_open(session, volumes, [4, 5, 6], [1, 1, 1], [4, 5, 6], prefix=text_of(prefix), &
                           kept_first=[1, 2, 1], kept_last=[0, 9, 0], ierr=ierr)
    if (ierr /= SILL_USAGE .or. .not. has('from 2 to 9, with 5 points in y') .or. .not. has('count points from 1')) wrong = 4
    call sill_writer_open_bytes(session, writer, text_of(prefix), 0_int64, 1_int64, 3_int64, 0_int64)
    call sill_writer_write(writer, 4_int64, 1_int64, byte, ierr)
    if (ierr /= SILL_USAGE .or. .not. has('starting at trace 4') .or. .not. has('count traces from 1')) wrong = 5
    call sill_writer_free(writer)
    form%samples = 2
    form%interval_us = 1000
    form%traces = 0
    call sill_writer_open(session, writer, text_of(prefix), form)
    call sill_writer_finish(writer)
    call sill_stations_flush(stations, ierr)
    if (ierr /= SILL_USAGE .or. .not. has('was not opened')) wrong = 6
    call sill_session_free(session)
    call sill_reader_open(session, reader, ['a'], ierr)
    if (ierr /= SILL_USAGE .or. .not. has('was not opened')) wrong = 7

  contains

    logical function has(words)
      character(len=*), intent(in) :: words
      has = index(sill_error_text(), words) > 0
    end function
  end function

  ! Of one rank: what is open stays as it is, and can be used and closed.
  function f_second_open(comm, prefix) bind(C) result(wrong)
    integer(c_int), value :: comm
    character(kind=c_char), intent(in) :: prefix(*)
    integer(c_int) :: wrong
    type(sill_session) :: session
    type(sill_stations) :: stations
    type(sill_surfaces) :: surfaces
    type(sill_volumes) :: volumes
    type(sill_solutions) :: solutions
    type(sill_writer) :: writer
    type(sill_reader) :: reader
    type(sill_file_form) :: form
    character(len=:), allocatable :: path
    integer(int64) :: bytes
    integer :: i, ierr
    wrong = 0
    path = text_of(prefix) // '.sgy'
    form%samples = 500
    form%interval_us = 1000
    form%traces = 0
    do i = 1, 2
      call sill_session_open(comm, session, ierr=ierr)
      call expect(1)
    end do
    do i = 1, 2
      call sill_writer_open(session, writer, path, form, ierr=ierr)
      call expect(2)
    end do
    call sill_writer_finish(writer)
    do i = 1, 2
      call sill_writer_open_bytes(session, writer, text_of(prefix), 0_int64, 1_int64, 3_int64, 0_int64, ierr)
      call expect(3)
    end do
    call sill_writer_file_bytes(writer, bytes)
    if (bytes /= 3) wrong = 4
    call sill_writer_free(writer)
    do i = 1, 2
      call sill_stations_open(session, stations, text_of(prefix) // 's', [1], reshape([0._real64, 0._real64, 0._real64], &
                              [3, 1]), reshape([0], [1, 1]), 1._real64, 10, form=SILL_STATIONS_SAC, &
                              component_names='up', ierr=ierr)
      call expect(5)
    end do
    call sill_stations_close(stations)
    do i = 1, 2
      call sill_surfaces_open(session, surfaces, [4, 4, 4], [1, 1, 1], [4, 4, 4], prefix=text_of(prefix), xy_at_z=4, &
                              ierr=ierr)
      call expect(6)
    end do
    call sill_surfaces_close(surfaces)
    do i = 1, 2
      call sill_volumes_open(session, volumes, [4, 4, 4], [1, 1, 1], [4, 4, 4], prefix=text_of(prefix), ierr=ierr)
      call expect(7)
    end do
    call sill_volumes_close(volumes)
    do i = 1, 2
      call sill_solutions_open(session, solutions, text_of(prefix) // 'l', 1, 3, ierr=ierr)
      call expect(8)
    end do
    call sill_solutions_close(solutions)
    do i = 1, 2
      call sill_reader_open(session, reader, [path], ierr)
      call expect(9)
    end do
    call sill_reader_close(reader)
    call sill_session_finish(session)

  contains

    ! The first opens, the second is refused.
    subroutine expect(number)
      integer, intent(in) :: number
      if (i == 1 .and. ierr /= SILL_OK) wrong = number
      if (i == 2 .and. (ierr /= SILL_USAGE .or. index(sill_error_text(), 'open already') == 0)) wrong = number
    end subroutine
  end function

  ! Of one rank: arrays of different sizes.
  function f_wrong_sizes(comm, prefix) bind(C) result(wrong)
    integer(c_int), value :: comm
    character(kind=c_char), intent(in) :: prefix(*)
    integer(c_int) :: wrong
    type(sill_session) :: session
    type(sill_surfaces) :: surfaces
    real(real32) :: v(4, 4, 4), small(4, 4, 3)
    integer :: ierr
    wrong = 0
    v = 1
    small = 1
    call sill_session_open(comm, session)
    call sill_surfaces_open(session, surfaces, [4, 4, 4], [1, 1, 1], [4, 4, 4], prefix=text_of(prefix), xy_at_z=4)
    call sill_surfaces_write_phase(surfaces, 1, v, v, small, ierr=ierr)
    if (ierr /= SILL_USAGE .or. index(sill_error_text(), 'component z') == 0) wrong = 1
    call sill_surfaces_write_phase(surfaces, 1, small, small, small, ierr=ierr)
    if (ierr /= SILL_USAGE .or. index(sill_error_text(), '48 values') == 0) wrong = 2
    call sill_surfaces_write_phase(surfaces, 1, v, v, v)
    call sill_surfaces_close(surfaces)
    call sill_session_finish(session)
  end function

  recursive subroutine scale_and_move(block, status)
    type(sill_block), intent(inout) :: block
    integer, intent(inout) :: status
    real(real64) :: x(block%count)
    integer :: i
    block%values = 2 * block%values
    if (size(block%headers, 2, int64) /= block%count .or. block%traces(1) /= block%first) status = -1
    x = 1000.126_real64 + real(block%traces - 1, real64)
    do i = 1, int(block%count)
      call sill_write_word(block%headers(:, i), 'scalco', block%byte_order, -100._real64, status)
      if (status /= 0) return
    end do
    call sill_block_set_true_values(block, 'sx', x, status)
    if (status == 0) call sill_block_true_values(block, 'sx', x, status)
    if (any(abs(x - 1000.13_real64 - real(block%traces - 1, real64)) > 1e-9_real64)) status = -2
  end subroutine

  recursive subroutine double(block, status)
    type(sill_block), intent(inout) :: block
    integer, intent(inout) :: status
    block%values = 2 * block%values
    if (block%count < 1) status = -1
  end subroutine

  recursive subroutine move(block, status)
    type(sill_block), intent(inout) :: block
    integer, intent(inout) :: status
    call sill_write_word(block%headers(:, 1), 'scalco', block%byte_order, -100._real64, status)
    if (status == 0) call sill_block_set_true_values(block, 'sx', [999.126_real64 + real(block%traces(1), real64)], status)
  end subroutine

  recursive subroutine halve(block, status)
    type(sill_block), intent(inout) :: block
    integer, intent(inout) :: status
    block%out = block%values(1::2, :)
    if (.not. associated(block%values)) status = -1
  end subroutine

  recursive subroutine fail(block, status)
    type(sill_block), intent(inout) :: block
    integer, intent(inout) :: status
    if (block%count > 0) status = SILL_INPUT
  end subroutine

  ! A survey by a stream, and the same by a flow of operations of this program.
  function f_streams(comm, from, by_stream, by_flow) bind(C) result(wrong)
    integer(c_int), value :: comm
    character(kind=c_char), intent(in) :: from(*), by_stream(*), by_flow(*)
    integer(c_int) :: wrong
    type(sill_session) :: session
    type(sill_reader) :: reader, other
    type(sill_stream_result) :: result
    type(sill_flow_result) :: flowed
    character(len=300) :: paths(1)
    character(len=:), allocatable :: text
    integer(int8), allocatable :: bytes(:)
    integer(int64) :: number, traces, samples
    real(real32), allocatable :: values(:, :)
    real(real64) :: x(1), two(2)
    integer(int8) :: header(240, 1)
    integer(int64) :: order(2)
    real(real64) :: pairs(2, 2)
    type(sill_extremes) :: extremes
    type(sill_file_form) :: form
    integer :: ierr
    logical, save :: is_added = .false.
    wrong = 0
    paths(1) = text_of(from)
    call sill_session_open(comm, session, 'direct,threads=2')
    call sill_reader_open_with(session, reader, paths, assume='interval=2000', map='standard')
    call sill_reader_traces(reader, traces)
    call sill_reader_text(reader, 1, text)
    if (index(text, 'C 1 MADE BY A TEST' // new_line('a')) /= 1) wrong = 1
    call sill_stream_run(reader, scale_and_move, target=text_of(by_stream), result=result)
    if (result%traces /= traces .or. result%rounded /= 0) wrong = 2

    call sill_reader_form(reader, 1, form)
    call sill_reader_bytes_of_list(reader, [2_int64, 1_int64, 2_int64], number)
    call sill_reader_samples_of_list(reader, [2_int64, 1_int64, 2_int64], samples)
    allocate (bytes(number), values(form%samples, 3))
    if (samples /= 3 * form%samples) wrong = 3
    call sill_reader_read_list(reader, [2_int64, 1_int64, 2_int64], bytes)
    if (any(bytes(:number / 3) /= bytes(2 * number / 3 + 1:))) wrong = 4
    call sill_reader_check_samples(reader)
    call sill_reader_read_list_samples(reader, [2_int64, 1_int64, 2_int64], values)
    if (any(nint(values(1, :)) /= [40, 0, 40])) wrong = 5
    call sill_stream_run(reader, halve, target=text_of(by_flow), traces=[3_int64, 3_int64], samples=form%samples / 2, &
                         not_thread_safe=.true., history='C BY FORTRAN')
    paths(1) = text_of(by_flow)
    call sill_reader_open(session, other, paths)
    call sill_reader_form(other, 1, form)
    if (form%traces /= 2) wrong = 6
    call sill_reader_read_headers(other, 2_int64, 1_int64, header)
    call sill_reader_true_values(other, 'tracl', header, x)
    if (nint(x(1)) /= 3) wrong = 7
    call sill_reader_set_true_values(other, 'tracl', header, [7._real64])
    call sill_reader_true_values(other, 'tracl', header, x)
    if (nint(x(1)) /= 7) wrong = 8
    call sill_reader_true_values(other, 'tracl', header, two, ierr)
    if (ierr /= SILL_USAGE) wrong = 9
    call sill_reader_close(other)
    call sill_stream_run(reader, fail, ierr=ierr)
    if (ierr /= SILL_INPUT) wrong = 10

    if (.not. is_added) then
      is_added = .true.
      call sill_flow_add_operation('f_double', SILL_EACH_TRACE, run=double, reads_samples=.true., writes_samples=.true.)
      call sill_flow_add_operation('f_move', SILL_EACH_TRACE, edit_header=move, writes_words='scalco,sx')
      call sill_flow_add_operation('f_fail', SILL_GATHER, run=fail, keys='cdp', reads_samples=.true., &
                                   not_thread_safe=.true.)
      call sill_flow_add_operation('f_fail', SILL_GATHER, run=fail, keys='cdp', reads_samples=.true., ierr=ierr)
      if (ierr /= SILL_USAGE) wrong = 11
    end if
    paths(1) = text_of(from)
    call sill_flow_run(session, paths, text_of(by_flow), 'f_double; f_move', history=.false., result=flowed)
    if (flowed%traces_out /= traces) wrong = 12
    call sill_flow_run(session, paths, text_of(by_flow), 'f_fail', ierr=ierr)
    if (ierr /= SILL_INPUT) wrong = 13
    call sill_flow_run(session, paths, '', 'minmax tracl', result=flowed)
    if (index(flowed%notes, 'tracl from 1 (trace 1)') == 0) wrong = 14
    call sill_reader_extremes(reader, 'tracl % 7', extremes)
    if (nint(extremes%largest) /= 6 .or. extremes%largest_trace /= 6 .or. extremes%smallest_trace /= 7) wrong = 15
    call sill_block_of(10_int64, 3, 1, number, samples)
    if (number /= 5 .or. samples /= 3) wrong = 16
    call sill_reader_read_values(reader, 'tracl,2 * tracl', 3_int64, 2_int64, pairs)
    if (any(nint(pairs) /= reshape([3, 4, 6, 8], [2, 2]))) wrong = 17
    call sill_reader_order(reader, '-tracl', order, number)
    if (number > 0 .and. order(2) /= order(1) - 1) wrong = 18
    call sill_reader_sort(reader, '-tracl', text_of(by_flow) // '.sorted')
    call sill_reader_sort(reader, '-tracl', text_of(from), ierr)
    if (ierr /= SILL_USAGE) wrong = 19
    call sill_flow_run(session, paths, text_of(by_flow), 'f_double; f_move', history=.false., resume=.true.)
    call sill_reader_close(reader)
    call sill_session_finish(session)
  end function

  ! Every rank writes its traces backwards, by a list.
  function f_write_list(comm, rank, ranks, from, to_samples, to_bytes) bind(C) result(ierr)
    integer(c_int), value :: comm, rank, ranks
    character(kind=c_char), intent(in) :: from(*), to_samples(*), to_bytes(*)
    integer(c_int) :: ierr
    type(sill_session) :: session
    type(sill_reader) :: reader
    type(sill_writer) :: writer
    type(sill_file_form) :: form
    integer(int64), allocatable :: mine(:)
    integer(int64) :: i, bytes
    integer(int8), allocatable :: whole(:), headers(:, :), header(:)
    real(real32), allocatable :: samples(:, :)
    character(len=300) :: paths(1)
    paths(1) = text_of(from)
    call sill_session_open(comm, session, ierr=ierr)
    call sill_reader_open(session, reader, paths)
    call sill_reader_form(reader, 1, form)
    mine = [(i, i=form%traces - rank, 1_int64, -int(ranks, int64))]
    allocate (headers(240, size(mine)), samples(form%samples, size(mine)))
    call sill_reader_bytes_of_list(reader, mine, bytes)
    allocate (whole(bytes))
    call sill_reader_read_list(reader, mine, whole)
    call sill_reader_check_samples(reader)
    call sill_reader_read_list_samples(reader, mine, samples)
    do i = 1, size(mine)
      call sill_reader_read_headers(reader, mine(i), 1_int64, headers(:, i:i))
    end do
    call sill_writer_open(session, writer, text_of(to_samples), form, ['C 1 MADE BY A TEST', 'C 2 OF WRITERS    '])
    call sill_writer_write_list_samples(writer, mine, headers, samples)
    call sill_writer_finish(writer)
    call sill_reader_file_header(reader, 1, header)
    call sill_writer_open_bytes(session, writer, text_of(to_bytes), size(header, kind=int64), &
                                240 + form%samples * 4, form%traces, 0_int64)
    call sill_writer_write_header(writer, header)
    call sill_writer_write_list(writer, mine, whole)
    call sill_writer_finish(writer)
    call sill_reader_close(reader)
    call sill_session_finish(session)
  end function
end module
