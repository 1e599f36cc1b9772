"""What a teacher hands out and gets back: exams and their keys, quizzes, files, marks."""
