/*
 * UCP with primitive arguments, for UcpNative.java. Handles and addresses are int64_t. A result that may be a status
 * and a handle is a status if negative. An operation gives 0 when complete, a negative ucs_status_t when it has failed,
 * else its request, which is handed to pgas_ucp_test until that gives 0 or a status.
 */
#ifndef PGAS_UCP_H
#define PGAS_UCP_H

#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <ucp/api/ucp.h>
#include <ucs/debug/log_def.h>

/* Messages of UCX: the last one is kept for exceptions, for a second. */

static pthread_mutex_t pgas_ucp_log_lock = PTHREAD_MUTEX_INITIALIZER;
static char pgas_ucp_log_text[1024];
static struct timespec pgas_ucp_log_time;
static int pgas_ucp_log_print;

static ucs_log_func_rc_t pgas_ucp_log(const char *file, unsigned line, const char *function, ucs_log_level_t level,
                                      const ucs_log_component_config_t *component, const char *message, va_list args)
{
    (void)file;
    (void)line;
    (void)function;
    (void)component;
    if (level <= UCS_LOG_LEVEL_WARN) {
        va_list copy;
        va_copy(copy, args);
        pthread_mutex_lock(&pgas_ucp_log_lock);
        vsnprintf(pgas_ucp_log_text, sizeof(pgas_ucp_log_text), message, copy);
        clock_gettime(CLOCK_MONOTONIC, &pgas_ucp_log_time);
        pthread_mutex_unlock(&pgas_ucp_log_lock);
        va_end(copy);
    }
    return pgas_ucp_log_print ? UCS_LOG_FUNC_RC_CONTINUE : UCS_LOG_FUNC_RC_STOP;
}

/* Takes over UCX's messages; they are printed as well if the user has asked for a level. */
static inline void pgas_ucp_take_log(void)
{
    pgas_ucp_log_print = getenv("UCX_LOG_LEVEL") != NULL;
    ucs_log_push_handler(pgas_ucp_log);
}

/* Writes the last message and a NUL to buffer, and forgets it. */
static inline void pgas_ucp_last_log(int64_t buffer, int64_t capacity)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    pthread_mutex_lock(&pgas_ucp_log_lock);
    snprintf((char*)buffer, capacity, "%s", now.tv_sec - pgas_ucp_log_time.tv_sec > 1 ? "" : pgas_ucp_log_text);
    pgas_ucp_log_text[0] = 0;
    pthread_mutex_unlock(&pgas_ucp_log_lock);
}

static inline int32_t pgas_ucp_version(void)
{
    unsigned major, minor, release;
    ucp_get_version(&major, &minor, &release);
    return (int32_t)(major << 16 | minor << 8 | release);
}

static inline const char *pgas_ucp_status(int32_t status)
{
    return ucs_status_string((ucs_status_t)status);
}

/* Contexts, memory, workers, endpoints. A worker destroys its endpoints when it is closed. */

/* True if text has a line that begins so. */
static inline int pgas_ucp_has_line(const char *text, const char *line)
{
    size_t length = strlen(line);
    for (const char *at = text; at != NULL; at = strchr(at, '\n')) {
        at += *at == '\n';
        if (strncmp(at, line, length) == 0) {
            return 1;
        }
    }
    return 0;
}

/*
 * Takes care that ucp_worker_fence returns at once: a fence of the strong sort, UCX's choice since 1.16, waits for all peers
 * and keeps the worker locked meanwhile. Returns 1 if the weak sort orders puts, which is so where each goes one way, else 0:
 * then only the completion of what went before does.
 */
