"""What is said of an answer: its steps and sentences, with reasons and numbers."""
