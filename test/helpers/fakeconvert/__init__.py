"""FakeConvert against OpenVINO and against the formula: `python -m fakeconvert COMMAND --help`."""
