"""The page about a run: begin with `page`."""
