! Flows: processing operations, planned and performed together, and operations of the program.
module sill_flows_module
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: int64
  use sill_c_module
  use sill_session_module
  use sill_streams_module
  implicit none
  private

  integer, parameter, public :: SILL_NONFINITE_STOP = 0, SILL_NONFINITE_ZERO = 1, SILL_NONFINITE_KEEP = 2
  integer, parameter, public :: SILL_EACH_TRACE = 0, SILL_GATHER = 1

  type, public :: sill_flow_result
    integer(int64) :: traces_in = 0
    integer(int64) :: traces_out = 0
    integer(int64) :: samples_out = 0
    integer(int64) :: bytes_out = 0
    integer(int64) :: passes = 0
    integer(int64) :: zeroed = 0
    character(len=:), allocatable :: notes  ! one per line
  end type

  type :: operation_work
    procedure(sill_block_work), pointer, nopass :: run => null()
    procedure(sill_block_work), pointer, nopass :: edit_header => null()
  end type

  public :: sill_flow_run, sill_flow_add_operation

contains

  ! Collective. The paths have one length, padded with blanks. An empty output path writes no output.
  subroutine sill_flow_run(session, inputs, output, flow, assume, map, sample_format, clip, nonfinite, history, &
                           scratch, accept_loss, scale, process_auxiliary, resume, result, ierr)
    type(sill_session), intent(in) :: session
    character(len=*), intent(in) :: inputs(:), output, flow
    character(len=*), intent(in), optional :: assume, map, scratch, scale
    logical, intent(in), optional :: process_auxiliary, resume
    integer, intent(in), optional :: sample_format, nonfinite
    logical, intent(in), optional :: clip, accept_loss
    logical, intent(in), optional :: history  ! .true.
    type(sill_flow_result), intent(out), optional :: result
    integer, intent(out), optional :: ierr
    character(kind=c_char), allocatable, target :: all(:, :), of_assume(:), of_map(:), of_scratch(:), of_scale(:)
    type(c_ptr), allocatable :: each(:)
    type(c_flow_options) :: options
    type(c_flow_result) :: done
    integer(c_int) :: status
    integer :: i
    allocate (all(len(inputs) + 1, size(inputs)), each(size(inputs)))
    do i = 1, size(inputs)
      all(:len_trim(inputs(i)) + 1, i) = c_text(inputs(i))
      each(i) = c_loc(all(1, i))
    end do
    call keep_text(of_assume, assume, '')
    call keep_text(of_map, map, '')
    call keep_text(of_scratch, scratch, '')
    call keep_text(of_scale, scale, '')
    options%assume = c_loc(of_assume)
    options%map = c_loc(of_map)
    options%scratch = c_loc(of_scratch)
    options%scale = c_loc(of_scale)
    options%process_auxiliary = 0
    if (present(process_auxiliary)) options%process_auxiliary = merge(1, 0, process_auxiliary)
    options%resume = 0
    if (present(resume)) options%resume = merge(1, 0, resume)
    options%sample_format = optional_number(sample_format)
    options%nonfinite = optional_number(nonfinite)
    options%clip = 0
    if (present(clip)) options%clip = merge(1, 0, clip)
    options%accept_loss = 0
    if (present(accept_loss)) options%accept_loss = merge(1, 0, accept_loss)
    options%no_history = 0
    if (present(history)) options%no_history = merge(0, 1, history)
    done = c_flow_result(0, 0, 0, 0, 0, 0, c_null_ptr)
    status = c_flow_run(session%handle, each, size(inputs, kind=c_int64_t), c_text(output), c_text(flow), options, done)
    if (present(result)) then
      result = sill_flow_result(done%traces_in, done%traces_out, done%samples_out, done%bytes_out, done%passes, &
                                done%zeroed, '')
      if (c_associated(done%notes)) result%notes = text_at(done%notes)
    end if
    call tell_status(status, ierr)
  end subroutine

  recursive function called_to_run(of_c, context) bind(C) result(status)
    type(c_block), intent(in) :: of_c
    type(c_ptr), value :: context
    integer(c_int) :: status
    type(operation_work), pointer :: holder
    type(sill_block) :: block
    integer :: ended
    call c_f_pointer(context, holder)
    call block_from(of_c, block)
    ended = 0
    call holder%run(block, ended)
    status = int(ended, c_int)
  end function

  recursive function called_to_edit(of_c, context) bind(C) result(status)
    type(c_block), intent(in) :: of_c
    type(c_ptr), value :: context
    integer(c_int) :: status
    type(operation_work), pointer :: holder
    type(sill_block) :: block
    integer :: ended
    call c_f_pointer(context, holder)
    call block_from(of_c, block)
    ended = 0
    call holder%edit_header(block, ended)
    status = int(ended, c_int)
  end function

  ! Local. The procedures must be module procedures, or exist longer than all flows that use them.
  subroutine sill_flow_add_operation(name, scope, run, edit_header, summary, keys, reads_words, writes_words, &
                                     reads_samples, writes_samples, changes_amplitudes, memory_bytes, &
                                     not_thread_safe, ierr)
    character(len=*), intent(in) :: name
    integer, intent(in) :: scope
    procedure(sill_block_work), optional :: run, edit_header
    character(len=*), intent(in), optional :: summary, keys, reads_words, writes_words
    logical, intent(in), optional :: reads_samples, writes_samples, changes_amplitudes, not_thread_safe
    integer(int64), intent(in), optional :: memory_bytes
    integer, intent(out), optional :: ierr
    character(kind=c_char), allocatable, target :: of_name(:), of_summary(:), of_keys(:), of_reads(:), of_writes(:)
    type(operation_work), pointer :: holder
    type(c_operation) :: operation
    integer(c_int) :: status
    allocate (holder)
    call keep_text(of_name, name, '')
    call keep_text(of_summary, summary, 'An operation of the program')
    call keep_text(of_keys, keys, '')
    call keep_text(of_reads, reads_words, '')
    call keep_text(of_writes, writes_words, '')
    operation%name = c_loc(of_name)
    operation%summary = c_loc(of_summary)
    operation%scope = int(scope, c_int)
    operation%keys = c_loc(of_keys)
    operation%reads_words = c_loc(of_reads)
    operation%writes_words = c_loc(of_writes)
    operation%reads_samples = number_of(reads_samples)
    operation%writes_samples = number_of(writes_samples)
    operation%changes_amplitudes = number_of(changes_amplitudes)
    operation%not_thread_safe = number_of(not_thread_safe)
    operation%memory_bytes = 0
    if (present(memory_bytes)) operation%memory_bytes = memory_bytes
    operation%run = c_null_funptr
    operation%edit_header = c_null_funptr
    if (present(run)) then
      holder%run => run
      operation%run = c_funloc(called_to_run)
    end if
    if (present(edit_header)) then
      holder%edit_header => edit_header
      operation%edit_header = c_funloc(called_to_edit)
    end if
    operation%context = c_loc(holder)
    status = c_flow_add_operation(operation)
    if (status /= SILL_OK) deallocate (holder)
    call tell_status(status, ierr)
  end subroutine

  ! Local. Returns an optional logical, or its default.
  pure function number_of(truth) result(number)
    logical, intent(in), optional :: truth
    integer(c_int) :: number
    number = 0
    if (present(truth)) number = merge(1, 0, truth)
  end function
end module
