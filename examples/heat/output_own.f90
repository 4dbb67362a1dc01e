! Before: rank 0 receives the plane y = ny / 2 of all ranks, and writes it value by value.
module output
  use mpi
  implicit none
  integer, private :: of_comm, of_shape(3), of_count
  character(len=200), private :: before_names

contains

  subroutine output_open(comm, shape, first, count, prefix)
    integer, intent(in) :: comm, shape(3), first, count
    character(len=*), intent(in) :: prefix
    of_comm = comm
    of_shape = shape
    of_count = count
    before_names = prefix
  end subroutine

  subroutine output_write(step, qx, qy, qz)
    integer, intent(in) :: step
    real, intent(in), dimension(:, :, :) :: qx, qy, qz
    real, allocatable :: mine(:, :, :), all(:, :, :)
    integer, allocatable :: counts(:), places(:)
    integer :: rank, ranks, ierr, r, unit
    character(len=9) :: numbers(2)
    character(len=250) :: name
    call MPI_Comm_rank(of_comm, rank, ierr)
    call MPI_Comm_size(of_comm, ranks, ierr)
    allocate (mine(3, of_shape(1), of_count), all(3, of_shape(1), of_shape(3)), counts(ranks), places(ranks))
    mine(1, :, :) = qx(:, of_shape(2) / 2, 2:of_count + 1)
    mine(2, :, :) = qy(:, of_shape(2) / 2, 2:of_count + 1)
    mine(3, :, :) = qz(:, of_shape(2) / 2, 2:of_count + 1)
    call MPI_Gather(size(mine), 1, MPI_INTEGER, counts, 1, MPI_INTEGER, 0, of_comm, ierr)
    if (rank == 0) places = [(sum(counts(:r - 1)), r=1, ranks)]
    call MPI_Gatherv(mine, size(mine), MPI_REAL, all, counts, places, MPI_REAL, 0, of_comm, ierr)
    if (rank /= 0) return
    write (name, '(2a,i4.4,a)') trim(before_names), 'surfacexzvel', step, '00.vtk'
    open (newunit=unit, file=name, access='stream', form='unformatted', status='replace', convert='big_endian')
    write (unit) '# vtk DataFile Version 3.0', new_line('a'), 'V', new_line('a'), 'BINARY', new_line('a')
    write (numbers, '(i0)') of_shape([1, 3])
    write (unit) 'DATASET STRUCTURED_POINTS', new_line('a'), 'DIMENSIONS ', trim(numbers(1)), ' 1 ', trim(numbers(2))
    write (numbers, '(i0)') of_shape(2) / 2 - 1, of_shape(1) * of_shape(3)
    write (unit) new_line('a'), 'ORIGIN 0.000000 ', trim(numbers(1)), '.000000 0.000000', new_line('a')
    write (unit) 'SPACING 1.000000 1.000000 1.000000', new_line('a'), 'POINT_DATA ', trim(numbers(2)), new_line('a')
    write (unit) 'SCALARS V float 3', new_line('a'), 'LOOKUP_TABLE default', new_line('a'), all
    close (unit)
  end subroutine

  subroutine output_close()
  end subroutine
end module
