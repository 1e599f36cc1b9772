"""Problem types on federated learning."""
