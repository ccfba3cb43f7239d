/* main() for a fuzz target without libFuzzer. Runs the given files and all their prefixes of up to 300
 * bytes, which consist mostly of decisions. */
#include "fuzz.h"

int main(int argc, char **argv)
{
    static uint8_t input[1 << 16];
    size_t runs = 0;

    for (int i = 1; i < argc; i++) {
        FILE *file = fopen(argv[i], "rb");
        if (file == NULL) {
            perror(argv[i]);
            return EXIT_FAILURE;
        }
        const size_t size = fread(input, 1, sizeof input, file);
        fclose(file);
        LLVMFuzzerTestOneInput(input, size);
        for (size_t n = 0; n < size && n < 300; n++)
            LLVMFuzzerTestOneInput(input, n);
        runs += 1 + (size < 300 ? size : 300);
    }
    printf("%d files, %zu inputs\n", argc - 1, runs);
    return argc > 1 ? EXIT_SUCCESS : EXIT_FAILURE;
}
