"""What a screen says, for every role: labels, fields, rows, dialogs, and evidence that an expectation holds."""
