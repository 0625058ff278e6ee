"""Comparison of many settings in one pass: `grid` lists the settings, `search` trains them on the same rows."""
