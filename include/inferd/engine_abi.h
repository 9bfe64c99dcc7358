/*
 * The engine ABI of inferd, version 1.
 *
 * An engine runs one kind of model. It is a shared library that exports one function, inferd_engine_v1(). It needs
 * only this header: no library of inferd's and no particular compiler; C99 or any C++. docs/adding-an-engine.md
 * explains a complete engine.
 *
 * Lifetime. The server calls the engine's functions as follows:
 *
 *   inferd_engine_v1(host)               once, when the server finds the library; it is never unloaded
 *     load()                             once per model version; may block; several calls at a time, on any thread
 *       signature()                      once, after load()
 *       other_signature()                then, until it returns NULL; if the engine has it
 *       open_signature()                 at any time; if the engine has it
 *       create_instance()                once per instance of the model's configuration
 *       check_ready()                    if the engine has it and the signature sets checks_readiness
 *         execute()                      one call at a time per instance, with at most the signature's number of
 *                                        unfinished executions; different instances in parallel; on any thread
 *       destroy_instance()               when no execution of the instance is unfinished
 *     unload()                           when its instances are destroyed
 *
 * Compatibility. Every struct starts with `struct_size`: its sizeof on the side that filled the struct. Later revisions
 * of version 1 only append fields. Read a field that was not in the first revision only if `struct_size` covers it
 * (INFERD_HAS_FIELD). An incompatible change gets a new symbol, inferd_engine_v2. Arrays of such structs are arrays of
 * pointers, since an element's size may differ from yours. Three plain values have no struct_size and never change,
 * because arrays of them are passed: inferd_text, inferd_pair and inferd_memory.
 *
 * Ownership. Arguments of a call are valid until that call returns, unless stated otherwise. A batch, and everything to
 * which it points, is valid until it is finished. An engine keeps ownership of the objects that it returns: the host
 * only calls the function that ends them.
 *
 * Exceptions must not leave an engine. Text is UTF-8, without a terminating zero unless it is a `const char*`.
 */
#ifndef INFERD_ENGINE_ABI_H_
#define INFERD_ENGINE_ABI_H_

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define INFERD_ENGINE_ABI_VERSION 1

/* True if *object, filled by the other side, is new enough to have `field`. */
#define INFERD_HAS_FIELD(type, object, field) ((object)->struct_size >= offsetof(type, field) + sizeof((object)->field))

/* Owned by the engine. The host only passes the pointers back. */
typedef struct inferd_model inferd_model;
typedef struct inferd_instance inferd_instance;

/* Owned by the host: receives the reason of a failed call. See inferd_host.set_error. */
typedef struct inferd_error inferd_error;

/* ---- Plain values --------------------------------------------------------------------------------------------- */

typedef struct inferd_text {
  const char* data;
  size_t size;
} inferd_text;

typedef struct inferd_pair {
  inferd_text key;
  inferd_text value;
} inferd_pair;

enum inferd_memory_kind {
  INFERD_MEMORY_CPU = 0,
  INFERD_MEMORY_CPU_PINNED = 1,
  INFERD_MEMORY_GPU = 2 /* memory that the host cannot read: see inferd_device_memory */
};

typedef struct inferd_memory {
  const void* data;
  size_t size; /* bytes */
  int32_t kind;
  int32_t device; /* 0 for CPU memory */
} inferd_memory;

/* The result of every call that may fail, and the status of a response: the canonical codes, numbered as gRPC's. */
enum inferd_code {
  INFERD_OK = 0,
  INFERD_CANCELLED = 1,
  INFERD_UNKNOWN = 2,
  INFERD_INVALID_ARGUMENT = 3, /* the request or the model is wrong */
  INFERD_DEADLINE_EXCEEDED = 4,
  INFERD_NOT_FOUND = 5,
  INFERD_ALREADY_EXISTS = 6,
  INFERD_PERMISSION_DENIED = 7,
  INFERD_RESOURCE_EXHAUSTED = 8,
  INFERD_FAILED_PRECONDITION = 9,
  INFERD_ABORTED = 10,
  INFERD_OUT_OF_RANGE = 11,
  INFERD_UNIMPLEMENTED = 12,
  INFERD_INTERNAL = 13, /* the engine is wrong */
  INFERD_UNAVAILABLE = 14,
  INFERD_DATA_LOSS = 15,
  INFERD_UNAUTHENTICATED = 16
};

/* Up to BF16 numbered as in Triton's ModelConfig. Elements are little-endian. */
enum inferd_datatype {
  INFERD_TYPE_INVALID = 0,
  INFERD_TYPE_BOOL = 1, /* one byte, 0 or 1 */
  INFERD_TYPE_UINT8 = 2,
  INFERD_TYPE_UINT16 = 3,
  INFERD_TYPE_UINT32 = 4,
  INFERD_TYPE_UINT64 = 5,
  INFERD_TYPE_INT8 = 6,
  INFERD_TYPE_INT16 = 7,
  INFERD_TYPE_INT32 = 8,
  INFERD_TYPE_INT64 = 9,
  INFERD_TYPE_FP16 = 10,
  INFERD_TYPE_FP32 = 11,
  INFERD_TYPE_FP64 = 12,
  INFERD_TYPE_BYTES = 13,
  INFERD_TYPE_BF16 = 14,
  /* For TensorFlow only: Predict V2 has no such datatypes, and its clients can neither send nor receive them. */
  INFERD_TYPE_COMPLEX64 = 15,  /* two FP32: the real part, the imaginary part */
  INFERD_TYPE_COMPLEX128 = 16, /* two FP64 */
  INFERD_TYPE_QINT8 = 17,      /* quantized numbers, laid out as the integers of their name */
  INFERD_TYPE_QUINT8 = 18,
  INFERD_TYPE_QINT16 = 19,
  INFERD_TYPE_QUINT16 = 20,
  INFERD_TYPE_QINT32 = 21
};

