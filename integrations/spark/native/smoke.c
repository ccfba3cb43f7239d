/* Calls the library of the jar without a JVM: smoke LIBRARY. What it needs of one is the functions
 * below, over byte arrays that are this program's own, with nothing behind their last byte that may be
 * read. Seals and opens a row under every algorithm; a row with a changed bit does not open and
 * leaves zeros, of a large one too, which is copied; places and sizes that lie are refused. Prints what it saw; exits with 1 if anything was
 * otherwise. */
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

static int thrown; /* exceptions */
static int held;   /* arrays that were not given back */
static int taken;  /* arrays that were not copied */

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
    (void)bytes;
    (void)mode;
    held--;
}

static void JNICALL get_region(JNIEnv *env, jbyteArray a, jsize start, jsize size, jbyte *to)
{
    (void)env;
    memcpy(to, ((array *)a)->bytes + start, (size_t)size);
}

static void JNICALL set_region(JNIEnv *env, jbyteArray a, jsize start, jsize size,
                               const jbyte *from)
{
    (void)env;
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
    array a = {length, malloc(length ? (size_t)length : 1)};
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
        jlong key = key_of(env, NULL, algorithm, OF(secret));
        CHECK(key != 0 && thrown == 0);
        CHECK(seal(env, NULL, key, OF(row), 5, OF(text), 0, 37, OF(ad), 9) == 0);
        CHECK(memcmp(row.bytes + 5 + nonce, text.bytes, 37) != 0);
        memset(back.bytes, 1, 37);
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

        /* what lies: 1 is RIJN_ERR_ARGUMENT, 5 RIJN_ERR_SIZE */
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
        CHECK(thrown == 0 && held == 0);

        /* one that the garbage collector does not wait for */
        array large = fresh(300 * 1000), behind = fresh(300 * 1000);
        array sealed = fresh(3 + nonce + large.length + 16);
        taken = 0;
        CHECK(seal(env, NULL, key, OF(sealed), 3, OF(large), 1000, large.length - 1000, OF(ad),
                   9) == 5);
        CHECK(seal(env, NULL, key, OF(sealed), 3, OF(large), 0, large.length, OF(ad), 9) == 0);
        CHECK(sealed.bytes[2] == 0x5a);
        CHECK(memcmp(sealed.bytes + 3 + nonce, large.bytes, (size_t)large.length) != 0);
        memset(behind.bytes, 1, (size_t)behind.length);
        CHECK(open(env, NULL, key, OF(behind), OF(sealed), 3, sealed.length - 3, OF(ad), 9) == 0);
        CHECK(memcmp(behind.bytes, large.bytes, (size_t)large.length) == 0);
        sealed.bytes[sealed.length - 1] ^= 1;
        CHECK(open(env, NULL, key, OF(behind), OF(sealed), 3, sealed.length - 3, OF(ad), 9) == 8);
        for (jint i = 0; i < behind.length; i++)
            CHECK(behind.bytes[i] == 0);
        CHECK(taken == 0 && thrown == 0);
        free(large.bytes);
        free(behind.bytes);
        free(sealed.bytes);

        secret.length = 15;
        CHECK(key_of(env, NULL, algorithm, OF(secret)) == 0 && thrown == 1);
        thrown = 0;
        wipe(env, NULL, key);
        wipe(env, NULL, 0);
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
    printf("librijn %s, %s: %d failures\n", (const char *)(void *)version(env, NULL),
           (const char *)(void *)backend(env, NULL), failures);
    return failures != 0;
}
