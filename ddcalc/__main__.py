"""``python -m ddcalc``."""

from ddcalc.cli.main import main

if __name__ == "__main__":
    main()