/* The memory layout of a BYTES tensor's elements. Zero bytes inside an element are ordinary data. */
enum inferd_bytes_form {
  INFERD_BYTES_PACKED = 0,  /* one after the other, each a 32-bit little-endian length and that many bytes */
  INFERD_BYTES_ELEMENTS = 1 /* an array of inferd_text, one per element */
};

enum inferd_log_level { INFERD_LOG_VERBOSE = 0, INFERD_LOG_INFO = 1, INFERD_LOG_WARNING = 2, INFERD_LOG_ERROR = 3 };

/* ---- Signature: what a model takes and gives ------------------------------------------------------------------ */

typedef struct inferd_tensor_spec {
  size_t struct_size;
  inferd_text name;
  int32_t datatype;
  const int64_t* shape; /* the whole shape, with the batch dimension; -1 and 0 mean any size */
  size_t rank;          /* 0 for a scalar, or for an output whose shape is not known beforehand */

  /* Inputs: 1 if a request may omit it. Outputs: 1 if a response omits it when the request names no outputs, provided
   * that the model has outputs that are not optional. */
  int32_t optional;

  /* Inputs only. */
  int32_t bytes_form; /* BYTES: the inferd_bytes_form that the engine wants */
  int32_t one_piece;  /* 1: the engine wants the whole batch contiguous; the host joins the pieces */
  size_t alignment;   /* of every piece: a power of two up to 4096. 0 or 1 for none */

  /* 1: `shape` is only the usual shape. Requests may bring others, which the model itself accepts or refuses, and
   * outputs may have others. If the server batches, the batch dimension still comes first. */
  int32_t any_shape;

  /* The tensor's name in the model's graph, if it differs from `name`. Clients may see it. */
  inferd_text graph_name;

  /* 1: the model does not state the number of dimensions. `rank` must be 0 and `any_shape` 1. */
  int32_t unknown_rank;

  /* Outputs only: the meaning of a row's elements, if the model states it: element i belongs to labels[i]. */
  const inferd_text* labels;
  size_t label_count;

  /* The names of the dimensions in the model's file: `rank` names, empty for a dimension with a fixed size or without a
   * name. Dimensions with the same name have the same size in a request, across all tensors. NULL if no dimension has a
   * name. A model whose rows do not influence each other must name their dimension "batch" or similar
   * (docs/batching.md). Only then may the server batch requests without being configured to. */
  const inferd_text* dimension_names;

  /* The value that the model uses if a request omits the input, in the model format's own form (a serialized
   * tensorflow.TensorProto). Clients may see it. Empty if the model states none. */
  inferd_text default_value;

  /* Inputs: the kinds of memory in which an instance on a GPU takes the input, one bit (1u << kind) for each
   * inferd_memory_kind. 0 means CPU memory. The host copies inputs in other memory: to the CPU if that is among the
   * kinds, otherwise to the instance's GPU. Instances that are not on a GPU always get CPU memory. So do inputs whose
   * elements are inferd_text (bytes_form). */
  uint32_t memory_kinds;

  /* Inputs. 1: `datatype` is only the usual one. Requests may bring any other, which the model itself accepts or
   * refuses; inferd_input.datatype states it. */
  int32_t any_datatype;

  /* 1: an alternative tensor. Metadata and configurations do not show it; it comes after all shown tensors, and must be
   * optional. Inputs: a request with alternative inputs may omit the others. Outputs: only such a request may name it.
   * 2: as 1, but clients cannot name it: it carries the whole body of a request or of its response, for a front-end. */
  int32_t alternative;

  /* Outputs. 1: `shape` is from the model's file, and executions may give another one. The server then answers with the
   * real shape, and warns once per model. Dimensions that are -1 in the configuration become -1. 0: an output of
   * another shape is an error of the engine. */
  int32_t shape_is_hint;

  /* Outputs. 1: a response may omit it, and so does the client's response. 0: such a response is an error of the
   * engine. */
  int32_t may_be_missing;

  /* Outputs. 1: `datatype` and `shape` are only declared. A response may have others, which clients then get. 0: such a
   * response is an error of the engine. */
  int32_t unchecked;
} inferd_tensor_spec;

#define INFERD_UNFINISHED_EXECUTIONS_MAX 65536
#define INFERD_EXECUTIONS_AHEAD_MAX 16

