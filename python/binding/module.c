/* The module rijn._native: its backends and its types. */
#include "binding.h"
#include "forks.h"
#include "rijn_machine.h"

#include <stdlib.h>

static PyStructSequence_Field backend_info_fields[] = {
    {"name", "as given to AES and AESGCM"},
    {"summary", "one line"},
    {"reason", "why it cannot run here; \"\" if it can"},
    {"available", "True if this machine can run it"},
    {"constant_time", "True if no branch or address depends on key or data"},
    {"automatic", "True if it may be chosen by default"},
    {"blocks", "AES blocks that it processes at once"},
    {NULL, NULL},
};

static PyStructSequence_Desc backend_info_desc = {
    "rijn._native.BackendInfo",
    "One C backend.",
    backend_info_fields,
    7,
};

static PyObject *describe_backend(PyTypeObject *type, const rijn_backend_info *info)
{
    PyObject *record = PyStructSequence_New(type);
    if (!record)
        return NULL;
    PyObject *values[] = {
        PyUnicode_FromString(info->name),      PyUnicode_FromString(info->summary),
        PyUnicode_FromString(info->reason),    PyBool_FromLong(info->available),
        PyBool_FromLong(info->constant_time),  PyBool_FromLong(info->automatic),
        PyLong_FromUnsignedLong(info->blocks),
    };
    for (Py_ssize_t i = 0; i < backend_info_desc.n_in_sequence; i++)
        PyStructSequence_SetItem(record, i, values[i]);
    if (PyErr_Occurred())
        Py_CLEAR(record);
    return record;
}

static PyObject *module_backends(PyObject *module, PyObject *nothing)
{
    (void)nothing;
    const module_state *state = PyModule_GetState(module);
    PyObject *list = PyList_New(0);
    for (size_t i = 0; list && i < rijn_backend_count(); i++) {
        rijn_backend_info info;
        PyObject *record = rijn_backend_at(i, &info) == RIJN_OK
                               ? describe_backend(state->backend_info, &info)
                               : NULL;
        if (!record || PyList_Append(list, record) < 0)
            Py_CLEAR(list);
        Py_XDECREF(record);
    }
    return list;
}

static PyObject *module_aegis_kernels(PyObject *module, PyObject *nothing)
{
    (void)module, (void)nothing;
    PyObject *list = PyList_New(0);
    for (size_t i = 0; list && i < rijn_aegis_kernel_count(); i++) {
        rijn_aegis_kernel_info info;
        PyObject *record =
            rijn_aegis_kernel_at(i, &info) == RIJN_OK
                ? Py_BuildValue("(ssOss)", info.name, info.backend,
                                info.available ? Py_True : Py_False, info.reason, info.summary)
                : NULL;
        if (!record || PyList_Append(list, record) < 0)
            Py_CLEAR(list);
        Py_XDECREF(record);
    }
    return list;
}

static PyObject *module_limit_cpu(PyObject *module, PyObject *mask)
{
    (void)module;
    const unsigned long long bits = PyLong_AsUnsignedLongLongMask(mask);
    if (PyErr_Occurred())
        return NULL;
    rijn_cpu_limit(bits);
    Py_RETURN_NONE;
}

static PyObject *module_forked(PyObject *module, PyObject *nothing)
{
    (void)module, (void)nothing;
    count_fork();
    Py_RETURN_NONE;
}

static PyObject *module_environment(PyObject *module, PyObject *nothing)
{
    (void)module, (void)nothing;
    return PyUnicode_DecodeFSDefault(rijn_environment());
}

#define BARE "--\n\n" /* the end of a method's text if there is only a signature */

/* Puts a longer text into the type's method table. It is allocated without Python and never freed,
 * because all interpreters of the process share the table. */
