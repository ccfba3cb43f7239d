/* For module.c in a native .mpy, which mpy_ld.py links. The module finds MicroPython's functions in
 * mp_fun_table. Qstrs get their numbers when the module is loaded, so its classes are filled in
 * then. They are not static: mpy_ld.py supports writable data only in global variables. */
#include "py/dynruntime.h"

/* dynruntime.h defines these as loads from mp_fun_table. Here they are the symbols, which mpy_ld.py
 * resolves as constants. */
#undef mp_type_str
#undef mp_type_type

/* dynruntime.h has no name for it. */
#define mp_type_OSError (*(mp_obj_type_t *)(mp_load_global(MP_QSTR_OSError)))

/* ---- A C library ------------------------------------------------------------------------ */

/* Otherwise gcc would turn the loops into calls of these same functions. */
#pragma GCC push_options
#pragma GCC optimize("no-tree-loop-distribute-patterns")

void *memcpy(void *to, const void *from, size_t size)
{
    return mp_fun_table.memmove_(to, from, size);
}

void *memmove(void *to, const void *from, size_t size)
{
    return mp_fun_table.memmove_(to, from, size);
}

void *memset(void *to, int byte, size_t size)
{
    return mp_fun_table.memset_(to, byte, size);
}

int memcmp(const void *a, const void *b, size_t size)
{
    const uint8_t *x = a, *y = b;

    for (; size; size--, x++, y++)
        if (*x != *y)
            return *x - *y;
    return 0;
}

int strcmp(const char *a, const char *b)
{
    for (; *a && *a == *b; a++, b++)
        ;
    return (uint8_t)*a - (uint8_t)*b;
}

size_t strlen(const char *text)
{
    const char *end = text;

    while (*end)
        end++;
    return (size_t)(end - text);
}

#pragma GCC pop_options

/* ---- Errors ----------------------------------------------------------------------------- */

typedef struct {
    size_t size;
    char text[96]; /* the longest message has 60 bytes */
} error_text;

static void add_text(void *data, const char *text, size_t size)
{
    error_text *error = data;

    for (size_t i = 0; i < size && error->size < sizeof error->text; i++)
        error->text[error->size++] = text[i];
}

static void __attribute__((noreturn))
raise_error(const mp_obj_type_t *type, const char *format, ...)
{
    error_text error = {.size = 0};
    mp_print_t print = {&error, add_text};
    va_list arguments;

    va_start(arguments, format);
    mp_vprintf(&print, format, arguments);
    va_end(arguments);
    mp_raise_type_arg(type, mp_obj_new_str(error.text, error.size));
}

/* ---- Objects and classes ---------------------------------------------------------------- */

/* Allocates an object. Native modules cannot allocate objects whose __del__ the collector calls. */
#define new_object(type, class) mp_obj_malloc(type, class)

#define CLASS_TYPE(name) ((const mp_obj_type_t *)&name##_type)
#define EXCEPTION_TYPE(name) CLASS_TYPE(name)

/* The kinds of values in a list of names. STATIC is a static method. */
#define VALUE_OBJECT(object) MP_OBJ_FROM_PTR(&object)
#define VALUE_NUMBER(number) MP_OBJ_NEW_SMALL_INT(number)
#define VALUE_NUMBERS(name) name##_tuple()
#define VALUE_CLASS(name) (name##_fill(), MP_OBJ_FROM_PTR(CLASS_TYPE(name)))
#define VALUE_EXCEPTION(name) VALUE_CLASS(name)
#define VALUE_STATIC(name) static_method(MP_OBJ_FROM_PTR(&name##_obj))

static mp_obj_t static_method(mp_obj_t function)
{
    return mp_call_function_n_kw(mp_load_global(MP_QSTR_staticmethod), 1, 0, &function);
}

#define STATIC_METHOD(name)

#define EXCEPTION(name) \
    mp_obj_full_type_t name##_type; \
    static void name##_fill(void) \
    { \
        mp_obj_exception_init(&name##_type, MP_QSTR_##name, &mp_type_Exception); \
    }

#define NUMBERS(name, count, ...) \
    static mp_obj_t name##_tuple(void) \
    { \
        mp_obj_t numbers[] = {__VA_ARGS__}; \
\
        return mp_obj_new_tuple(count, numbers); \
    } \
    typedef int name##_tuple_is_there

#define CLASS_AHEAD(name) extern mp_obj_full_type_t name##_type

#define COUNT_ENTRY(kind, name, value) +1
#define FILL_ENTRY(kind, name, value) \
    *entry++ = (mp_map_elem_t){MP_OBJ_NEW_QSTR(name), VALUE_##kind(value)};

#define CLASS(label, qstr, make, NAMES) \
    mp_obj_full_type_t label##_type; \
    mp_map_elem_t label##_names[NAMES(COUNT_ENTRY)]; \
    static MP_DEFINE_CONST_DICT(label##_dict, label##_names); \
    static void label##_fill(void) \
    { \
        mp_map_elem_t *entry = label##_names; \
        NAMES(FILL_ENTRY) \
        label##_type.base.type = &mp_type_type; \
        label##_type.name = qstr; \
        MP_OBJ_TYPE_SET_SLOT(&label##_type, make_new, make, 0); \
        MP_OBJ_TYPE_SET_SLOT(&label##_type, locals_dict, &label##_dict, 1); \
    } \
    typedef int label##_is_there

#define STORE_ENTRY(kind, name, value) mp_store_global(name, VALUE_##kind(value));

#define MODULE(qstr, NAMES) \
    mp_obj_t mpy_init(mp_obj_fun_bc_t *self, size_t count, size_t named, mp_obj_t *arguments) \
    { \
        MP_DYNRUNTIME_INIT_ENTRY \
        NAMES(STORE_ENTRY) \
        MP_DYNRUNTIME_INIT_EXIT \
    } \
    typedef int module_is_there