typedef struct inferd_signature {
  size_t struct_size;
  const inferd_tensor_spec* const* inputs; /* position = the input's index in a batch */
  size_t input_count;
  const inferd_tensor_spec* const* outputs;
  size_t output_count;

  /* The names of request parameters that change the result of execute(). Requests that differ in one of them never
   * share a batch. The server does not compare the others. */
  const inferd_text* significant_parameters;
  size_t significant_parameter_count;

  /* 1: a request may have any number of responses, even none. 0: exactly one. */
  int32_t decoupled;

  /* The number of threads that an execution keeps busy, including the one that calls execute(). 0: the load's
   * cpu_threads. -1: none, as it only waits for something else. */
  int32_t compute_threads;

  /* The signature's name, by which clients select it, and its method name, both as the model file states them
   * ("serving_default", "tensorflow/serving/predict"). Empty if the file states none. */
  inferd_text name;
  inferd_text method;

  /* 1, for an other_signature() only: metadata show it, but clients cannot request it. No instances of it are created,
   * and its tensors may have the type INFERD_TYPE_INVALID. */
  int32_t only_shown;

  /* If only_shown: the error for clients that request it anyway ("tensor 'x' ..."). Empty: for them, there is no such
   * signature. */
  inferd_text not_served;

  /* The limit of unfinished executions per instance, if execute() returns INFERD_PENDING: the next call comes when
   * there are fewer. 0 or 1: one after the other. At most INFERD_UNFINISHED_EXECUTIONS_MAX. The limit is 1 for an
   * instance that needs a share of something (compute_threads other than -1 where the server limits them, resources of
   * the configuration's rate limiter), and at most 32 for one in a worker process. */
  int32_t unfinished_executions_max;

  /* 1: requests may belong to sequences (inferd_host.sequence), and the server does not execute a failed request again,
   * as the engine may have kept a part of it. 0: the server refuses requests of sequences. */
  int32_t sequences;

  /* 1: execute() waits for another process that computes. A short execution then mostly consists of the way there and
   * back, and a hop to another thread would cost as much again. So the server runs executions on connections' threads
   * even if they take several times longer than it allows for other models. Such an execute() must return
   * INFERD_PENDING rather than wait for long. */
  int32_t computes_elsewhere;

  /* signature() only: batching as the model's own code states it, if it says more than the configuration.
   * completed_max_batch_size above 0 completes the configuration with that max_batch_size, and -1 leads each shape.
   * completed_dynamic_batching 1 completes it with dynamic_batching { }. 0: not stated. */
  int32_t completed_max_batch_size;
  int32_t completed_dynamic_batching;

  /* signature() only. 1: the model's own code reports its readiness (inferd_engine.check_ready). */
  int32_t checks_readiness;

  /* 1: on a thread for which inferd_host.await_readable works, execute() only passes the inputs on and returns
   * INFERD_PENDING. So the server begins executions on connections' threads, however long the model takes. */
  int32_t returns_at_once;

  /* The number of executions per instance that the engine accepts beyond unfinished_executions_max, and begins when
   * earlier ones are over. So its computation need not wait for the next execution to arrive. The server uses this only
   * while executions are short and have one request each. 0 for none. At most INFERD_EXECUTIONS_AHEAD_MAX. */
  int32_t executions_ahead;

  /* 1: create_instance() takes long, mostly in other processes, and may be called several times at once, on different
   * threads. 0: the server makes one instance after the other. */
  int32_t parallel_instances;

  /* signature() only. 1: the model's own code completes its configuration: inputs and outputs that the configuration
   * does not list are added to it. 0: the configuration lists all inputs and outputs, or none of them. */
  int32_t completed_tensors;

  /* signature() only. 1: the configuration is completed with model_transaction_policy { decoupled }, as `decoupled`
   * states. 0: the configuration's own setting stays. */
  int32_t completed_transaction_policy;
} inferd_signature;

/* ---- Loading -------------------------------------------------------------------------------------------------- */

/* An option of the configuration to run faster: an execution provider or a compiler. */
typedef struct inferd_accelerator {
  size_t struct_size;
  inferd_text name; /* "cuda", "tensorrt" */
  const inferd_pair* parameters;
  size_t parameter_count;
} inferd_accelerator;

