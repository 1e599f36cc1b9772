"""When gradient descent converges: with stale gradients, and on ridge regression."""
