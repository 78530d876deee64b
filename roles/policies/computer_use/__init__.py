"""Models with a tool of their own for computers, as Operators: pictures in, their actions out."""
