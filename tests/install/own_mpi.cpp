// A program that starts MPI itself and hands its communicator to Sill: own_mpi FILE
#include <mpi.h>

#include <iostream>

#include "sill/comm/mpi_communicator.hpp"
#include "sill/io/survey/survey_reader.hpp"

int main(int count, char** values) {
  int level = 0;
  MPI_Init_thread(&count, &values, MPI_THREAD_FUNNELED, &level);
  int status = 0;
  try {
    const std::unique_ptr<sill::Communicator> comm = sill::make_mpi_communicator(MPI_COMM_WORLD);
    const sill::Resources resources{.comm = *comm};
    const sill::SurveyReader reader(resources, {values[1]});
    if (comm->rank() == 0) std::cout << comm->size() << " ranks, " << reader.traces() << " traces\n";
  } catch (const sill::Error& error) {
    std::cerr << error.what() << '\n';
    status = static_cast<int>(error.code());
  }
  MPI_Finalize();
  return status;
}
