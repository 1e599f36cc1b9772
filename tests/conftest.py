"""Settings for all tests."""

from hypothesis import settings

# Examples take milliseconds, but a loaded machine must not fail one.
settings.register_profile("ddcalc", deadline=None)
settings.load_profile("ddcalc")
