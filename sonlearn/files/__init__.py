"""Files that are written whole or not at all (`atomic`), and model files (`storage`)."""