typedef struct inferd_load {
  size_t struct_size;
  inferd_text model_name;
  int64_t version;
  inferd_text backend;     /* the engine's name in the configuration; empty if the engine was chosen by the file */
  inferd_text model_dir;   /* <repository>/<model> */
  inferd_text version_dir; /* <repository>/<model>/<version> */
  inferd_text model_file;  /* a path inside version_dir; empty if neither configuration nor engine name a file */

  /* The model's configuration: the whole as JSON (ModelConfig, proto field names; empty if there is none), and the
   * parts that most engines need. */
  inferd_text config_json;
  const inferd_pair* parameters; /* config.pbtxt `parameters` */
  size_t parameter_count;
  /* The configured inputs and outputs as the engine sees them. If max_batch_size > 0, -1 leads each shape, except those
   * of ragged inputs, of inputs made by batch_input, and of outputs split by batch_output. */
  const inferd_signature* declared;
  int32_t max_batch_size;           /* 0: the server does not batch */
  int32_t graph_optimization_level; /* optimization { graph { level } }: 0 default, -1 basic, 1 extended */
  const inferd_text* op_libraries;  /* paths of libraries with custom operators */
  size_t op_library_count;
  const inferd_accelerator* const* accelerators; /* optimization { execution_accelerators } */
  size_t accelerator_count;

  /* This version's share of the server's compute threads, including the calling thread. 1: start no further thread. */
  int32_t cpu_threads;

  /* The cores for this version's threads, by the system's numbers, ascending; any core if empty. The host pins the
   * threads that call create_instance() and execute(), and threads that these create. If the engine creates a thread
   * elsewhere to compute for this version, it must pin it to these cores too, and use it for no other version. */
  const int32_t* cpu_cores;
  size_t cpu_core_count;

  /* For each instance on a GPU, the GPU's number, ascending, as { 0, 0, 1 }. on_cpu is 1 if there are other instances
   * too. */
  const int32_t* gpus;
  size_t gpu_count;
  int32_t on_cpu;

  /* 1: outputs made by a model's own code go to clients as they are, whatever the configuration declares: their specs
   * must set `unchecked`. 0: outputs that differ are refused. */
  int32_t unchecked_outputs;
} inferd_load;

/* A path through a model's graph that is none of its signatures. Uses the graph's own names of tensors
 * ("operator:output", or "operator" for its first output) and operators. */
typedef struct inferd_graph_call {
  size_t struct_size;
  const inferd_text* feeds; /* tensors whose values requests bring; unique */
  size_t feed_count;
  const inferd_text* fetches; /* tensors that form the response; unique */
  size_t fetch_count;
  const inferd_text* targets; /* operators to run in addition */
  size_t target_count;
} inferd_graph_call;

enum inferd_instance_kind {
  INFERD_INSTANCE_CPU = 0,
  INFERD_INSTANCE_GPU = 1,  /* on `device`, one of inferd_device_memory.device_count */
  INFERD_INSTANCE_MODEL = 2 /* where the model itself decides */
};

typedef struct inferd_instance_spec {
  size_t struct_size;
  int32_t group;    /* position among the configuration's instance groups */
  int32_t ordinal;  /* position among all instances of the version, from 0 */
  size_t signature; /* what it executes: 0 for signature(), else the number of an other_signature() */
  int32_t kind;     /* inferd_instance_kind */
  int32_t device;   /* the GPU's number for a GPU instance, else 0 */

  /* The name of its group with its number in the group ("m_0_1"). Instances of one group on several GPUs share their
   * names. */
  inferd_text name;
} inferd_instance_spec;

/* ---- Devices --------------------------------------------------------------------------------------------------- */

#define INFERD_DEVICES_MAX 256
#define INFERD_HANDLE_BYTES 64

/* Owned by the engine: a queue of copies. */
typedef struct inferd_copy_queue inferd_copy_queue;

/* Memory that only the engine's library can access (INFERD_MEMORY_GPU), or that devices copy faster
 * (INFERD_MEMORY_CPU_PINNED). The server has no device libraries: it calls the engine's. Thread-safe. */
typedef struct inferd_device_memory {
  size_t struct_size;
  int32_t device_count; /* GPUs, numbered from 0: those that instance groups may name */

  /* Returns `size` bytes at a multiple of 64. NULL if there is no room or no such memory. */
  void* (*allocate)(int32_t kind, int32_t device, size_t size);
  void (*release)(int32_t kind, int32_t device, void* data, size_t size);

  /* Copies from->size bytes to to->data; either may be CPU memory. The copy is complete on return. Returns an
   * inferd_code. */
  int32_t (*copy)(const inferd_memory* from, const inferd_memory* to, inferd_error* error);

  /* 1: instances are on GPUs if the configuration leaves that open: their group is KIND_AUTO, or there is no group. 0:
   * they are on the CPU, except those of a KIND_AUTO group that names GPUs. */
  int32_t preferred;

  /* open_handle opens memory on `device` that another process has allocated and exported (cudaIpcGetMemHandle).
   * `handle` has INFERD_HANDLE_BYTES bytes. Sets *memory to all of that memory, valid until close_handle(), which is
   * called once. Returns an inferd_code. Both NULL if the engine cannot open handles. */
  int32_t (*open_handle)(int32_t device, const void* handle, inferd_memory* memory, inferd_error* error);
  void (*close_handle)(const inferd_memory* memory);

  /* If device_count is 0: the reason, for the error of a model that wants a GPU. NULL if the reason is not known. */
  const char* why_none;

  /* Asynchronous copies, which wait neither for each other nor for other work of the device. open_queue makes a queue
   * for copies from and to `device`; close_queue ends it, and is called when no copy is in progress. start_copy is like
   * copy, but may return before the copy has finished or begun. Copies of one queue run in any order. await_copies
   * returns when every copy of the queue is finished, with the inferd_code of the first that failed. Until then, the
   * host releases neither side, writes to neither, and reads no destination. One call at a time per queue, from any
   * thread. All NULL if there is only copy. */
  int32_t (*open_queue)(int32_t device, inferd_copy_queue** queue, inferd_error* error);
  void (*close_queue)(inferd_copy_queue* queue);
  int32_t (*start_copy)(inferd_copy_queue* queue, const inferd_memory* from, const inferd_memory* to,
                        inferd_error* error);
  int32_t (*await_copies)(inferd_copy_queue* queue, inferd_error* error);
} inferd_device_memory;

