/* The output with parallel HDF5. */
#include <hdf5.h>
#include <stdio.h>

#include "particles.h"

static hid_t file, in_file, in_memory, transfer;

static hid_t check(hid_t result) { /* HDF5 prints why; other ranks may wait in their calls */
  if (result < 0) MPI_Abort(MPI_COMM_WORLD, 1);
  return result;
}

void output_open(const char *path, const particles *of) {
  const hid_t access = check(H5Pcreate(H5P_FILE_ACCESS));
  check(H5Pset_fapl_mpio(access, MPI_COMM_WORLD, MPI_INFO_NULL));
  check(H5Pset_all_coll_metadata_ops(access, 1));
  check(H5Pset_coll_metadata_write(access, 1));
  file = check(H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, access));
  check(H5Pclose(access));
  const hsize_t all = (hsize_t)of->all, first = (hsize_t)of->first, count = (hsize_t)of->count;
  in_file = check(H5Screate_simple(1, &all, NULL));
  in_memory = check(H5Screate_simple(1, &count, NULL));
  check(H5Sselect_hyperslab(in_file, H5S_SELECT_SET, &first, NULL, &count, NULL));
  transfer = check(H5Pcreate(H5P_DATASET_XFER));
  check(H5Pset_dxpl_mpio(transfer, H5FD_MPIO_COLLECTIVE));
}

void output_write(const particles *of, int step) {
  char name[32];
  snprintf(name, sizeof name, "Timestep_%d", step);
  const hid_t group = check(H5Gcreate2(file, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
  for (int a = 0; a < ARRAYS; ++a) {
    const hid_t type = a == ID_1 ? H5T_NATIVE_INT : H5T_NATIVE_FLOAT;
    const hid_t dataset = check(H5Dcreate2(group, names[a], type, in_file, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    check(H5Dwrite(dataset, type, in_memory, in_file, transfer, of->arrays[a]));
    check(H5Dclose(dataset));
  }
  check(H5Gclose(group));
}

void output_close(void) {
  check(H5Pclose(transfer));
  check(H5Sclose(in_memory));
  check(H5Sclose(in_file));
  check(H5Fclose(file));
}
