"""The problem types, a folder for each subject."""
