// SPDX-License-Identifier: Apache-2.0

let help = """
  Usage: thumbturn-synth COMMAND [OPTIONS]

  Makes images of invented fingerprints for tests and demonstrations.

  Commands:
    image  --finger SEED [--impression N] [--preset P] [--output FILE]
           Writes one image as a PGM file, to standard output without --output.
    touch  --socket PATH --finger SEED [--impression N] [--preset P] [--wait SECONDS]
           Sends one image to a virtual image reader of libfprint.
    touch  --socket PATH --device-command TEXT [--wait SECONDS]
           Sends one command, such as "SCAN id", to a virtual device of libfprint.
    raw    --finger SEED --impressions A-B --directory DIR [--preset P]
           Writes SEED-A.raw to SEED-B.raw in the form the virtual image reader receives.

  Options:
    --finger SEED       number that names the finger, 0 to 18446744073709551615
    --impression N      number that names the touch (1)
    --preset P          easy: only good touches; mixed: good and bad ones (easy)
    --wait SECONDS      how long a reader may take to listen and to receive (5)
    --help              show this text

  Exit codes: 0 done, 1 a file or reader refused, 2 the command line makes no sense.

  """
