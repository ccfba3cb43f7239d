/* Tests the jar's native library without a JVM: smoke LIBRARY.
 *
 * The functions below replace the JVM, over byte arrays of this program. With every algorithm, a row
 * is sealed and opened. A row with a changed bit does not open and leaves zeros. The same holds for a
 * large row, which is copied. Wrong offsets and sizes are refused. This program has its own allocator,
 * which checks that the library wipes the memory that it frees, writes only inside it, and handles
 * failed allocations. Prints the number of failures, and exits with 1 if there are any. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <jni.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    jint length;
    uint8_t *bytes;
} array;

static int thrown;            /* exceptions */
static int held;              /* arrays that are not released yet */
static int taken;             /* calls of GetPrimitiveArrayCritical: arrays that were not copied */
static int outside;           /* regions outside their array */
static const uint8_t *target; /* the array that is written; it must be released with mode 0 */
static int kept_wrongly;      /* arrays that were released with the wrong mode */

/* ---- The allocator ---------------------------------------------------------------------- */

enum { BLOCKS = 64, EDGE = 16 };

static struct {
    void *at;
    size_t size;
} blocks[BLOCKS];             /* the library's blocks */
static volatile int watching; /* the library runs; volatile, because compilers know malloc */
static int refusals = -1;     /* allocations until one fails; -1: none fails */
static int unwiped;           /* blocks that were not wiped when they were freed */
static int overrun;           /* blocks that were written beyond their end */

static void *watched(size_t size, int zeros)
{
    static void *(*real)(size_t);
    if (!real)
        *(void **)&real = dlsym(RTLD_NEXT, "malloc");
    if (!watching)
        return real(size);
    if (!size || (refusals >= 0 && !refusals--))
        return NULL;
    uint8_t *const at = real(size + EDGE);
    for (int i = 0; at && i < BLOCKS; i++) {
        if (!blocks[i].at) {
            blocks[i].at = at;
            blocks[i].size = size;
            memset(at, zeros ? 0 : 0xa5, size);
            memset(at + size, 0xc3, EDGE);
            return at;
        }
    }
    return NULL;
}

void *malloc(size_t size)
{
    return watched(size, 0);
}

void *calloc(size_t count, size_t size)
{
    static void *(*real)(size_t, size_t);
    static int asking;
    if (watching)
        return watched(count * size, 1);
    if (!real && !asking) { /* dlsym may call calloc */
        asking = 1;
        *(void **)&real = dlsym(RTLD_NEXT, "calloc");
        asking = 0;
    }
    return real ? real(count, size) : NULL;
}

void free(void *at)
{
    static void (*real)(void *);
    if (!real)
        *(void **)&real = dlsym(RTLD_NEXT, "free");
    for (int i = 0; at && i < BLOCKS; i++) {
        if (blocks[i].at != at)
            continue;
        const uint8_t *const bytes = at;
        size_t left = 0, edge = 0;
        for (size_t j = 0; j < blocks[i].size; j++)
            left += bytes[j] != 0 && bytes[j] != 0xa5;
        for (size_t j = 0; j < EDGE; j++)
            edge += bytes[blocks[i].size + j] != 0xc3;
        unwiped += left != 0;
        overrun += edge != 0;
        blocks[i].at = NULL;
    }
    real(at);
}

/* Returns whether the stack of the last call contains 16 bytes of a secret. */
__attribute__((noinline)) static int on_stack(const uint8_t *secret)
{
    enum { STACK = 8192, WINDOW = 16 };
    const volatile uint8_t *const end = __builtin_frame_address(0);
    for (const volatile uint8_t *at = end - STACK; at < end - WINDOW; at++) {
        int same = 0;
        while (same < WINDOW && at[same] == secret[same])
            same++;
        if (same == WINDOW)
            return 1;
    }
    return 0;
}

/* ---- The virtual machine ---------------------------------------------------------------- */

static int inside(jarray a, jsize start, jsize size)
{
    const jint length = ((array *)a)->length;
    if (start >= 0 && size >= 0 && start <= length && size <= length - start)
        return 1;
    outside++;
    return 0;
}

static jint JNICALL get_array_length(JNIEnv *env, jarray a)
{
    (void)env;
    return ((array *)a)->length;
}

static void *JNICALL get_critical(JNIEnv *env, jarray a, jboolean *copied)
{
    (void)env;
    (void)copied;
    held++;
    taken++;
    return ((array *)a)->bytes;
}

static void JNICALL release_critical(JNIEnv *env, jarray a, void *bytes, jint mode)
{
    (void)env;
    (void)a;
    kept_wrongly += mode != (bytes == target ? 0 : JNI_ABORT);
    held--;
}