static inline int pgas_ucp_weak_fences(ucp_config_t *config)
{
    char *text = NULL;
    size_t length;
    int enough;
    FILE *stream;
    ucp_config_modify(config, "FENCE_MODE", "weak"); /* not known before 1.14, which has no other */
    if (getenv("UCX_PROTO_ENABLE") == NULL) {
        ucp_config_modify(config, "PROTO_ENABLE", "n"); /* its puts go several ways */
    }
    stream = open_memstream(&text, &length);
    if (stream == NULL) {
        return 0;
    }
    ucp_config_print(config, stream, NULL, UCS_CONFIG_PRINT_CONFIG);
    fclose(stream);
    enough = pgas_ucp_has_line(text, "UCX_PROTO_ENABLE=n")
            && (!pgas_ucp_has_line(text, "UCX_MAX_RMA_LANES=") || pgas_ucp_has_line(text, "UCX_MAX_RMA_LANES=1\n"))
            && (!pgas_ucp_has_line(text, "UCX_MAX_RMA_RAILS=") || pgas_ucp_has_line(text, "UCX_MAX_RMA_RAILS=1\n"));
    free(text);
    return enough;
}

/*
 * A NULL tls leaves UCX_TLS as it is; with cpu_atomics a segment's words are changed by processors alone. The word at fences
 * gets 1 if fences order puts, else 0.
 */
static inline int64_t pgas_ucp_open(const char *tls, const char *alloc, int32_t peer_errors, int32_t cpu_atomics,
                                    int64_t ranks, int64_t fences)
{
    ucp_config_t *config;
    ucp_context_h context;
    ucp_params_t params;
    ucs_status_t status = ucp_config_read(NULL, NULL, &config);
    if (status != UCS_OK) {
        return status;
    }
    if (tls != NULL) {
        status = ucp_config_modify(config, "TLS", tls);
    }
    if (status == UCS_OK) {
        status = ucp_config_modify(config, "ALLOC_PRIO", alloc);
    }
    if (status == UCS_OK && cpu_atomics) {
        status = ucp_config_modify(config, "ATOMIC_MODE", "cpu");
    }
    if (status == UCS_OK && peer_errors && getenv("UCX_KEEPALIVE_INTERVAL") == NULL) {
        status = ucp_config_modify(config, "KEEPALIVE_INTERVAL", "1s");
    }
    if (status == UCS_OK && peer_errors && getenv("UCX_MM_ERROR_HANDLING") == NULL) {
        status = ucp_config_modify(config, "MM_ERROR_HANDLING", "y");
    }
    if (status == UCS_OK) {
        *(int64_t*)fences = pgas_ucp_weak_fences(config);
        memset(&params, 0, sizeof(params));
        params.field_mask = UCP_PARAM_FIELD_FEATURES | UCP_PARAM_FIELD_MT_WORKERS_SHARED
                | UCP_PARAM_FIELD_ESTIMATED_NUM_EPS | UCP_PARAM_FIELD_NAME;
        params.features = UCP_FEATURE_RMA | UCP_FEATURE_AMO64;
        params.mt_workers_shared = 1;
        params.estimated_num_eps = ranks;
        params.name = "pgas4j";
        status = ucp_init(&params, config, &context);
    }
    ucp_config_release(config);
    return status != UCS_OK ? status : (int64_t)context;
}

static inline void pgas_ucp_close(int64_t context)
{
    ucp_cleanup((ucp_context_h)context);
}

static inline int64_t pgas_ucp_map(int64_t context, int64_t bytes)
{
    ucp_mem_map_params_t params;
    ucp_mem_h memory;
    memset(&params, 0, sizeof(params));
    params.field_mask = UCP_MEM_MAP_PARAM_FIELD_ADDRESS | UCP_MEM_MAP_PARAM_FIELD_LENGTH
            | UCP_MEM_MAP_PARAM_FIELD_FLAGS;
    params.length = bytes;
    params.flags = UCP_MEM_MAP_ALLOCATE;
    ucs_status_t status = ucp_mem_map((ucp_context_h)context, &params, &memory);
    return status != UCS_OK ? status : (int64_t)memory;
}