static PyObject *module_document(PyObject *module, PyObject *args)
{
    PyTypeObject *type;
    const char *name, *text;

    (void)module;
    if (!PyArg_ParseTuple(args, "O!ss", &PyType_Type, &type, &name, &text))
        return NULL;
    PyMethodDef *row = PyType_GetSlot(type, Py_tp_methods);
    while (row && row->ml_name && strcmp(row->ml_name, name) != 0)
        row++;
    if (!row || !row->ml_name) {
        PyErr_SetString(PyExc_ValueError, "the type has no such method");
        return NULL;
    }
    const size_t size = strlen(row->ml_doc), end = sizeof BARE - 1;
    if (size < end || strcmp(row->ml_doc + size - end, BARE) != 0)
        Py_RETURN_NONE;
    char *const whole = malloc(size + strlen(text) + 1);
    if (!whole)
        return PyErr_NoMemory();
    memcpy(whole, row->ml_doc, size);
    memcpy(whole + size, text, strlen(text) + 1);
    row->ml_doc = whole;
    Py_RETURN_NONE;
}

static PyMethodDef module_functions[] = {
    {"document", module_document, METH_VARARGS,
     "document(type, method, text, /)\n--\n\nGives a method of a type here its docstring, unless "
     "it has one."},
    {"forked", module_forked, METH_NOARGS,
     "forked()\n--\n\nNotes that this process was forked: streams of the other one are refused."},
    {"backends", module_backends, METH_NOARGS,
     "backends()\n--\n\nReturns the C backends of this build, preferred first."},
    {"aegis_kernels", module_aegis_kernels, METH_NOARGS,
     "aegis_kernels()\n--\n\nReturns the AEGIS kernels: (name, backend, available, reason, "
     "summary)."},
    {"limit_cpu", module_limit_cpu, METH_O,
     "limit_cpu(mask)\n--\n\nFor tests: hides the CPU features whose bit is not in mask."},
    {"environment", module_environment, METH_NOARGS,
     "environment()\n--\n\nReturns RIJN_BACKEND; \"\" if it is unset or must be ignored."},
    {NULL, NULL, 0, NULL},
};

static int module_exec(PyObject *module)
{
    module_state *state = PyModule_GetState(module);
    state->backend_info = PyStructSequence_NewType(&backend_info_desc);
    if (!state->backend_info || PyModule_AddType(module, state->backend_info) < 0 ||
        !add_aes(module) || !add_aeads(module) || !add_macs(module) || !add_wrap(module) ||
        !add_rows(module) || PyModule_AddStringConstant(module, "version", rijn_version()) < 0)
        return -1;
    return 0;
}

static int module_traverse(PyObject *module, visitproc visit, void *arg)
{
    const module_state *state = PyModule_GetState(module);
    Py_VISIT(state->backend_info);
    Py_VISIT(state->stream);
    return 0;
}

static int module_clear(PyObject *module)
{
    module_state *state = PyModule_GetState(module);
    Py_CLEAR(state->backend_info);
    Py_CLEAR(state->stream);
    return 0;
}

static void module_free(void *module)
{
    module_clear(module);
}

/* The limited API of 3.11 does not have the last two slots. Python assumes that such modules need
 * the interpreter lock. */
static PyModuleDef_Slot module_slots[] = {
    {Py_mod_exec, module_exec},
#ifdef Py_mod_multiple_interpreters
    {Py_mod_multiple_interpreters, Py_MOD_PER_INTERPRETER_GIL_SUPPORTED},
#endif
#ifdef Py_mod_gil
    {Py_mod_gil, Py_MOD_GIL_NOT_USED},
#endif
    {0, NULL},
};

static PyModuleDef module_definition = {
    PyModuleDef_HEAD_INIT,
    .m_name = "rijn._native",
    .m_doc = "The binding of librijn. Private: use the classes of rijn.",
    .m_size = sizeof(module_state),
    .m_methods = module_functions,
    .m_slots = module_slots,
    .m_traverse = module_traverse,
    .m_clear = module_clear,
    .m_free = module_free,
};

PyMODINIT_FUNC PyInit__native(void); /* the only symbol that is exported */

PyMODINIT_FUNC PyInit__native(void)
{
    return PyModuleDef_Init(&module_definition);
}
