! Output of local solutions.
module sill_solutions_module
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use sill_c_module
  use sill_session_module
  use sill_grids_module
  implicit none
  private

  integer, parameter, public :: SILL_EACH = 0, SILL_SHARED = 1

  type, public :: sill_solutions
    type(c_ptr) :: handle = c_null_ptr
  end type

  public :: sill_solutions_open, sill_solutions_problems, sill_solutions_write_problem_files, &
            sill_solutions_write_phase, sill_solutions_wait, sill_solutions_phase_bytes, sill_solutions_close, sill_solutions_free

contains

  ! Collective.
  subroutine sill_solutions_open(session, solutions, folder, my_problems, sub_elements, dimensions, record_bytes, &
                                 files, chunk_align_bytes, align_to_stripes, ierr)
    type(sill_session), intent(in) :: session
    type(sill_solutions), intent(inout), target :: solutions
    character(len=*), intent(in) :: folder
    integer, intent(in) :: my_problems
    integer, intent(in) :: sub_elements
    integer, intent(in), optional :: dimensions                ! 1
    integer, intent(in), optional :: record_bytes              ! 13
    integer, intent(in), optional :: files                     ! SILL_EACH
    integer(int64), intent(in), optional :: chunk_align_bytes  ! 0
    logical, intent(in), optional :: align_to_stripes          ! .false.
    integer, intent(out), optional :: ierr
    character(kind=c_char), allocatable, target :: path(:)
    type(c_solution_output) :: output
    allocate (path, source=c_text(folder))
    output%folder = c_loc(path)
    output%my_problems = my_problems
    output%sub_elements = sub_elements
    output%dimensions = 1
    if (present(dimensions)) output%dimensions = dimensions
    output%record_bytes = 13
    if (present(record_bytes)) output%record_bytes = record_bytes
    output%files = SILL_EACH
    if (present(files)) output%files = files
    output%chunk_align_bytes = 0
    if (present(chunk_align_bytes)) output%chunk_align_bytes = chunk_align_bytes
    output%align_to_stripes = 0
    if (present(align_to_stripes)) output%align_to_stripes = merge(1, 0, align_to_stripes)
    call tell_status(c_solutions_open(session%handle, output, place_for(solutions%handle)), ierr)
  end subroutine

  ! Local. Returns the first problem of this rank, counted from 1 over all ranks, and the number of its problems.
  subroutine sill_solutions_problems(solutions, first, count, ierr)
    type(sill_solutions), intent(in) :: solutions
    integer(int64), intent(out) :: first, count
    integer, intent(out), optional :: ierr
    integer(c_int) :: status
    first = 0
    count = 0
    status = c_solutions_problems(solutions%handle, first, count)
    first = first + 1
    call tell_status(status, ierr)
  end subroutine

  ! Collective. corners(3, 3, problems): x, y, z of the corners A, B, C of each triangle.
  subroutine sill_solutions_write_problem_files(solutions, corners, parameters, ierr)
    type(sill_solutions), intent(in) :: solutions
    real(real64), intent(in), contiguous :: corners(:, :, :)
    character(len=*), intent(in), optional :: parameters
    integer, intent(out), optional :: ierr
    character(len=:), allocatable :: text
    text = ''
    if (present(parameters)) text = parameters
    call tell_status(c_solutions_write_problem_files(solutions%handle, corners, size(corners, kind=c_int64_t) / 9, &
                                                     c_text(text)), ierr)
  end subroutine

  ! Collective. values(dimensions, points, problems). With `memory` SILL_LENT they must be contiguous, and must not
  ! change until sill_solutions_wait. With async in the policy, the call may return an error of an earlier phase; this
  ! phase is written nevertheless.
  subroutine sill_solutions_write_phase(solutions, step, values, memory, ierr)
    type(sill_solutions), intent(in) :: solutions
    integer, intent(in) :: step
    real(real64), intent(in), contiguous, target :: values(:, :, :)
    integer, intent(in), optional :: memory  ! SILL_COPIED
    integer, intent(out), optional :: ierr
    integer(c_int) :: as
    type(c_ptr) :: place
    as = SILL_COPIED
    if (present(memory)) as = int(memory, c_int)
    place = c_null_ptr
    if (size(values, kind=c_int64_t) > 0) place = c_loc(values)
    call tell_status(c_solutions_write_phase(solutions%handle, int(step, c_int64_t), place, &
                                             size(values, kind=c_int64_t), as), ierr)
  end subroutine

  ! Collective.
  subroutine sill_solutions_wait(solutions, ierr)
    type(sill_solutions), intent(in) :: solutions
    integer, intent(out), optional :: ierr
    call tell_status(c_solutions_wait(solutions%handle), ierr)
  end subroutine

  ! Local.
  subroutine sill_solutions_phase_bytes(solutions, bytes, ierr)
    type(sill_solutions), intent(in) :: solutions
    integer(int64), intent(out) :: bytes
    integer, intent(out), optional :: ierr
    call tell_status(c_solutions_phase_bytes(solutions%handle, bytes), ierr)
  end subroutine

  ! Collective.
  subroutine sill_solutions_close(solutions, ierr)
    type(sill_solutions), intent(inout) :: solutions
    integer, intent(out), optional :: ierr
    call tell_status(c_solutions_close(solutions%handle), ierr)
  end subroutine

  ! Local.
  subroutine sill_solutions_free(solutions, ierr)
    type(sill_solutions), intent(inout) :: solutions
    integer, intent(out), optional :: ierr
    call tell_status(c_solutions_free(solutions%handle), ierr)
  end subroutine
end module
