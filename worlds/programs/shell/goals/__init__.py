"""Goals of the environment Shell, by what they are about."""
