"""FakeConvert against OpenVINO itself and against the formula: `python -m fakeconvert COMMAND --help`."""
