"""What crosses from reading to learning: `batch` (examples as they were read), `rows` (features numbered), `arrays`."""
