"""Compatible modules: the names and calls of other libraries, on Rijn's backends."""
