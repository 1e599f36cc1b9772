"""Questions on any problem type, one module each; they use only declarations and equations."""
