"""All environments: one module each, registered by its place in a family's folder and imported when one is created."""

from turnwise.core.registration import declare

if __name__ != "turnwise.envs":
    raise ImportError("the folder envs/ is imported as turnwise.envs")

for _folder in __path__:
    declare(_folder, __name__)