/* Registers memory that is there already. */
static inline int64_t pgas_ucp_register(int64_t context, int64_t address, int64_t bytes)
{
    ucp_mem_map_params_t params;
    ucp_mem_h memory;
    memset(&params, 0, sizeof(params));
    params.field_mask = UCP_MEM_MAP_PARAM_FIELD_ADDRESS | UCP_MEM_MAP_PARAM_FIELD_LENGTH;
    params.address = (void*)address;
    params.length = bytes;
    ucs_status_t status = ucp_mem_map((ucp_context_h)context, &params, &memory);
    return status != UCS_OK ? status : (int64_t)memory;
}

static inline int64_t pgas_ucp_address(int64_t memory)
{
    ucp_mem_attr_t attributes;
    attributes.field_mask = UCP_MEM_ATTR_FIELD_ADDRESS;
    ucs_status_t status = ucp_mem_query((ucp_mem_h)memory, &attributes);
    return status != UCS_OK ? status : (int64_t)attributes.address;
}

static inline int32_t pgas_ucp_unmap(int64_t context, int64_t memory)
{
    return ucp_mem_unmap((ucp_context_h)context, (ucp_mem_h)memory);
}

/* Length of the packed remote key, which is in buffer if that is long enough. */
static inline int64_t pgas_ucp_pack_key(int64_t context, int64_t memory, int64_t buffer, int64_t capacity)
{
    void *packed;
    size_t length;
    ucs_status_t status = ucp_rkey_pack((ucp_context_h)context, (ucp_mem_h)memory, &packed, &length);
    if (status != UCS_OK) {
        return status;
    }
    if ((int64_t)length <= capacity) {
        memcpy((void*)buffer, packed, length);
    }
    ucp_rkey_buffer_release(packed);
    return length;
}

static inline int64_t pgas_ucp_open_worker(int64_t context)
{
    ucp_worker_params_t params;
    ucp_worker_h worker;
    memset(&params, 0, sizeof(params));
    params.field_mask = UCP_WORKER_PARAM_FIELD_THREAD_MODE | UCP_WORKER_PARAM_FIELD_FLAGS;
    params.thread_mode = UCS_THREAD_MODE_MULTI;
    /* UCX 1.13 reports leaked requests in ucp_worker_destroy by protocols that it has freed before, and crashes. */
    params.flags = UCP_WORKER_FLAG_IGNORE_REQUEST_LEAK;
    ucs_status_t status = ucp_worker_create((ucp_context_h)context, &params, &worker);
    if (status != UCS_OK) {
        return status;
    }
    ucp_worker_attr_t attributes;
    attributes.field_mask = UCP_WORKER_ATTR_FIELD_THREAD_MODE;
    status = ucp_worker_query(worker, &attributes);
    if (status == UCS_OK && attributes.thread_mode != UCS_THREAD_MODE_MULTI) {
        status = UCS_ERR_UNSUPPORTED;
    }
    if (status != UCS_OK) {
        ucp_worker_destroy(worker);
        return status;
    }
    return (int64_t)worker;
}

static inline void pgas_ucp_close_worker(int64_t worker)
{
    ucp_worker_destroy((ucp_worker_h)worker);
}

/* Length of the worker's address, which is in buffer if that is long enough. */
static inline int64_t pgas_ucp_worker_address(int64_t worker, int64_t buffer, int64_t capacity)
{
    ucp_address_t *address;
    size_t length;
    ucs_status_t status = ucp_worker_get_address((ucp_worker_h)worker, &address, &length);
    if (status != UCS_OK) {
        return status;
    }
    if ((int64_t)length <= capacity) {
        memcpy((void*)buffer, address, length);
    }
    ucp_worker_release_address((ucp_worker_h)worker, address);
    return length;
}

static void pgas_ucp_failed(void *failure, ucp_ep_h endpoint, ucs_status_t status)
{
    (void)endpoint;
    __atomic_store_n((int64_t*)failure, (int64_t)status, __ATOMIC_RELEASE);
}

