"""Players that set goals: good ones of single games, and ones that know what others do not."""
