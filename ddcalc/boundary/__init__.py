"""The only place that touches bytes: what is read, what is shown, what is written."""