static void JNICALL get_region(JNIEnv *env, jbyteArray a, jsize start, jsize size, jbyte *to)
{
    (void)env;
    if (inside(a, start, size))
        memcpy(to, ((array *)a)->bytes + start, (size_t)size);
}

static void JNICALL set_region(JNIEnv *env, jbyteArray a, jsize start, jsize size,
                               const jbyte *from)
{
    (void)env;
    if (inside(a, start, size))
        memcpy(((array *)a)->bytes + start, from, (size_t)size);
}

static jclass JNICALL find_class(JNIEnv *env, const char *name)
{
    (void)env;
    static char any;
    (void)name;
    return (jclass)(void *)&any;
}

static jint JNICALL throw_new(JNIEnv *env, jclass class, const char *text)
{
    (void)env;
    (void)class;
    (void)text;
    thrown++;
    return 0;
}

static jstring JNICALL new_string(JNIEnv *env, const char *text)
{
    (void)env;
    return (jstring)(void *)(uintptr_t)text;
}

static array fresh(jint length)
{
    const int before = watching;
    watching = 0; /* not a block of the library */
    array a = {length, malloc(length ? (size_t)length : 1)};
    watching = before;
    if (!a.bytes)
        exit(2);
    memset(a.bytes, 0x5a, (size_t)length);
    return a;
}

typedef jlong key_function(JNIEnv *, jclass, jint, jbyteArray);
typedef void wipe_function(JNIEnv *, jclass, jlong);
typedef jint seal_function(JNIEnv *, jclass, jlong, jbyteArray, jint, jbyteArray, jint, jint,
                           jbyteArray, jint);
typedef jint open_function(JNIEnv *, jclass, jlong, jbyteArray, jbyteArray, jint, jint, jbyteArray,
                           jint);
typedef jstring text_function(JNIEnv *, jclass);

static void *symbol(void *library, const char *name)
{
    void *found = dlsym(library, name);
    if (!found) {
        printf("no %s\n", name);
        exit(1);
    }
    return found;
}

