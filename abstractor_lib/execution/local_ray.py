"""A Ray cluster of this machine alone, for as long as the process that started it lives.

Run as a script. Ray's own processes would outlive a killed driver; this one sees its standard
input end, however the driver ended, and takes them down.
"""

import logging
import sys


def main(cores: int) -> None:
    """Start the cluster, print its address, and stop it when standard input ends."""
    import ray

    started = ray.init(
        address="local",
        num_cpus=cores,
        include_dashboard=False,
        log_to_driver=False,
        logging_level=logging.ERROR,
    )
    print(started.address_info["address"], flush=True)  # ty: ignore[missing-attribute]
    sys.stdin.read()
    ray.shutdown()


if __name__ == "__main__":
    main(int(sys.argv[1]))
