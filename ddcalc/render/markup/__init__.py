"""Pages as Markdown, LaTeX and HTML."""
