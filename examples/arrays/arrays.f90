! Writes a wave on a distributed grid as a netCDF file, step by step: arrays_fortran FILE
program arrays
  use, intrinsic :: iso_fortran_env, only: real64
  use mpi
  use sill
  implicit none
  integer, parameter :: nx = 40, ny = 60
  integer :: rank, ranks, first, columns, step, x, y, ierr
  real(real64), allocatable, target :: height(:, :)
  character(len=4096) :: path
  type(sill_session) :: session
  type(sill_dataset) :: dataset

  if (command_argument_count() /= 1) then
    print '(a)', 'usage: arrays_fortran FILE'
    stop 2
  end if
  call get_command_argument(1, path)
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierr)
  first = nx * rank / ranks + 1
  columns = nx * (rank + 1) / ranks - first + 1
  allocate (height(first - 1:first + columns, 0:ny + 1))  ! with ghost points

  call sill_session_open(MPI_COMM_WORLD, session)
  call sill_dataset_open(session, dataset, path, existing=SILL_REPLACE_EXISTING)
  call sill_dataset_define_dimension(dataset, 'time', 0)
  call sill_dataset_define_dimension(dataset, 'y', ny)
  call sill_dataset_define_dimension(dataset, 'x', nx)
  call sill_dataset_define_variable(dataset, 'height', SILL_F4, 'x,y,time')
  call sill_dataset_define_text(dataset, 'units', 'm', variable='height')
  call sill_dataset_define_text(dataset, 'title', 'a standing wave')
  call sill_dataset_begin(dataset)
  do step = 0, 9
    do y = 0, ny + 1
      do x = first - 1, first + columns
        height(x, y) = cos(0.1_real64 * step) * cos(0.2_real64 * (x - 1)) * cos(0.1_real64 * (y - 1))
      end do
    end do
    call sill_dataset_put(dataset, 'height', height, [first, 1], [columns, ny], [first - 1, 0], [columns + 2, ny + 2])
    call sill_dataset_write_step(dataset)
  end do
  call sill_dataset_close(dataset)
  call sill_session_free(session)
  call MPI_Finalize(ierr)
end program
