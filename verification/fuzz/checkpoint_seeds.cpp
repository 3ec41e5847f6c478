/// checkpoint_seeds DIR writes a checkpoint to begin with, whole and without its head.
#include "core/archive.hpp"
#include "verification/support/some_checkpoint.hpp"

#include <fstream>

int main(int argc, char** argv) {
  if (argc != 2)
    return 2;
  const emmy::Checkpoint checkpoint = emmy::test::some_checkpoint();
  emmy::Bytes bare;
  emmy::ByteWriter{bare}(checkpoint.identity, checkpoint.run, checkpoint.recorders);
  const std::string directory = argv[1];
  std::ofstream(directory + "/whole", std::ios::binary) << emmy::encode(checkpoint);
  std::ofstream(directory + "/bare", std::ios::binary) << std::string(bare.begin(), bare.end());
}
