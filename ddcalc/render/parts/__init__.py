"""Questions of several parts as pages: what is new in each, and its cases."""
