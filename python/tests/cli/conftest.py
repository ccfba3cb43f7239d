from fixtures import columns_server, folder, run

__all__ = ["columns_server", "folder", "run"]
