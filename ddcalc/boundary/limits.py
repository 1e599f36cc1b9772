"""What a problem file may hold at most; tested at the limit and one above."""

FILE = 1 << 30  # bytes of a file that is kept; one that is read problem by problem has no limit
NESTING = 20  # mappings and lists inside one another, the problem itself being the first
SCALAR = 4_096  # characters
LIST = 10_000  # elements
EVENTS = 20_000  # YAML events of one problem: a scalar is one, a mapping or list two
SKIPPED = 200_000  # events of a refused problem before the whole file is given up
DEPTH = 1_000  # nesting at which the file is given up: the parser's time grows with its square
QUIET = 1 << 20  # characters without any event: one giant scalar or comment
LINE = 1 << 20  # characters of one line of ndjson
TITLE = 200  # characters of a title that are shown