/* The engine's memory for an input that the host must copy. `release` is called once, when the batch is finished or if
 * it is not executed after all, on any thread. NULL if no call is needed. */
typedef struct inferd_input_memory {
  size_t struct_size;
  inferd_memory memory; /* writable; at least the size asked for, at a multiple of the input's alignment */
  void (*release)(void* release_arg);
  void* release_arg;
} inferd_input_memory;

/* ---- Executing ------------------------------------------------------------------------------------------------ */

/* One input of a batch. Either all requests of the batch bring it, or none does. */
typedef struct inferd_input {
  size_t struct_size;
  uint32_t index; /* in the signature's inputs */
  int32_t datatype;
  const int64_t* shape; /* of the whole batch; every dimension >= 0. Ragged inputs: the number of all elements */
  size_t rank;
  int32_t bytes_form; /* BYTES: as the signature asked. ELEMENTS: a piece is an array of size / sizeof(inferd_text) */
  const inferd_memory* pieces; /* read-only; one per request in request order, or just one (one_piece, batch_input) */
  size_t piece_count;
} inferd_input;

/* One call of an engine on behalf of one or more requests. Rows that only fill the batch up are in it as a request, at
 * any position, for which inferd_host.fills_up() returns 1. That request is cancelled from the start, has the id and
 * parameters of another request of the batch, and needs no response. */
typedef struct inferd_batch {
  size_t struct_size;
  size_t request_count;
  const int64_t* rows; /* by request: its share of the first dimension; 1 each if the model does not batch */
  const inferd_input* const* inputs;
  size_t input_count;
  const uint32_t* outputs; /* indices of the wanted outputs, ascending; others need not be computed */
  size_t output_count;
} inferd_batch;

/* One output of a response. Its memory is one of these:
 *   - from inferd_host.allocate_output or allocate_output_in: the response takes it over;
 *   - the engine's own, with `release`: called once, on any thread, when the host no longer uses the memory, whatever
 *     becomes of the response, and before unload(). GPU memory is copied to the CPU before respond() returns,
 *     unless the response can use it on the GPU;
 *   - any other memory: copied before respond() returns. */
typedef struct inferd_output {
  size_t struct_size;
  uint32_t index; /* in the signature's outputs */
  int32_t datatype;
  const int64_t* shape;
  size_t rank;
  int32_t bytes_form; /* BYTES */
  inferd_memory memory;
  void (*release)(void* release_arg);
  void* release_arg;
} inferd_output;

/* The sequence to which a request belongs: the model answers it using state that it kept from earlier requests. */
typedef struct inferd_sequence {
  size_t struct_size;
  inferd_text text; /* the client's id; empty if the id is a number */
  uint64_t number;  /* the client's numeric id, not 0 */
  int32_t start;    /* 1: the request begins the sequence, or begins it again */
  int32_t end;      /* 1: the request is the last one */
} inferd_sequence;

enum inferd_parameter_kind {
  INFERD_PARAMETER_BOOL = 0,
  INFERD_PARAMETER_INT64 = 1,
  INFERD_PARAMETER_UINT64 = 2,
  INFERD_PARAMETER_DOUBLE = 3,
  INFERD_PARAMETER_TEXT = 4
};

/* A parameter of a request or of a response. `kind` selects the value. */
typedef struct inferd_parameter {
  size_t struct_size;
  int32_t kind;
  int32_t bool_value;
  int64_t int64_value;
  uint64_t uint64_value;
  double double_value;
  inferd_text text_value;
} inferd_parameter;

/* The limit for the parameters of one response, and for the bytes of their names and texts in total. */
#define INFERD_RESPONSE_PARAMETERS_MAX 64
#define INFERD_RESPONSE_PARAMETER_BYTES_MAX 65536

typedef struct inferd_response {
  size_t struct_size;
  int32_t code;        /* a failure, without outputs, unless INFERD_OK */
  inferd_text message; /* the failure's reason, for the client */
  const inferd_output* const* outputs;
  size_t output_count;
  int32_t final; /* 1: the last response to the request. Streams may end in a final response without outputs */

  /* Parameters of the response (a count of tokens, a reason to stop): parameters[i] has the name parameter_names[i].
   * Copied before respond() returns. Names must be unique and not empty, and must not begin with "triton_", which is
   * reserved for the server. Names and texts are UTF-8. The limits are above. A response that breaks a rule becomes an
   * INTERNAL error, like one with wrong outputs. Parameters of a failure are ignored. Those of a response to
   * INFERD_ALL_REQUESTS go to every request. Clients get them if their protocol has a place for them: Predict V2 has,
   * TensorFlow Serving's API has not. */
  const inferd_text* parameter_names;
  const inferd_parameter* const* parameters;
  size_t parameter_count;

  /* 1, with `final`, for a model with iterative_sequence in its configuration: this does not answer the request. It is
   * executed again with the same inputs as soon as its turn comes, not as the start of its sequence, and with the
   * states that are among these outputs. For a decoupled model, the other outputs are a response to the client, if
   * there are any; otherwise they are dropped. */
  int32_t reschedule;
} inferd_response;