/* The word at failure gets the status with which the endpoint fails, should it. */
static inline int64_t pgas_ucp_connect(int64_t worker, int64_t address, int32_t peer_errors, int64_t failure)
{
    ucp_ep_params_t params;
    ucp_ep_h endpoint;
    memset(&params, 0, sizeof(params));
    params.field_mask = UCP_EP_PARAM_FIELD_REMOTE_ADDRESS | UCP_EP_PARAM_FIELD_ERR_HANDLING_MODE
            | UCP_EP_PARAM_FIELD_ERR_HANDLER;
    params.address = (const ucp_address_t*)address;
    params.err_mode = peer_errors ? UCP_ERR_HANDLING_MODE_PEER : UCP_ERR_HANDLING_MODE_NONE;
    params.err_handler.cb = pgas_ucp_failed;
    params.err_handler.arg = (void*)failure;
    ucs_status_t status = ucp_ep_create((ucp_worker_h)worker, &params, &endpoint);
    return status != UCS_OK ? status : (int64_t)endpoint;
}

static inline int64_t pgas_ucp_unpack_key(int64_t endpoint, int64_t packed)
{
    ucp_rkey_h key;
    ucs_status_t status = ucp_ep_rkey_unpack((ucp_ep_h)endpoint, (const void*)packed, &key);
    return status != UCS_OK ? status : (int64_t)key;
}

static inline void pgas_ucp_destroy_key(int64_t key)
{
    ucp_rkey_destroy((ucp_rkey_h)key);
}

/* Writes what UCX says about an endpoint and a NUL to buffer, as much as it holds. */
static inline void pgas_ucp_endpoint_info(int64_t endpoint, int64_t buffer, int64_t capacity)
{
    FILE *stream = fmemopen((void*)buffer, capacity, "w");
    if (stream == NULL) {
        *(char*)buffer = 0;
        return;
    }
    ucp_ep_print_info((ucp_ep_h)endpoint, stream);
    fclose(stream);
    ((char*)buffer)[capacity - 1] = 0;
}

/* Operations */

static inline int64_t pgas_ucp_spin(int64_t worker, ucs_status_ptr_t request, int32_t spins)
{
    if (request == NULL) {
        return 0;
    }
    if (UCS_PTR_IS_ERR(request)) {
        return UCS_PTR_STATUS(request);
    }
    for (;;) {
        ucs_status_t status = ucp_request_check_status(request);
        if (status != UCS_INPROGRESS) {
            ucp_request_free(request);
            return status;
        }
        if (spins-- <= 0) {
            return (int64_t)request;
        }
        ucp_worker_progress((ucp_worker_h)worker);
    }
}

static inline int64_t pgas_ucp_test(int64_t worker, int64_t request, int32_t spins)
{
    return pgas_ucp_spin(worker, (ucs_status_ptr_t)request, spins);
}

static inline int32_t pgas_ucp_progress(int64_t worker)
{
    return (int32_t)ucp_worker_progress((ucp_worker_h)worker);
}

static inline int64_t pgas_ucp_put(int64_t worker, int64_t endpoint, int64_t key, int64_t local, int64_t bytes,
                                   int64_t remote, int32_t spins)
{
    ucp_request_param_t param;
    param.op_attr_mask = 0;
    return pgas_ucp_spin(worker, ucp_put_nbx((ucp_ep_h)endpoint, (const void*)local, bytes, remote, (ucp_rkey_h)key,
                                             &param), spins);
}

static inline int64_t pgas_ucp_get(int64_t worker, int64_t endpoint, int64_t key, int64_t local, int64_t bytes,
                                   int64_t remote, int32_t spins)
{
    ucp_request_param_t param;
    param.op_attr_mask = 0;
    return pgas_ucp_spin(worker, ucp_get_nbx((ucp_ep_h)endpoint, (void*)local, bytes, remote, (ucp_rkey_h)key,
                                             &param), spins);
}

