"""``python -m ddcalc``."""

from ddcalc.cli.main import main

main()