/* respond() answers every request of the batch with one response. Its outputs cover the whole batch, and the host
 * splits them by rows (those of batch_output by the shapes of an input). Always final. */
#define INFERD_ALL_REQUESTS ((size_t)-1)

/* The result of execute(). */
enum inferd_execute_result {
  INFERD_FINISHED = 0, /* every request was answered; the engine will not touch the batch again */
  INFERD_PENDING = 1,  /* the engine calls inferd_host.finish later, or did so already, on any thread: the execution
                          lasts until then, in statistics, limits, and what it holds of shared resources */
  INFERD_FAILED = 2    /* requests that were not answered get `error`; the engine will not touch the batch again */
};

/* ---- Calls of models by an engine ------------------------------------------------------------------------------ */

/* A tensor of a call or of its response. BYTES are packed. */
typedef struct inferd_call_tensor {
  size_t struct_size;
  inferd_text name;
  int32_t datatype;
  const int64_t* shape; /* with the batch dimension, as clients give it */
  size_t rank;
  inferd_memory memory; /* of the CPU */
} inferd_call_tensor;

/* A request to a model of the server. Copied before call_model() returns. */
typedef struct inferd_model_call {
  size_t struct_size;
  inferd_text model;
  int64_t version; /* -1: the server chooses */
  inferd_text id;
  const inferd_call_tensor* const* inputs;
  size_t input_count;
  const inferd_text* outputs; /* names of the wanted outputs; all if empty */
  size_t output_count;
  const inferd_sequence* sequence; /* NULL for no sequence */
  const inferd_text* parameter_names;
  const inferd_parameter* const* parameters;
  size_t parameter_count;
  uint64_t priority;   /* 0 for the calling request's priority */
  uint64_t timeout_us; /* maximum wait in the model's queue; 0 for the model's default */
  int32_t decoupled;   /* 1: any number of responses. 0: one; a decoupled model refuses the call */
} inferd_model_call;

/* One response to a call. */
typedef struct inferd_call_response {
  size_t struct_size;
  int32_t code; /* a failure, without outputs, unless INFERD_OK */
  inferd_text message;
  int32_t submitted; /* 0: the call reached no model, as none could take it */
  int32_t final;     /* 1: the last response; a decoupled model's may have no outputs */
  const inferd_call_tensor* const* outputs;
  size_t output_count;
  const inferd_text* parameter_names;
  const inferd_parameter* const* parameters;
  size_t parameter_count;
} inferd_call_response;

/* A request to the server about one of its models. */
enum inferd_control {
  INFERD_CONTROL_READY = 0, /* asks if it takes requests */
  INFERD_CONTROL_LOAD = 1,
  INFERD_CONTROL_UNLOAD = 2
};

typedef struct inferd_model_control {
  size_t struct_size;
  int32_t control; /* inferd_control */
  inferd_text model;
  inferd_text version;      /* READY; empty: the server chooses */
  inferd_text config_json;  /* LOAD; empty for the one on disk */
  const inferd_pair* files; /* LOAD: "<version>/<path>" and its content; these files replace the version folders */
  size_t file_count;
  int32_t unload_dependents; /* UNLOAD */
} inferd_model_control;

enum inferd_metric_kind { INFERD_METRIC_COUNTER = 0, INFERD_METRIC_GAUGE = 1, INFERD_METRIC_HISTOGRAM = 2 };

/* A metric in the server's metrics output. Without `series`, only its family. */
typedef struct inferd_metric {
  size_t struct_size;
  int32_t kind; /* inferd_metric_kind */
  inferd_text name;
  inferd_text help;
  int32_t series; /* 1 for the series with these labels */
  const inferd_pair* labels;
  size_t label_count;
  const double* bounds; /* of a histogram's buckets, ascending */
  size_t bound_count;
} inferd_metric;

enum inferd_metric_change {
  INFERD_METRIC_READ = 0,   /* nothing changes */
  INFERD_METRIC_ADD = 1,    /* adds to a counter (0 or more) or a gauge */
  INFERD_METRIC_SET = 2,    /* sets a gauge */
  INFERD_METRIC_OBSERVE = 3 /* observes a value in a histogram */
};

/* Gets the result of a metric call; with INFERD_OK, also the metric's number and its value after the call. */
typedef void (*inferd_metric_done)(void* arg, int32_t code, inferd_text message, uint64_t number, double value);

/* The functions that the server offers to an engine. Lives as long as the process. Thread-safe, except that calls for
 * one request of a batch must not overlap. */
