"""The version of Runoff, from the package's metadata."""

from importlib.metadata import PackageNotFoundError, version

try:
    __version__ = version("runoff")
except PackageNotFoundError:  # run from a source folder that was never installed
    __version__ = "0"
