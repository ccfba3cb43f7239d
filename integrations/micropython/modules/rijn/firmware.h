/* For module.c in a firmware. The classes and the module are constants in flash. */
#include "py/binary.h"
#include "py/objexcept.h"
#include "py/objstr.h"
#include "py/runtime.h"

#define raise_error(type, text, ...) mp_raise_msg_varg(type, MP_ERROR_TEXT(text), ##__VA_ARGS__)

/* Allocates an object. The collector calls its __del__. */
#if !MICROPY_ENABLE_FINALISER
#error "MICROPY_ENABLE_FINALISER is 0: the collector would leave keys in the heap"
#endif
#define new_object(type, class) mp_obj_malloc_with_finaliser(type, class)

#define CLASS_TYPE(name) (&name##_type)
#define EXCEPTION_TYPE(exception) (&mp_type_##exception)

/* The kinds of values in a list of names. STATIC is a static method. */
#define ENTRY(kind, name, value) {MP_ROM_QSTR(name), ENTRY_##kind(value)},
#define ENTRY_OBJECT(object) MP_ROM_PTR(&object)
#define ENTRY_NUMBER(number) MP_ROM_INT(number)
#define ENTRY_NUMBERS(name) MP_ROM_PTR(&name##_tuple)
#define ENTRY_CLASS(name) MP_ROM_PTR(CLASS_TYPE(name))
#define ENTRY_EXCEPTION(name) MP_ROM_PTR(EXCEPTION_TYPE(name))
#define ENTRY_STATIC(name) MP_ROM_PTR(&name##_static)

#define EXCEPTION(name) MP_DEFINE_EXCEPTION(name, Exception)

#define STATIC_METHOD(name) \
    static MP_DEFINE_CONST_STATICMETHOD_OBJ(name##_static, MP_ROM_PTR(&name##_obj))

#define NUMBERS(name, count, ...) \
    static const mp_rom_obj_tuple_t name##_tuple = {{&mp_type_tuple}, count, {__VA_ARGS__}}

#define CLASS_AHEAD(name) static const mp_obj_type_t name##_type

#define CLASS(name, qstr, make, NAMES) \
    static const mp_rom_map_elem_t name##_names[] = {NAMES(ENTRY)}; \
    static MP_DEFINE_CONST_DICT(name##_dict, name##_names); \
    static MP_DEFINE_CONST_OBJ_TYPE(name##_type, qstr, MP_TYPE_FLAG_NONE, make_new, make, \
                                    locals_dict, &name##_dict)

#define MODULE(qstr, NAMES) \
    static const mp_rom_map_elem_t module_names[] = { \
        {MP_ROM_QSTR(MP_QSTR___name__), MP_ROM_QSTR(qstr)}, NAMES(ENTRY)}; \
    static MP_DEFINE_CONST_DICT(module_dict, module_names); \
    const mp_obj_module_t rijn_module = { \
        .base = {&mp_type_module}, \
        .globals = (mp_obj_dict_t *)&module_dict, \
    }; \
    MP_REGISTER_MODULE(qstr, rijn_module)