typedef struct inferd_host {
  size_t struct_size;
  uint32_t abi_version;
  int32_t cpu_threads; /* compute threads of the process: the size of a pool that all models of an engine share */

  /* Records the reason for a failure. `code` must not be INFERD_OK. The last call counts. */
  void (*set_error)(inferd_error* error, int32_t code, inferd_text message);

  /* Writes a line to the server's log. log_enabled() returns 1 if the line would be written. */
  int32_t (*log_enabled)(const struct inferd_host* host, int32_t level);
  void (*log)(const struct inferd_host* host, int32_t level, inferd_text message);

  /* Returns `size` writable bytes at a multiple of 64, for output `output` of this batch. NULL if there is no memory.
   * Memory that no response takes over is freed when the batch is finished. */
  void* (*allocate_output)(const inferd_batch* batch, uint32_t output, size_t size);

  /* Answers request `request` (or INFERD_ALL_REQUESTS). May be called on any thread, also inside execute(). Outputs may
   * be in any order. Calls after a final response are ignored. */
  void (*respond)(const inferd_batch* batch, size_t request, const inferd_response* response);

  /* Call exactly once, as the last call for the batch, if execute() returned or will return INFERD_PENDING. */
  void (*finish)(const inferd_batch* batch);

  /* Returns 1 if nobody waits for the response any more, as after a cancellation. It must still be answered. */
  int32_t (*is_cancelled)(const inferd_batch* batch, size_t request);

  /* Returns the request's id as its client wrote it. Empty if there is none. Valid until the batch is finished. */
  inferd_text (*request_id)(const inferd_batch* batch, size_t request);

  /* If the request has this parameter, fills *value (set its struct_size first) and returns 1. Otherwise returns 0. */
  int32_t (*find_parameter)(const inferd_batch* batch, size_t request, inferd_text name, inferd_parameter* value);

  /* Optional, for the statistics: the inputs are in place for the computation; the outputs are computed. */
  void (*mark_inputs_ready)(const inferd_batch* batch);
  void (*mark_infer_done)(const inferd_batch* batch);

  /* Returns the request's parameters one by one, in the client's order. Fills *name and *value (set its struct_size
   * first) and returns 1 for position 0, 1, ...; returns 0 after the last. */
  int32_t (*parameter_at)(const inferd_batch* batch, size_t request, size_t position, inferd_text* name,
                          inferd_parameter* value);

  /* Back-pressure, for a decoupled model. Returns 1 if the next response to the request may be sent now. Returns 0 if
   * its client does not take the earlier ones: the engine should wait until this is 1 again. If it continues anyway,
   * the request fails beyond a limit: its stream ends with RESOURCE_EXHAUSTED. Always 1 for a cancelled request, and in
   * a worker process, where the memory for responses holds the engine up. */
  int32_t (*may_respond)(const inferd_batch* batch, size_t request);

  /* Calls `resume(arg)` once: before this function returns if may_respond() is 1 for the request, otherwise when there
   * is room for several responses, on a thread of the server, which `resume` must not block. The batch must not be
   * finished before that. A cancelled request is resumed, too. */
  void (*when_may_respond)(const inferd_batch* batch, size_t request, void (*resume)(void* arg), void* arg);

  /* If the request belongs to a sequence, fills *sequence (set its struct_size first) and returns 1. Otherwise returns
   * 0. The text is valid until the batch is finished. */
  int32_t (*sequence)(const inferd_batch* batch, size_t request, inferd_sequence* sequence);

  /* Returns 1 if the request is no client's: its rows only fill the batch up. */
  int32_t (*fills_up)(const inferd_batch* batch, size_t request);

  /* Like allocate_output, but in memory of `wish->kind` on `wish->device` if the response can use it there. Otherwise
   * in CPU memory, perhaps pinned, to which the engine must copy. Sets *memory and returns 1. Returns 0 if there is no
   * memory. */
  int32_t (*allocate_output_in)(const inferd_batch* batch, uint32_t output, const inferd_memory* wish,
                                inferd_memory* memory);

  /* Notes in the request's trace that it has reached `name` now ("TOKENIZED"). `name` should be printable and have 64
   * bytes at most; otherwise it is cut or dropped. Does nothing, at next to no cost, if the request is not traced, for
   * example in a worker process. On any thread, until the request has its final response. */
  void (*trace_activity)(const inferd_batch* batch, size_t request, inferd_text name);

  /* Calls a model of the server, while the batch is unfinished. Whatever the call does not state is taken from
   * `request`, in whose execution it is made: deadline, cancellation, priority, trace. With INFERD_ALL_REQUESTS, the
   * call belongs to no single request. `respond` is called with `arg` for each response in turn, on any thread, perhaps
   * before this function returns. Its response is valid until `respond` returns, which must not block. *call is set
   * before that, and names the call until its final response.
   *
   * A call that could never be answered is refused: if all instances of the model wait for this very call, or if calls
   * are nested too deeply. */
  void (*call_model)(const struct inferd_host* host, const inferd_batch* batch, size_t request,
                     const inferd_model_call* model_call,
                     void (*respond)(void* arg, const inferd_call_response* response), void* arg, uint64_t* call);

  /* Cancels the call. Its final response still comes, soon. */
  void (*cancel_call)(const struct inferd_host* host, uint64_t call);

  /* For a call with any number of responses: reports that one response was used. Models that respect back-pressure send
   * only some dozens of responses ahead of this. */
  void (*take_response)(const struct inferd_host* host, uint64_t call);

  /* Returns at once. `done` is called once with `arg`, on any thread, perhaps before this function returns: with the
   * error's code and text, or with INFERD_OK when the control is done or the model is ready. */
  void (*control_model)(const struct inferd_host* host, const inferd_model_control* control,
                        void (*done)(void* arg, int32_t code, inferd_text message), void* arg);

  /* Opens a metric and returns its number for change_metric. The same metric is shared by all callers with the same
   * name, kind and labels. It is shown until each of them has closed it. `done` is called with `arg` before this
   * function returns. Errors: the name or a label's name is invalid, the name is the server's own or of another kind,
   * or there are too many metrics. */
  void (*open_metric)(const struct inferd_host* host, const inferd_metric* metric, inferd_metric_done done, void* arg);
  /* `change` is an inferd_metric_change. */
  void (*change_metric)(const struct inferd_host* host, uint64_t number, int32_t change, double value,
                        inferd_metric_done done, void* arg);
  void (*close_metric)(const struct inferd_host* host, uint64_t number);

  /* Returns the request's timeout for waiting in the model's queue, in microseconds, as its sender stated it. 0 if not
   * stated. */
  uint64_t (*timeout_us)(const inferd_batch* batch, size_t request);

  /* Returns the W3C `traceparent` with which a trace of the request continues: "00-<trace>-<span>-<flags>". The span is
   * the server's span of this execution if the server exports the request's trace to a collector, otherwise the one
   * that the client sent. Empty if there is no trace. Valid until the request has its final response. */
  inferd_text (*traceparent)(const inferd_batch* batch, size_t request);

  /* For use inside execute() or `ready`. Returns 1 if the calling thread runs one of the server's event loops. It then
   * calls `ready(arg)` once, later, when `descriptor` is readable or its other end is closed, and possibly spuriously,
   * for example if it is asked to wait again. `ready` must not block; it may finish() batches. Returns 0 on any other
   * thread. */
  int32_t (*await_readable)(const struct inferd_host* host, int descriptor, void (*ready)(void* arg), void* arg);
} inferd_host;

