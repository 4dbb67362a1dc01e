! Records.
module sill_records_module
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: int64
  use sill_c_module
  use sill_session_module
  implicit none
  private

  type, public :: sill_records
    type(c_ptr) :: handle = c_null_ptr
  end type

  public :: sill_records_open, sill_records_put, sill_records_write, sill_records_close, sill_records_free

contains

  ! Collective. More than one file requires `ids`, the total number of records.
  subroutine sill_records_open(session, records, path, codec, level, frame_bytes, files, ids, replaces, ierr)
    type(sill_session), intent(in) :: session
    type(sill_records), intent(inout), target :: records
    character(len=*), intent(in) :: path
    character(len=*), intent(in), optional :: codec           ! 'zstd'
    integer, intent(in), optional :: level                    ! 3
    integer(int64), intent(in), optional :: frame_bytes, ids  ! 1 MiB; unknown
    integer, intent(in), optional :: files                    ! 1
    logical, intent(in), optional :: replaces                 ! .false.
    integer, intent(out), optional :: ierr
    character(kind=c_char), allocatable, target :: of_codec(:)
    type(c_records_options), target :: options
    options%codec = c_null_ptr
    if (present(codec)) then
      call keep_text(of_codec, codec, '')
      options%codec = c_loc(of_codec)
    end if
    options%level = 0
    if (present(level)) options%level = level
    options%frame_bytes = 0
    if (present(frame_bytes)) options%frame_bytes = frame_bytes
    options%files = 0
    if (present(files)) options%files = files
    options%ids = 0
    if (present(ids)) options%ids = ids
    options%replaces = 0
    if (present(replaces)) options%replaces = merge(1, 0, replaces)
    call tell_status(c_records_open(session%handle, c_text(path), options, place_for(records%handle)), ierr)
  end subroutine

  ! Local. Ids count from 0, as in the index.
  subroutine sill_records_put(records, id, text, ierr)
    type(sill_records), intent(in) :: records
    integer(int64), intent(in) :: id
    character(len=*), intent(in), target :: text
    integer, intent(out), optional :: ierr
    integer(c_int8_t), pointer :: bytes(:)
    call c_f_pointer(c_loc(text), bytes, [len(text, kind=c_int64_t)])
    call tell_status(c_records_put(records%handle, id, bytes, len(text, kind=c_int64_t)), ierr)
  end subroutine

  ! Collective.
  subroutine sill_records_write(records, ierr)
    type(sill_records), intent(in) :: records
    integer, intent(out), optional :: ierr
    call tell_status(c_records_write(records%handle), ierr)
  end subroutine

  ! Collective.
  subroutine sill_records_close(records, ierr)
    type(sill_records), intent(inout) :: records
    integer, intent(out), optional :: ierr
    call tell_status(c_records_close(records%handle), ierr)
  end subroutine

  ! Local.
  subroutine sill_records_free(records, ierr)
    type(sill_records), intent(inout) :: records
    integer, intent(out), optional :: ierr
    call tell_status(c_records_free(records%handle), ierr)
  end subroutine
end module