/* Puts before it are done before those after it, if pgas_ucp_open said so. Does not wait. */
static inline int32_t pgas_ucp_fence(int64_t worker)
{
    return ucp_worker_fence((ucp_worker_h)worker);
}

/* Puts value, with a fence before it. The word at slot is UCX's until the operation is complete. */
static inline int64_t pgas_ucp_put_word(int64_t worker, int64_t endpoint, int64_t key, int64_t slot, int64_t value,
                                        int64_t remote, int32_t spins)
{
    int32_t status = pgas_ucp_fence(worker);
    if (status != UCS_OK) {
        return status;
    }
    *(int64_t*)slot = value;
    return pgas_ucp_put(worker, endpoint, key, slot, sizeof(int64_t), remote, spins);
}

/*
 * Atomics on words: reply is what the word was; reply and operand are UCX's until the operation is complete.
 * With a fence before it.
 */
static inline int64_t pgas_ucp_atomic(int64_t worker, int64_t endpoint, int64_t key, ucp_atomic_op_t operation,
                                      int64_t operand, int64_t reply, int64_t remote, int32_t spins)
{
    ucp_request_param_t param;
    int32_t status = pgas_ucp_fence(worker);
    if (status != UCS_OK) {
        return status;
    }
    param.op_attr_mask = UCP_OP_ATTR_FIELD_DATATYPE | UCP_OP_ATTR_FIELD_REPLY_BUFFER;
    param.datatype = ucp_dt_make_contig(sizeof(int64_t));
    param.reply_buffer = (void*)reply;
    return pgas_ucp_spin(worker, ucp_atomic_op_nbx((ucp_ep_h)endpoint, operation, (const void*)operand, 1, remote,
                                                   (ucp_rkey_h)key, &param), spins);
}

/* What the word was is at slot when the operation is complete; slot has two words. */
static inline int64_t pgas_ucp_fetch_add(int64_t worker, int64_t endpoint, int64_t key, int64_t slot, int64_t value,
                                         int64_t remote, int32_t spins)
{
    ((int64_t*)slot)[1] = value;
    return pgas_ucp_atomic(worker, endpoint, key, UCP_ATOMIC_OP_ADD, slot + 8, slot, remote, spins);
}

/* What the word was is at slot when the operation is complete; slot has two words. */
static inline int64_t pgas_ucp_compare_swap(int64_t worker, int64_t endpoint, int64_t key, int64_t slot,
                                            int64_t expected, int64_t value, int64_t remote, int32_t spins)
{
    ((int64_t*)slot)[0] = value;
    ((int64_t*)slot)[1] = expected;
    return pgas_ucp_atomic(worker, endpoint, key, UCP_ATOMIC_OP_CSWAP, slot + 8, slot, remote, spins);
}

static inline int64_t pgas_ucp_flush(int64_t worker, int64_t endpoint, int32_t spins)
{
    ucp_request_param_t param;
    param.op_attr_mask = 0;
    return pgas_ucp_spin(worker, ucp_ep_flush_nbx((ucp_ep_h)endpoint, &param), spins);
}

/* Gives up a request that is not complete: UCX frees it once it is. */
static inline void pgas_ucp_forget(int64_t request)
{
    ucp_request_free((void*)request);
}

/* Closes an endpoint without waiting for what is in flight; takes one with error handling. */
static inline int64_t pgas_ucp_disconnect(int64_t worker, int64_t endpoint, int32_t spins)
{
    ucp_request_param_t param;
    param.op_attr_mask = UCP_OP_ATTR_FIELD_FLAGS;
    param.flags = UCP_EP_CLOSE_FLAG_FORCE;
    return pgas_ucp_spin(worker, ucp_ep_close_nbx((ucp_ep_h)endpoint, &param), spins);
}

#endif