/* ---- The engine ----------------------------------------------------------------------------------------------- */

/* Functions that return int32_t return an inferd_code, and call set_error() unless it is INFERD_OK. */
typedef struct inferd_engine {
  size_t struct_size;
  uint32_t abi_version;               /* INFERD_ENGINE_ABI_VERSION */
  const char* name;                   /* as in a configuration's `backend`: "onnxruntime"; [a-z0-9_]+ */
  const char* version;                /* of the underlying library: "1.31.1" */
  const char* default_model_filename; /* "model.onnx"; "" if the engine needs no file */

  int32_t (*load)(const inferd_load* load, inferd_model** model, inferd_error* error);
  void (*unload)(inferd_model* model);

  /* Never fails; valid until unload(). */
  const inferd_signature* (*signature)(inferd_model* model);

  int32_t (*create_instance)(inferd_model* model, const inferd_instance_spec* spec, inferd_instance** instance,
                             inferd_error* error);
  void (*destroy_instance)(inferd_instance* instance);

  /* Runs a batch. Returns an inferd_execute_result. */
  int32_t (*execute)(inferd_instance* instance, const inferd_batch* batch, inferd_error* error);

  /* Returns the model's other signature `number`, counted from 1, each with a unique name. NULL after the last one.
   * Otherwise like signature(). Each gets its own instances (inferd_instance_spec.signature), as many as the
   * configuration states, which run beside those of the others. May be NULL if models have one signature. */
  const inferd_signature* (*other_signature)(inferd_model* model, size_t number);

  /* Opens a further signature, made of any tensors of the graph. Its inputs are the feeds and its outputs the fetches,
   * in that order and with those names. Its executions have one request each. *signature, and *number, by which
   * create_instance() refers to it, stay valid until unload(). At any time, on any thread. May be NULL if models have
   * no graph to call. */
  int32_t (*open_signature)(inferd_model* model, const inferd_graph_call* call, const inferd_signature** signature,
                            size_t* number, inferd_error* error);

  /* NULL if the engine computes in CPU memory alone; then its instances are on no GPU. */
  const inferd_device_memory* device_memory;

  /* Offers memory for an input that the host must copy for this instance's next batch (pieces to join, or memory of a
   * kind that the input's spec does not name): `size` bytes of a kind in the spec. Returns INFERD_OK, or any other code
   * to let the host use its own memory. Never called during execute(). May be NULL. */
  int32_t (*allocate_input)(inferd_instance* instance, uint32_t input, size_t size, inferd_input_memory* memory);

  /* Checks whether a model with checks_readiness is ready, when a client asks the server. Returns INFERD_OK, or any
   * other code with the reason. Requests are executed in any case. It may block for some seconds at most, whatever the
   * model does: a model that does not answer in that time is not ready. One call at a time per model, in parallel with
   * executions and other calls, after its instances were created and before the first of them is destroyed. May be
   * NULL. */
  int32_t (*check_ready)(inferd_model* model, inferd_error* error);
} inferd_engine;

/* The exported symbol. Returns a table that lives as long as the process, or NULL after set_error(). */
#if defined(__GNUC__)
__attribute__((visibility("default")))
#endif
const inferd_engine*
inferd_engine_v1(const inferd_host* host, inferd_error* error);

#ifdef __cplusplus
}
#endif

#endif /* INFERD_ENGINE_ABI_H_ */
