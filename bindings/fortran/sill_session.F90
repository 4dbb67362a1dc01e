! Errors and sessions. With -DSILL_MPI_F08 it also accepts a type(MPI_Comm) of `use mpi_f08`.
module sill_session_module
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: error_unit, int64
#ifdef SILL_MPI_F08
  use mpi_f08, only: MPI_Comm
#endif
  use sill_c_module
  implicit none
  private

  integer, parameter, public :: SILL_JSON = 0, SILL_TABLE = 1
  integer, parameter, public :: SILL_OK = 0, SILL_USAGE = 2, SILL_INPUT = 3, SILL_IO = 4

  type, public :: sill_session
    type(c_ptr) :: handle = c_null_ptr
  end type

  public :: sill_error_text, sill_last_errno, sill_version, sill_session_open, sill_session_report, &
            sill_session_finish, sill_session_free
  ! Used by the other modules.
  public :: tell_status, c_text, keep_text, place_for, text_at

  interface sill_session_open
    module procedure session_open_integer
#ifdef SILL_MPI_F08
    module procedure session_open_type
#endif
  end interface

contains

  ! Local. Returns the message of the last error; sill_last_error in C.
  function sill_error_text() result(text)
    character(len=:), allocatable :: text
    text = text_at(c_last_error())
  end function

  ! Local. Returns the errno of the last error, or 0 if it has none.
  function sill_last_errno() result(number)
    integer :: number
    number = c_last_errno()
  end function

  ! Local. Returns the version of the library.
  function sill_version() result(text)
    character(len=:), allocatable :: text
    text = text_at(c_version())
  end function

  ! Collective. Defaults are taken from the environment (docs/options.md).
  subroutine session_open_integer(comm, session, policies, memory_bytes, threads, report, file, environment, ierr)
    integer, intent(in) :: comm
    type(sill_session), intent(inout), target :: session
    character(len=*), intent(in), optional :: policies, report, file
    integer(int64), intent(in), optional :: memory_bytes
    integer, intent(in), optional :: threads
    logical, intent(in), optional :: environment  ! .true.
    integer, intent(out), optional :: ierr
    character(kind=c_char), allocatable, target :: of_policies(:), of_report(:), of_file(:)
    type(c_options) :: options
    call keep_text(of_policies, policies, '')
    call keep_text(of_report, report, '')
    call keep_text(of_file, file, '')
    options%policies = c_loc(of_policies)
    options%report = c_loc(of_report)
    options%file = c_loc(of_file)
    options%memory_bytes = 0
    if (present(memory_bytes)) options%memory_bytes = memory_bytes
    options%threads = 0
    if (present(threads)) options%threads = threads
    options%no_environment = 0
    if (present(environment)) options%no_environment = merge(0, 1, environment)
    call tell_status(c_session_open_f(int(comm, c_int), options, place_for(session%handle)), ierr)
  end subroutine

#ifdef SILL_MPI_F08
  ! Collective.
  subroutine session_open_type(comm, session, policies, memory_bytes, threads, report, file, environment, ierr)
    type(MPI_Comm), intent(in) :: comm
    type(sill_session), intent(inout), target :: session
    character(len=*), intent(in), optional :: policies, report, file
    integer(int64), intent(in), optional :: memory_bytes
    integer, intent(in), optional :: threads
    logical, intent(in), optional :: environment
    integer, intent(out), optional :: ierr
    call session_open_integer(comm%mpi_val, session, policies, memory_bytes, threads, report, file, environment, ierr)
  end subroutine
#endif

  ! Collective. `form`: SILL_JSON or SILL_TABLE (default).
  subroutine sill_session_report(session, text, form, ierr)
    type(sill_session), intent(in) :: session
    character(len=:), allocatable, intent(out) :: text
    integer, intent(in), optional :: form
    integer, intent(out), optional :: ierr
    type(c_ptr) :: report
    integer(c_int) :: as, status
    as = SILL_TABLE
    if (present(form)) as = int(form, c_int)
    status = c_session_report(session%handle, as, report)
    if (status == SILL_OK) then
      text = text_at(report)
    else
      text = ''
    end if
    call tell_status(status, ierr)
  end subroutine

  ! Collective.
  subroutine sill_session_finish(session, ierr)
    type(sill_session), intent(inout) :: session
    integer, intent(out), optional :: ierr
    call tell_status(c_session_finish(session%handle), ierr)
  end subroutine

  ! Local.
  subroutine sill_session_free(session, ierr)
    type(sill_session), intent(inout) :: session
    integer, intent(out), optional :: ierr
    call tell_status(c_session_free(session%handle), ierr)
  end subroutine

  ! Local. Stores a status in `ierr`; without `ierr`, an error ends the program.
  subroutine tell_status(status, ierr)
    integer(c_int), intent(in) :: status
    integer, intent(out), optional :: ierr
    if (present(ierr)) then
      ierr = int(status)
    else if (status /= SILL_OK) then
      write (error_unit, '(a)') sill_error_text()
      error stop 'ended by an error of Sill'
    end if
  end subroutine

  ! Local. Returns the address for a new handle; null if the variable is already open, which C refuses on all ranks.
  function place_for(handle) result(place)
    type(c_ptr), intent(inout), target :: handle
    type(c_ptr) :: place
    place = c_null_ptr
    if (.not. c_associated(handle)) place = c_loc(handle)
  end function

  ! Local. Converts a text for C, without trailing blanks.
  pure function c_text(text) result(chars)
    character(len=*), intent(in) :: text
    character(kind=c_char) :: chars(len_trim(text) + 1)
    integer :: i
    do i = 1, len_trim(text)
      chars(i) = text(i:i)
    end do
    chars(len_trim(text) + 1) = c_null_char
  end function

  ! Local. Converts an optional text for C; `otherwise` if it is absent.
  subroutine keep_text(chars, text, otherwise)
    character(kind=c_char), allocatable, intent(out) :: chars(:)
    character(len=*), intent(in), optional :: text
    character(len=*), intent(in) :: otherwise
    if (present(text)) then
      allocate (chars, source=c_text(text))
    else
      allocate (chars, source=c_text(otherwise))
    end if
  end subroutine

  function text_at(address) result(text)
    type(c_ptr), intent(in) :: address
    character(len=:), allocatable :: text
    character(kind=c_char), pointer :: chars(:)
    integer :: i
    call c_f_pointer(address, chars, [c_strlen(address)])
    allocate (character(len=size(chars)) :: text)
    do i = 1, size(chars)
      text(i:i) = chars(i)
    end do
  end function
end module
