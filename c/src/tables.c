/* The function tables of each mode, in the order of the registry: one array for each mode. Nothing
 * else is here, because tests replace this file by one that adds tables of their own. */
#include "backends.h"

#ifndef RIJN_MORE_TABLES
#define RIJN_MORE_TABLES(mode)
#endif
#define RIJN_BACKEND(where, id, name, timing, choice, kernels) \
    RIJN_IN_##where(RIJN_IF_##timing(RIJN_TABLE(id)))

#define RIJN_TABLE(id) &rijn_##id##_ecb,
const rijn_ecb_table *const rijn_ecb_tables[] = {
#include "backends.def"
    RIJN_MORE_TABLES(ecb)};
#undef RIJN_TABLE

#define RIJN_TABLE(id) &rijn_##id##_cbc,
const rijn_cbc_table *const rijn_cbc_tables[] = {
#include "backends.def"
    RIJN_MORE_TABLES(cbc)};
#undef RIJN_TABLE

#define RIJN_TABLE(id) &rijn_##id##_ctr,
const rijn_ctr_table *const rijn_ctr_tables[] = {
#include "backends.def"
    RIJN_MORE_TABLES(ctr)};
#undef RIJN_TABLE

#define RIJN_TABLE(id) &rijn_##id##_ctr_mac,
const rijn_ctr_mac_table *const rijn_ctr_mac_tables[] = {
#include "backends.def"
    RIJN_MORE_TABLES(ctr_mac)};
#undef RIJN_TABLE

#define RIJN_TABLE(id) &rijn_##id##_feedback,
const rijn_feedback_table *const rijn_feedback_tables[] = {
#include "backends.def"
    RIJN_MORE_TABLES(feedback)};
#undef RIJN_TABLE

#define RIJN_TABLE(id) &rijn_##id##_xts,
const rijn_xts_table *const rijn_xts_tables[] = {
#include "backends.def"
    RIJN_MORE_TABLES(xts)};
#undef RIJN_TABLE

#define RIJN_TABLE(id) &rijn_##id##_gcm,
const rijn_gcm_table *const rijn_gcm_tables[] = {
#include "backends.def"
    RIJN_MORE_TABLES(gcm)};
#undef RIJN_TABLE

#define RIJN_TABLE(id) &rijn_##id##_gcm_siv,
const rijn_gcm_siv_table *const rijn_gcm_siv_tables[] = {
#include "backends.def"
    RIJN_MORE_TABLES(gcm_siv)};
#undef RIJN_TABLE

#define RIJN_TABLE(id) &rijn_##id##_ocb,
const rijn_ocb_table *const rijn_ocb_tables[] = {
#include "backends.def"
    RIJN_MORE_TABLES(ocb)};
#undef RIJN_TABLE

#define RIJN_TABLE(id) &rijn_##id##_many,
const rijn_many_table *const rijn_many_tables[] = {
#include "backends.def"
    RIJN_MORE_TABLES(many)};
#undef RIJN_TABLE
