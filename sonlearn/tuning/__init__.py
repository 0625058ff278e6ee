"""Many settings in one pass: `grid` has the settings to try, `search` learns them side by side."""
