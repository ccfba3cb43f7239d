from fixtures import columns_server, folder, keysets, run, run_code

__all__ = ["columns_server", "folder", "keysets", "run", "run_code"]