#define CHECK(what) \
    do { \
        if (!(what)) { \
            printf("FAILED algorithm %d, line %d: %s\n", algorithm, __LINE__, #what); \
            failures++; \
        } \
    } while (0)

int main(int count, char **arguments)
{
    static const struct {
        jint key, nonce;
    } sizes[] = {{32, 12}, {32, 24}, {64, 0}, {16, 12}, {32, 32}, {16, 16}};
    struct JNINativeInterface_ functions;
    memset(&functions, 0, sizeof functions);
    functions.GetArrayLength = get_array_length;
    functions.GetPrimitiveArrayCritical = get_critical;
    functions.ReleasePrimitiveArrayCritical = release_critical;
    functions.GetByteArrayRegion = get_region;
    functions.SetByteArrayRegion = set_region;
    functions.FindClass = find_class;
    functions.ThrowNew = throw_new;
    functions.NewStringUTF = new_string;
    const struct JNINativeInterface_ *table = &functions;
    JNIEnv *env = &table;

    void *library = count == 2 ? dlopen(arguments[1], RTLD_NOW | RTLD_LOCAL) : NULL;
    if (!library) {
        printf("%s\n", count == 2 ? dlerror() : "smoke LIBRARY");
        return 1;
    }
    key_function *key_of;
    wipe_function *wipe;
    seal_function *seal;
    open_function *open;
    text_function *version, *backend;
    *(void **)&key_of = symbol(library, "Java_rijn_spark_Native_key");
    *(void **)&wipe = symbol(library, "Java_rijn_spark_Native_wipe");
    *(void **)&seal = symbol(library, "Java_rijn_spark_Native_seal");
    *(void **)&open = symbol(library, "Java_rijn_spark_Native_open");
    *(void **)&version = symbol(library, "Java_rijn_spark_Native_version");
    *(void **)&backend = symbol(library, "Java_rijn_spark_Native_backend");

    int failures = 0;
    for (int algorithm = 0; algorithm < 6; algorithm++) {
        array secret = fresh(sizes[algorithm].key), text = fresh(37), ad = fresh(9);
        jint nonce = sizes[algorithm].nonce, size = nonce + 37 + 16;
        array row = fresh(5 + size), back = fresh(37);
#define OF(a) ((jbyteArray)(void *)&(a))
        for (jint i = 0; i < secret.length; i++)
            secret.bytes[i] = (uint8_t)(0x11 + 5 * i + algorithm);
        watching = 1;
        jlong key = key_of(env, NULL, algorithm, OF(secret));
        CHECK(!on_stack(secret.bytes));
        CHECK(key != 0 && thrown == 0);
        target = row.bytes;
        CHECK(seal(env, NULL, key, OF(row), 5, OF(text), 0, 37, OF(ad), 9) == 0);
        CHECK(memcmp(row.bytes + 5 + nonce, text.bytes, 37) != 0);
        memset(back.bytes, 1, 37);
        target = back.bytes;
        CHECK(open(env, NULL, key, OF(back), OF(row), 5, size, OF(ad), 9) == 0);
        CHECK(memcmp(back.bytes, text.bytes, 37) == 0);
        for (jint at = 5; at < 5 + size; at++) {
            row.bytes[at] ^= 1;
            memset(back.bytes, 1, 37);
            CHECK(open(env, NULL, key, OF(back), OF(row), 5, size, OF(ad), 9) == 8);
            for (int i = 0; i < 37; i++)
                CHECK(back.bytes[i] == 0);
            row.bytes[at] ^= 1;
        }
        CHECK(open(env, NULL, key, OF(back), OF(row), 5, size, OF(ad), 8) == 8);

        /* wrong offsets and sizes: 1 is RIJN_ERR_ARGUMENT, 5 is RIJN_ERR_SIZE */
        CHECK(seal(env, NULL, key, OF(row), 5, OF(text), 1, 37, OF(ad), 9) == 1);
        CHECK(seal(env, NULL, key, OF(row), 5, OF(text), -1, 37, OF(ad), 9) == 1);
        CHECK(seal(env, NULL, key, OF(row), 5, OF(text), 0, -1, OF(ad), 9) == 1);
        CHECK(seal(env, NULL, key, OF(row), 5, OF(text), 0x7fffffff, 37, OF(ad), 9) == 1);
        CHECK(seal(env, NULL, key, OF(row), 5, OF(text), 0, 37, OF(ad), 10) == 1);
        CHECK(seal(env, NULL, key, OF(row), -5, OF(text), 0, 37, OF(ad), 9) == 1);
        CHECK(seal(env, NULL, key, OF(row), 0x7fffffff, OF(text), 0, 37, OF(ad), 9) == 1);
        CHECK(seal(env, NULL, key, OF(row), 4, OF(text), 0, 37, OF(ad), 9) == 5);
        CHECK(seal(env, NULL, key, OF(row), 5, OF(text), 0, 36, OF(ad), 9) == 5);
        CHECK(open(env, NULL, key, OF(back), OF(row), 6, size, OF(ad), 9) == 1);
        CHECK(open(env, NULL, key, OF(back), OF(row), 0, -1, OF(ad), 9) == 1);
        CHECK(open(env, NULL, key, OF(back), OF(row), 5, nonce + 15, OF(ad), 9) == 5);
        CHECK(open(env, NULL, key, OF(back), OF(row), 5, size - 1, OF(ad), 9) == 5);
        CHECK(seal(env, NULL, 0, OF(row), 5, OF(text), 0, 37, OF(ad), 9) == 11);
        CHECK(open(env, NULL, key, OF(back), OF(row), 5, size, OF(ad), 10) == 1);
        CHECK(seal(env, NULL, key, OF(row), 5, NULL, 0, 0, OF(ad), 9) == 1);
        CHECK(seal(env, NULL, key, OF(row), 5, OF(text), 0, 37, NULL, 0) == 1);
        CHECK(open(env, NULL, key, NULL, OF(row), 5, size, OF(ad), 9) == 1);
        CHECK(thrown == 0 && held == 0);

        /* an empty value at the end of an array */
        array nothing = fresh(0), short_row = fresh(3 + nonce + 16);
        target = short_row.bytes;
        CHECK(seal(env, NULL, key, OF(short_row), short_row.length, OF(nothing), 0, 0, OF(ad), 9) ==
              5);
        CHECK(seal(env, NULL, key, OF(short_row), 3, OF(nothing), 0, 0, OF(ad), 0) == 0);
        target = nothing.bytes;
        CHECK(open(env, NULL, key, OF(nothing), OF(short_row), 3, nonce + 16, OF(ad), 0) == 0);
        free(short_row.bytes);

        /* XAES: rows whose prefixes differ in one byte have different derived keys */
        const jlong other = key_of(env, NULL, algorithm, OF(secret));
        for (jint at = 0; at < nonce; at++) {
            for (int step = 0; step < 4; step++) {
                row.bytes[5 + at] = (uint8_t)(step < 3 ? 0x5b - step : 0);
                target = row.bytes;
                CHECK(seal(env, NULL, key, OF(row), 5, OF(text), 0, 37, OF(ad), 9) == 0);
                target = back.bytes;
                wipe(env, NULL, key);
                key = key_of(env, NULL, algorithm, OF(secret));
                CHECK(open(env, NULL, key, OF(back), OF(row), 5, size, OF(ad), 9) == 0);
                CHECK(open(env, NULL, other, OF(back), OF(row), 5, size, OF(ad), 9) == 0);
            }
        }
        wipe(env, NULL, other);

        /* large rows, which are copied, so that the garbage collector does not wait */
        array large = fresh(300 * 1000), opened = fresh(300 * 1000);
        array sealed = fresh(3 + nonce + large.length + 16);
        taken = 0;
        CHECK(seal(env, NULL, key, OF(sealed), 3, OF(large), 1000, large.length - 1000, OF(ad),
                   9) == 5);
        CHECK(seal(env, NULL, key, OF(sealed), 3, OF(large), 0, large.length, OF(nothing), 0) == 0);
        CHECK(seal(env, NULL, key, OF(sealed), 3, OF(large), 0, large.length, OF(ad), 9) == 0);
        CHECK(sealed.bytes[2] == 0x5a);
        CHECK(memcmp(sealed.bytes + 3 + nonce, large.bytes, (size_t)large.length) != 0);
        memset(opened.bytes, 1, (size_t)opened.length);
        CHECK(open(env, NULL, key, OF(opened), OF(sealed), 3, sealed.length - 3, OF(ad), 9) == 0);
        CHECK(memcmp(opened.bytes, large.bytes, (size_t)large.length) == 0);
        sealed.bytes[sealed.length - 1] ^= 1;
        CHECK(open(env, NULL, key, OF(opened), OF(sealed), 3, sealed.length - 3, OF(ad), 9) == 8);
        for (jint i = 0; i < opened.length; i++)
            CHECK(opened.bytes[i] == 0);
        CHECK(seal(env, NULL, key, OF(row), 5, OF(text), 0, 37, OF(large), large.length) == 0);
        CHECK(taken == 0 && thrown == 0);

        /* allocations fail, for one of the copies or for a key */
        for (refusals = 0; refusals < 3;) {
            const int before = refusals;
            CHECK(seal(env, NULL, key, OF(sealed), 3, OF(large), 0, large.length, OF(ad), 9) == 1);
            CHECK(thrown == 1);
            refusals = before + 1;
            thrown = 0;
        }
        refusals = 0;
        CHECK(key_of(env, NULL, algorithm, OF(secret)) == 0 && thrown == 1);
        refusals = -1;
        thrown = 0;

        /* value and associated data of 256 KiB together are not copied; one byte more is */
        enum { LIMIT = 256 << 10 };
        array limit = fresh(LIMIT - 9), limit_row = fresh(nonce + LIMIT - 9 + 16);
        array more = fresh(LIMIT - 8), more_row = fresh(nonce + LIMIT - 8 + 16);
        target = limit_row.bytes;
        CHECK(seal(env, NULL, key, OF(limit_row), 0, OF(limit), 0, limit.length, OF(ad), 9) == 0);
        CHECK(taken == 3);
        CHECK(seal(env, NULL, key, OF(more_row), 0, OF(more), 0, more.length, OF(ad), 9) == 0);
        CHECK(taken == 3);
        free(limit.bytes);
        free(limit_row.bytes);
        free(more.bytes);
        free(more_row.bytes);
        free(nothing.bytes);
        free(large.bytes);
        free(opened.bytes);
        free(sealed.bytes);

        array longer = fresh(200);
        static const jint refused[] = {0, 15, 17, 23, 25, 65, 200};
        for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
            longer.length = refused[i];
            CHECK(key_of(env, NULL, algorithm, OF(longer)) == 0 && thrown == 1);
            thrown = 0;
        }
        longer.length = 24;
        CHECK((key_of(env, NULL, algorithm, OF(longer)) == 0) == (algorithm != 0));
        CHECK(thrown == (algorithm != 0));
        thrown = 0;
        CHECK(key_of(env, NULL, algorithm, NULL) == 0 && thrown == 1);
        thrown = 0;
        wipe(env, NULL, key);
        wipe(env, NULL, 0);
        watching = 0;
        CHECK(held == 0 && outside == 0 && kept_wrongly == 0 && unwiped == 0 && overrun == 0);
        free(longer.bytes);
        free(secret.bytes);
        free(text.bytes);
        free(ad.bytes);
        free(row.bytes);
        free(back.bytes);
    }
    int algorithm = 6;
    array secret = fresh(32);
    CHECK(key_of(env, NULL, algorithm, OF(secret)) == 0 && thrown == 1);
    free(secret.bytes);
    thrown = 0;
    const char *const number = (const char *)(void *)version(env, NULL);
    const char *const name = (const char *)(void *)backend(env, NULL);
    CHECK(number && *number && name && *name && thrown == 0);
    printf("librijn %s, %s: %d failures\n", number ? number : "?", name ? name : "?", failures);
    return failures != 0;
}
