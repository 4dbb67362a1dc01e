! Distributed grids and their arrays, converted for C.
module sill_grids_module
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: real32
  use sill_c_module
  use sill_session_module
  implicit none
  private

  integer, parameter, public :: SILL_Z_FASTEST = 0, SILL_X_FASTEST = 1
  integer, parameter, public :: SILL_COPIED = 0, SILL_LENT = 1

  ! Used by the other modules.
  public :: grid_of, place_of

contains

  pure function grid_of(shape, first, count, stored_first, stored_count) result(grid)
    integer, intent(in) :: shape(3), first(3), count(3)
    integer, intent(in), optional :: stored_first(3), stored_count(3)
    type(c_grid) :: grid
    grid%shape = shape
    grid%first = first - 1
    grid%count = count
    grid%stored_first = grid%first
    grid%stored_count = grid%count
    if (present(stored_first)) grid%stored_first = stored_first - 1
    if (present(stored_count)) grid%stored_count = stored_count
  end function

  ! Returns the address of an array; null if it is absent or has a wrong number of points, so that C reports it as
  ! missing.
  function place_of(points, array) result(address)
    integer(c_int64_t), intent(in) :: points
    real(real32), intent(in), contiguous, target, optional :: array(:, :, :)
    type(c_ptr) :: address
    address = c_null_ptr
    if (.not. present(array)) return
    if (size(array, kind=c_int64_t) == points .and. points > 0) address = c_loc(array)
  end function
end module
