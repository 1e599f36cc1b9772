"""The command line, made from the declarations of the problem types."""
