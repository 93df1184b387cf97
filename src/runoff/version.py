"""The version of Runoff: written once, in the package's metadata."""

from importlib.metadata import PackageNotFoundError, version

try:
    __version__ = version("runoff")
except PackageNotFoundError:  # run from a folder that was never installed
    __version__ = "0"
