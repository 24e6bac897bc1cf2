"""Models that are imported and exported again."""
