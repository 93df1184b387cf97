"""Where the viewer's page lies: plain modules, a style sheet and the frame around them, as they are."""

from importlib.resources import files

PAGE = files("runoff.server") / "page"
