pytest_plugins = ["suite"]  # bench/tests has it, too
