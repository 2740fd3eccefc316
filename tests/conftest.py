"""For all tests: how long an example takes says nothing on a machine that others use too."""

from hypothesis import settings

settings.register_profile("fsmc", deadline=None)
settings.load_profile("fsmc")
