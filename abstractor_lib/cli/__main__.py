"""``python -m abstractor_lib.cli``."""

from . import main

if __name__ == "__main__":
    main()
