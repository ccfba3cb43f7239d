"""Drop-in faces: other libraries' names and call shapes over Rijn's backends."""
