"""Files on disk: results that appear only when they are complete, with the right permissions.

The command and rijn.files share these modules. None of them knows about encryption.
"""
