"""Models that go in and come out again."""
