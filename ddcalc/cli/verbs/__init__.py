"""The verbs, a file for each: its options and its run. One is imported when it is called."""
