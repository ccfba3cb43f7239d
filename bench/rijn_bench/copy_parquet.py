"""Copies a Parquet file with pyarrow, for comparison with `rijn columns encrypt`:

    copy_parquet.py SOURCE RESULT COLUMN

It reads and writes as `rijn columns` does, but seals nothing: one row group after another, on the
main thread, each column with its own compression, COLUMN without dictionary and statistics.
`rijn bench --as columns` runs it as a program.
"""

import sys

import pyarrow.parquet as pq


def main(source: str, result: str, column: str) -> None:
    file = pq.ParquetFile(source, pre_buffer=False)
    group = file.metadata.row_group(0)
    chunks = [group.column(leaf) for leaf in range(group.num_columns)]
    others = [it.path_in_schema for it in chunks if it.path_in_schema != column]
    writer = pq.ParquetWriter(
        result,
        file.schema_arrow,
        compression={it.path_in_schema: it.compression for it in chunks},
        use_dictionary=others,
        write_statistics=others,
    )
    with writer:
        for number in range(file.num_row_groups):
            table = file.read_row_group(number, use_threads=False)
            writer.write_table(table, row_group_size=table.num_rows)


if __name__ == "__main__":
    main(*sys.argv[1:])
