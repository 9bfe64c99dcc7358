/*
 * The engine ABI of inferd, version 1.
 *
 * An engine runs one kind of model. It is a shared library that exports one function, inferd_engine_v1(), and needs
 * nothing but this header: no library of inferd's, no particular compiler, C99 or any C++. docs/adding-an-engine.md
 * walks through a complete one.
 *
 * The life of an engine
 *
 *   inferd_engine_v1(host)               once, when the server finds the library; it is never unloaded
 *     load()                             once per model version; may block; several at a time, on any threads
 *       signature()                      once, after load()
 *       other_signature()                after it, until there is no other; where the engine has it
 *       open_signature()                 at any time; where the engine has it
 *       create_instance()                as often as the model's configuration has instances
 *       check_ready()                    where the engine has it and the model wants it
 *         execute()                      one call at a time for one instance, and no more unfinished executions than
 *                                        its signature says; instances side by side, any thread
 *       destroy_instance()               no execution of the instance is unfinished
 *     unload()                           its instances are destroyed
 *
 * How it grows. Every struct starts with `struct_size`: sizeof as the side that filled the struct knows it. Later
 * revisions of version 1 only append fields; read one that was not in the first revision only if `struct_size` covers
 * it (INFERD_HAS_FIELD). Whatever cannot be done that way gets a new symbol, inferd_engine_v2. Arrays of such structs
 * are arrays of pointers, since an element's size may differ from yours. Three plain values have no size and never
 * change, because arrays of them are passed: inferd_text, inferd_pair and inferd_memory.
 *
 * Ownership. What a call passes in is valid until that call returns, if nothing else is said; a batch and all that it
 * points to, until it is finished. What an engine returns stays the engine's: the host only calls the function that
 * ends it.
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

/* Whether *object, filled by the other side, is new enough to have `field`. */
#define INFERD_HAS_FIELD(type, object, field) ((object)->struct_size >= offsetof(type, field) + sizeof((object)->field))

/* The engine's; the host only passes the pointers back. */
typedef struct inferd_model inferd_model;
typedef struct inferd_instance inferd_instance;

/* The host's: where a failing call says why. See inferd_host.set_error. */
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

/* Result of every fallible call, and status of a response: the canonical codes, numbered as gRPC's. */
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
  /* TensorFlow's alone: Predict V2 has no such datatypes, and its clients can neither send nor get them. */
  INFERD_TYPE_COMPLEX64 = 15,  /* two FP32: the real part, the imaginary part */
  INFERD_TYPE_COMPLEX128 = 16, /* two FP64 */
  INFERD_TYPE_QINT8 = 17,      /* quantized numbers, laid out as the integers of their name */
  INFERD_TYPE_QUINT8 = 18,
  INFERD_TYPE_QINT16 = 19,
  INFERD_TYPE_QUINT16 = 20,
  INFERD_TYPE_QINT32 = 21
};

/* How the elements of a BYTES tensor lie in memory. Zero bytes inside an element are data like any other. */
enum inferd_bytes_form {
  INFERD_BYTES_PACKED = 0,  /* one after the other, each a 32-bit little-endian length and so many bytes */
  INFERD_BYTES_ELEMENTS = 1 /* an array of inferd_text, one per element */
};

enum inferd_log_level { INFERD_LOG_VERBOSE = 0, INFERD_LOG_INFO = 1, INFERD_LOG_WARNING = 2, INFERD_LOG_ERROR = 3 };

/* ---- Signature: what a model takes and gives ------------------------------------------------------------------ */

typedef struct inferd_tensor_spec {
  size_t struct_size;
  inferd_text name;
  int32_t datatype;
  const int64_t* shape; /* the whole shape, batch dimension included; -1 and 0: any size */
  size_t rank;          /* 0: a scalar; of an output also: not known beforehand */

  /* 1, inputs: a request may leave it out. 1, outputs: where a request names no outputs, the answer has only those that
   * are not optional, if there are such. */
  int32_t optional;

  /* Inputs only. */
  int32_t bytes_form; /* BYTES: which of inferd_bytes_form the engine wants */
  int32_t one_piece;  /* 1: the engine wants the whole batch contiguous; the host gathers */
  size_t alignment;   /* every piece starts at a multiple of this, a power of two up to 4096; 0 or 1: anywhere */

  /* 1: `shape` is the usual one. Requests may bring others, which the model itself takes or refuses, and outputs may
   * have others; only where the server batches, the batch dimension leads all the same. */
  int32_t any_shape;

  /* What the model's graph calls it, where that is not `name`; clients may be told. */
  inferd_text graph_name;

  /* 1: the model does not say how many dimensions there are; `rank` is 0, and `any_shape` 1. */
  int32_t unknown_rank;

  /* Outputs only: what the elements of a row stand for, where the model says it: element i belongs to labels[i]. */
  const inferd_text* labels;
  size_t label_count;

  /* What the model's file calls the dimensions of any size: `rank` names, empty where a dimension is a number or has no
   * name. Dimensions of one name have one size in a request, whichever tensors they are of. NULL: none has a name. A
   * model whose rows do not influence each other calls the dimension that they lie in "batch" or the like
   * (docs/batching.md): only then may the server let requests share an execution without being told to. */
  const inferd_text* dimension_names;

  /* What the model takes where a request leaves the input out, in the model format's own form (a serialized
   * tensorflow.TensorProto); clients may be told. Empty: it says nothing. */
  inferd_text default_value;

  /* Inputs: the kinds of memory in which an instance on a GPU takes them, a bit (1u << kind) for each of
   * inferd_memory_kind; 0: memory of the CPU. What lies elsewhere is copied, to the instance's GPU where memory of the
   * CPU is not among them. Instances that are not on a GPU get memory of the CPU, whatever this says. An input whose
   * elements are inferd_text (bytes_form) lies in memory of the CPU always. */
  uint32_t memory_kinds;

  /* Inputs. 1: `datatype` is the usual one. Requests may bring any other, which the model itself takes or refuses:
   * inferd_input.datatype says which it is. */
  int32_t any_datatype;

  /* 1: metadata and configurations do not show it; it stands behind all that they show, and is optional. Inputs: a
   * request that brings such inputs need not bring the others. Outputs: only such a request may name it. 2: the same,
   * and clients cannot name it: it carries the whole body of a request, or of its answer, for a front-end. */
  int32_t alternative;

  /* Outputs. 1: `shape` is what the model's file declares, and executions may give another one. The server answers with
   * the real shape, and warns once for each model. Where the configuration has -1, so has the model. 0: an output of
   * another shape is an error of the engine. */
  int32_t shape_is_hint;

  /* Outputs. 1: a response may come without it, and the client's answer has none then. 0: such a response is an error
   * of the engine. */
  int32_t may_be_missing;

  /* Outputs. 1: `datatype` and `shape` are what the model declares. A response may have others, and clients get those.
   * 0: such a response is an error of the engine. */
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

  /* Names of request parameters that change what execute() does. Requests that differ in one of them never share a
   * batch; the others need not be looked at. */
  const inferd_text* significant_parameters;
  size_t significant_parameter_count;

  /* 1: a request may have any number of responses, none included. 0: exactly one. */
  int32_t decoupled;

  /* How many threads an execution keeps busy, the one that calls execute() included. 0: as many as the load's
   * cpu_threads; -1: none, it only waits for something else. */
  int32_t compute_threads;

  /* By which clients choose it, where a model has several, and what kind of answer it gives, in the words of the
   * model's format ("serving_default", "tensorflow/serving/predict"). Empty: it has no such thing. */
  inferd_text name;
  inferd_text method;

  /* 1, of an other_signature() only: metadata show it, and nobody can ask for it; no instances of it are created, and
   * its tensors may be of type INFERD_TYPE_INVALID. */
  int32_t only_shown;

  /* Of one that is only shown: what clients are told that ask for it all the same ("tensor 'x' ..."). Empty: there is
   * no such signature for them. */
  inferd_text not_served;

  /* How many executions of one instance may be unfinished at a time, where execute() returns INFERD_PENDING: the next
   * call comes when fewer are. 0 or 1: one after the other; at most INFERD_UNFINISHED_EXECUTIONS_MAX. An instance that
   * needs a share of something (compute_threads other than -1 where the server limits them, resources of the
   * configuration's rate limiter) has one at a time, and one in a process of its own no more than 32. */
  int32_t unfinished_executions_max;

  /* 1: requests may belong to sequences (inferd_host.sequence). 0: the server refuses those. A request that failed is
   * not executed again by the server where this is 1: the engine may have kept a part of it. */
  int32_t sequences;

  /* 1: execute() waits for another process, which computes. Most of a short execution is then the way there and back,
   * and a hop to another thread before it costs as much again: the server lets executions run on the threads of
   * connections that take several times longer than those of other models may. Such an execute() returns
   * INFERD_PENDING rather than wait for long. */
  int32_t computes_elsewhere;

  /* Of signature() only: what the model's own code says of batching, where that is more than the configuration does.
   * More than 0: max_batch_size is that, and -1 leads each shape; the configuration is completed so. 1: it is completed
   * with dynamic_batching { }. 0: it says nothing. */
  int32_t completed_max_batch_size;
  int32_t completed_dynamic_batching;

  /* Of signature() only. 1: the model's own code says whether it is ready (inferd_engine.check_ready). */
  int32_t checks_readiness;

  /* 1: on a thread that inferd_host.await_readable works on, execute() only passes the inputs on, and returns
   * INFERD_PENDING: the server lets executions begin on the threads of connections, however long the model takes. */
  int32_t returns_at_once;

  /* How many executions of an instance the engine takes beyond unfinished_executions_max, and begins when those before
   * are over: its computation need not wait for the next one to be brought. The server gives it those only while
   * executions are short, and have one request each. 0: none; at most INFERD_EXECUTIONS_AHEAD_MAX. */
  int32_t executions_ahead;

  /* 1: create_instance() takes long, mostly in other processes. Several calls may go on at a time, on different
   * threads. 0: the server makes one instance after the other. */
  int32_t parallel_instances;

  /* Of signature() only. 1: the model's own code completes its configuration. Inputs and outputs that the configuration
   * does not list are added to it. 0: the configuration lists all inputs and outputs, or none of them. */
  int32_t completed_tensors;

  /* Of signature() only. 1: the configuration is completed with model_transaction_policy { decoupled }, as `decoupled`
   * says. 0: it keeps what it has. */
  int32_t completed_transaction_policy;
} inferd_signature;

/* ---- Loading -------------------------------------------------------------------------------------------------- */

/* A way to run faster that the configuration asks for: an execution provider, a compiler. */
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
  inferd_text backend;     /* the name by which the configuration calls the engine; empty if it was found by the file */
  inferd_text model_dir;   /* <repository>/<model> */
  inferd_text version_dir; /* <repository>/<model>/<version> */
  inferd_text model_file;  /* a path inside version_dir; empty if neither configuration nor engine name a file */

  /* The model's configuration: all of it as JSON (ModelConfig, proto field names; empty if there is none), and the
   * parts that most engines need. */
  inferd_text config_json;
  const inferd_pair* parameters; /* config.pbtxt `parameters` */
  size_t parameter_count;
  /* Configured inputs and outputs as the engine sees them. If max_batch_size > 0, -1 leads each shape, but those of
   * ragged inputs, of what batch_input makes and of what batch_output cuts. */
  const inferd_signature* declared;
  int32_t max_batch_size;           /* 0: the server does not batch */
  int32_t graph_optimization_level; /* optimization { graph { level } }: 0 default, -1 basic, 1 extended */
  const inferd_text* op_libraries;  /* paths of libraries with custom operators */
  size_t op_library_count;
  const inferd_accelerator* const* accelerators; /* optimization { execution_accelerators } */
  size_t accelerator_count;

  /* This version's share of the server's compute threads, the calling thread included. 1: start none. */
  int32_t cpu_threads;

  /* The cores that this version's threads may run on, by the system's numbers, ascending; none: any. The host sees to
   * the threads that call create_instance() and execute(), and to those that these make. A thread that the engine makes
   * elsewhere to compute for this version keeps to them, too, and computes for no other. */
  const int32_t* cpu_cores;
  size_t cpu_core_count;

  /* Of each instance that is on a GPU, which one, ascending: { 0, 0, 1 }. And whether there are others. */
  const int32_t* gpus;
  size_t gpu_count;
  int32_t on_cpu;

  /* 1: outputs that a model's own code makes go to clients as they are, whatever datatype and shape the configuration
   * declares: their specs say `unchecked`. 0: they are refused where they differ. */
  int32_t unchecked_outputs;
} inferd_load;

/* A way through a model's graph that none of its signatures takes. Names are those that tensors ("operator:output", or
 * "operator" for its first output) and operators have in the graph. */
typedef struct inferd_graph_call {
  size_t struct_size;
  const inferd_text* feeds; /* tensors whose values requests bring; no two are the same */
  size_t feed_count;
  const inferd_text* fetches; /* tensors that are the answer; no two are the same */
  size_t fetch_count;
  const inferd_text* targets; /* operators that run besides */
  size_t target_count;
} inferd_graph_call;

enum inferd_instance_kind {
  INFERD_INSTANCE_CPU = 0,
  INFERD_INSTANCE_GPU = 1,  /* on `device`, one of inferd_device_memory.device_count */
  INFERD_INSTANCE_MODEL = 2 /* where the model itself says */
};

typedef struct inferd_instance_spec {
  size_t struct_size;
  int32_t group;    /* position among the configuration's instance groups */
  int32_t ordinal;  /* position among all instances of the version, from 0 */
  size_t signature; /* what it executes: 0: signature(), others: other_signature() of that number */
  int32_t kind;     /* inferd_instance_kind */
  int32_t device;   /* of a GPU instance, the GPU's number; else 0 */

  /* The name of its group, and its number there ("m_0_1"). Instances of one group on several GPUs share their names. */
  inferd_text name;
} inferd_instance_spec;

/* ---- Devices --------------------------------------------------------------------------------------------------- */

#define INFERD_DEVICES_MAX 256
#define INFERD_HANDLE_BYTES 64

/* The engine's: copies that it has under way. */
typedef struct inferd_copy_queue inferd_copy_queue;

/* Memory that only the engine's library reaches (INFERD_MEMORY_GPU), or copies from faster (INFERD_MEMORY_CPU_PINNED).
 * The server has no library of any device: it asks the engine's. Thread-safe. */
typedef struct inferd_device_memory {
  size_t struct_size;
  int32_t device_count; /* GPUs, numbered from 0: those that instance groups may name */

  /* `size` bytes at a multiple of 64. NULL: there is no room, or no such memory. */
  void* (*allocate)(int32_t kind, int32_t device, size_t size);
  void (*release)(int32_t kind, int32_t device, void* data, size_t size);

  /* Copies from->size bytes to to->data; either may be memory of the CPU. Done when it returns. An inferd_code. */
  int32_t (*copy)(const inferd_memory* from, const inferd_memory* to, inferd_error* error);

  /* 1: instances are on the GPUs where the configuration leaves that open: its group is of KIND_AUTO, or there is none.
   * 0: on the CPU, but for those of a KIND_AUTO group that names GPUs. */
  int32_t preferred;

  /* Memory on `device` that another process has allocated, by the handle that its library has given it for that
   * (cudaIpcGetMemHandle): what INFERD_HANDLE_BYTES bytes at `handle` say. *memory is all of it, until close_handle(),
   * which is called once. An inferd_code. Both NULL: the engine opens none. */
  int32_t (*open_handle)(int32_t device, const void* handle, inferd_memory* memory, inferd_error* error);
  void (*close_handle)(const inferd_memory* memory);

  /* Where device_count is 0: what is missing, for the error of a model that wants a GPU. NULL: nothing is known. */
  const char* why_none;

  /* Copies that are not waited for one by one, nor by what else the device does. open_queue makes a queue for copies
   * from and to `device`; close_queue ends it, when none of them is under way. start_copy is as copy, but may return
   * before the copy is done, or has begun; those of a queue are done in any order. The host releases neither side,
   * writes to none, and reads nothing that is copied, before await_copies has returned, which it does when every copy
   * of the queue is over: an inferd_code, that of the first that failed. One call at a time for a queue, from any
   * thread. All NULL: there is only copy. */
  int32_t (*open_queue)(int32_t device, inferd_copy_queue** queue, inferd_error* error);
  void (*close_queue)(inferd_copy_queue* queue);
  int32_t (*start_copy)(inferd_copy_queue* queue, const inferd_memory* from, const inferd_memory* to,
                        inferd_error* error);
  int32_t (*await_copies)(inferd_copy_queue* queue, inferd_error* error);
} inferd_device_memory;

/* Memory of the engine's for an input that the host has to copy. `release` is called once, when the batch is finished
 * or is not executed after all, on any thread; NULL: it needs no call. */
typedef struct inferd_input_memory {
  size_t struct_size;
  inferd_memory memory; /* of the size asked for at least, at a multiple of the input's alignment; is written to */
  void (*release)(void* release_arg);
  void* release_arg;
} inferd_input_memory;

/* ---- Executing ------------------------------------------------------------------------------------------------ */

/* One input of a batch. Requests that share a batch all give it, or all leave it out. */
typedef struct inferd_input {
  size_t struct_size;
  uint32_t index; /* in the signature's inputs */
  int32_t datatype;
  const int64_t* shape; /* of the whole batch; every dimension >= 0. Of a ragged input: the number of all elements */
  size_t rank;
  int32_t bytes_form; /* BYTES: as the signature asked. ELEMENTS: a piece is an array of size / sizeof(inferd_text) */
  const inferd_memory* pieces; /* read-only; one per request in request order, or just one (one_piece, batch_input) */
  size_t piece_count;
} inferd_input;

/* One call of an engine on behalf of one or more requests. Rows that only fill the batch up stand among them, anywhere,
 * as a request that inferd_host.fills_up() tells: it is cancelled from the start, has the id and parameters of another
 * request of the batch, and needs no answer. */
typedef struct inferd_batch {
  size_t struct_size;
  size_t request_count;
  const int64_t* rows; /* per request, its part of the first dimension; 1 each if the model does not batch */
  const inferd_input* const* inputs;
  size_t input_count;
  const uint32_t* outputs; /* indices of the outputs that are wanted, ascending; computing others is wasted */
  size_t output_count;
} inferd_batch;

/* One output of a response. Its memory is one of these:
 *   - from inferd_host.allocate_output or allocate_output_in: the response takes it over;
 *   - the engine's own, with `release`: called once, on any thread, when the host is done with it, however respond()
 *     ends, and before unload(). Of a GPU, it is copied to memory of the CPU before respond() returns,
 *     unless the answer has a use for it there;
 *   - any other: copied before respond() returns. */
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

/* The sequence that a request belongs to: requests that a model answers by what it kept of those before. */
typedef struct inferd_sequence {
  size_t struct_size;
  inferd_text text; /* what the client calls it; empty where it gave a number */
  uint64_t number;  /* that number, which is not 0 then */
  int32_t start;    /* 1: the request is the first of it, or begins it anew */
  int32_t end;      /* 1: it is the last */
} inferd_sequence;

enum inferd_parameter_kind {
  INFERD_PARAMETER_BOOL = 0,
  INFERD_PARAMETER_INT64 = 1,
  INFERD_PARAMETER_UINT64 = 2,
  INFERD_PARAMETER_DOUBLE = 3,
  INFERD_PARAMETER_TEXT = 4
};

/* A parameter of a request or of a response: `kind` says which value holds. */
typedef struct inferd_parameter {
  size_t struct_size;
  int32_t kind;
  int32_t bool_value;
  int64_t int64_value;
  uint64_t uint64_value;
  double double_value;
  inferd_text text_value;
} inferd_parameter;

/* The most parameters of one response, and the most bytes of their names and texts together. */
#define INFERD_RESPONSE_PARAMETERS_MAX 64
#define INFERD_RESPONSE_PARAMETER_BYTES_MAX 65536

typedef struct inferd_response {
  size_t struct_size;
  int32_t code;        /* not INFERD_OK: a failure, without outputs */
  inferd_text message; /* why, for the client */
  const inferd_output* const* outputs;
  size_t output_count;
  int32_t final; /* 1: the last response to the request. Streams may end in a final response without outputs */

  /* What the answer says beside its outputs (a count of tokens, a reason to stop): parameters[i] is called
   * parameter_names[i]. Copied before respond() returns. Names are not empty, no two are the same, and none begins with
   * "triton_", which is the server's; names and texts are UTF-8; the limits are those above. A response that breaks one
   * of these rules is an INTERNAL error in place of the answer, as one with wrong outputs is. Parameters of a failure
   * are ignored; those of a response to INFERD_ALL_REQUESTS go to every request. Clients get them where their protocol
   * has a place for them: Predict V2 does, TensorFlow Serving's API does not. */
  const inferd_text* parameter_names;
  const inferd_parameter* const* parameters;
  size_t parameter_count;

  /* 1, with `final`, of a model whose configuration says iterative_sequence: the request is not answered by this, but
   * executed again, with the same inputs, as soon as its turn comes: no longer as the start of its sequence, and with
   * the states that are among these outputs. Of a decoupled model the other outputs are a response to the client, if
   * there are any; else they are dropped. */
  int32_t reschedule;
} inferd_response;

/* respond() to every request of the batch with one response: outputs then cover the whole batch, and the host splits
 * them by rows (those of batch_output by the shapes of an input). Always final. */
#define INFERD_ALL_REQUESTS ((size_t)-1)

/* What execute() returns. */
enum inferd_execute_result {
  INFERD_FINISHED = 0, /* every request was answered; the engine will not touch the batch again */
  INFERD_PENDING = 1,  /* the engine calls inferd_host.finish later, or did so already, on any thread: the execution
                          lasts until then, in statistics, limits, and what it holds of shared resources */
  INFERD_FAILED = 2    /* requests that were not answered get `error`; the engine will not touch the batch again */
};

/* ---- Calls of models by an engine ------------------------------------------------------------------------------ */

/* A tensor of a call, or of its answer. BYTES are packed. */
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
  const inferd_text* outputs; /* the names of those that are wanted; none: all */
  size_t output_count;
  const inferd_sequence* sequence; /* NULL: it belongs to none */
  const inferd_text* parameter_names;
  const inferd_parameter* const* parameters;
  size_t parameter_count;
  uint64_t priority;   /* 0: that of the request in whose execution it is made */
  uint64_t timeout_us; /* how long it may wait in the model's queue; 0: the model's default */
  int32_t decoupled;   /* 1: any number of responses may come. 0: one; a decoupled model refuses the call */
} inferd_model_call;

/* One response to a call. */
typedef struct inferd_call_response {
  size_t struct_size;
  int32_t code; /* not INFERD_OK: a failure, without outputs */
  inferd_text message;
  int32_t submitted; /* 0: the call has not come to a model: there is none that could take it */
  int32_t final;     /* 1: the last response; it may have no outputs, of a decoupled model */
  const inferd_call_tensor* const* outputs;
  size_t output_count;
  const inferd_text* parameter_names;
  const inferd_parameter* const* parameters;
  size_t parameter_count;
} inferd_call_response;

/* What is asked of the server about one of its models. */
enum inferd_control {
  INFERD_CONTROL_READY = 0, /* whether it takes requests */
  INFERD_CONTROL_LOAD = 1,
  INFERD_CONTROL_UNLOAD = 2
};

typedef struct inferd_model_control {
  size_t struct_size;
  int32_t control; /* inferd_control */
  inferd_text model;
  inferd_text version;      /* READY; empty: the server chooses */
  inferd_text config_json;  /* LOAD; empty: the one on disk */
  const inferd_pair* files; /* LOAD: "<version>/<path>" and what is in it, in place of the version folders */
  size_t file_count;
  int32_t unload_dependents; /* UNLOAD */
} inferd_model_control;

enum inferd_metric_kind { INFERD_METRIC_COUNTER = 0, INFERD_METRIC_GAUGE = 1, INFERD_METRIC_HISTOGRAM = 2 };

/* A metric on the server's page of metrics, or, without `series`, its family alone. */
typedef struct inferd_metric {
  size_t struct_size;
  int32_t kind; /* inferd_metric_kind */
  inferd_text name;
  inferd_text help;
  int32_t series; /* 1: the one with these labels */
  const inferd_pair* labels;
  size_t label_count;
  const double* bounds; /* of a histogram's buckets, ascending */
  size_t bound_count;
} inferd_metric;

enum inferd_metric_change {
  INFERD_METRIC_READ = 0,   /* nothing changes */
  INFERD_METRIC_ADD = 1,    /* to a counter, 0 or more; to a gauge */
  INFERD_METRIC_SET = 2,    /* a gauge */
  INFERD_METRIC_OBSERVE = 3 /* a histogram's */
};

/* How that ended; with INFERD_OK, the metric's number, or its value afterwards. */
typedef void (*inferd_metric_done)(void* arg, int32_t code, inferd_text message, uint64_t number, double value);

/* What the server offers to an engine. Lives as long as the process. Thread-safe, but for one rule: calls for one
 * request of a batch do not overlap. */
typedef struct inferd_host {
  size_t struct_size;
  uint32_t abi_version;
  int32_t cpu_threads; /* compute threads of the whole process; engines with one pool for all models size it by this */

  /* Records why a call fails. `code` != INFERD_OK; the last call counts. */
  void (*set_error)(inferd_error* error, int32_t code, inferd_text message);

  /* A line in the server's log. log_enabled() tells whether anybody would see it. */
  int32_t (*log_enabled)(const struct inferd_host* host, int32_t level);
  void (*log)(const struct inferd_host* host, int32_t level, inferd_text message);

  /* `size` writable bytes at a multiple of 64, for output `output` of this batch; NULL if there is no memory. What no
   * response takes over is freed when the batch is finished. */
  void* (*allocate_output)(const inferd_batch* batch, uint32_t output, size_t size);

  /* Answers request `request` (or INFERD_ALL_REQUESTS). From any thread, execute() included; outputs may come in any
   * order. Calls after a final response are ignored. */
  void (*respond)(const inferd_batch* batch, size_t request, const inferd_response* response);

  /* After execute() returned, or will return, INFERD_PENDING: exactly once, as the last call for the batch. */
  void (*finish)(const inferd_batch* batch);

  /* 1: nobody waits for the request's answer any more. It must still be answered. */
  int32_t (*is_cancelled)(const inferd_batch* batch, size_t request);

  /* The request's id as its client wrote it; empty if none. Valid until the batch is finished. */
  inferd_text (*request_id)(const inferd_batch* batch, size_t request);

  /* 1 and fills *value (set its struct_size first) if the request has this parameter, else 0. */
  int32_t (*find_parameter)(const inferd_batch* batch, size_t request, inferd_text name, inferd_parameter* value);

  /* For the statistics, optional: the inputs are where the engine computes; the outputs are computed. */
  void (*mark_inputs_ready)(const inferd_batch* batch);
  void (*mark_infer_done)(const inferd_batch* batch);

  /* The request's parameters one by one, in the order in which its client wrote them: 1 and fills *name and *value (set
   * its struct_size first) for position 0, 1 ..., 0 behind the last. */
  int32_t (*parameter_at)(const inferd_batch* batch, size_t request, size_t position, inferd_text* name,
                          inferd_parameter* value);

  /* Of a decoupled model. 1: a further response to the request may come now. 0: its client does not take those that
   * there are; the engine holds until it is 1 again. An engine that goes on all the same has the request given up
   * beyond a limit: its stream ends with RESOURCE_EXHAUSTED. 1 for a request that is cancelled, and in a process of its
   * own, where answers are held up by the memory that they lie in. */
  int32_t (*may_respond)(const inferd_batch* batch, size_t request);

  /* Has `resume(arg)` called once: before this returns if may_respond() is 1 for the request, else when there is room
   * for several responses, on a thread of the server, which it must not block. The batch is not finished before that.
   * A request that is cancelled is resumed, too. */
  void (*when_may_respond)(const inferd_batch* batch, size_t request, void (*resume)(void* arg), void* arg);

  /* 1 and fills *sequence (set its struct_size first) if the request belongs to one, else 0. Its text is valid until
   * the batch is finished. */
  int32_t (*sequence)(const inferd_batch* batch, size_t request, inferd_sequence* sequence);

  /* 1: the request is no client's: its rows only fill the batch up. */
  int32_t (*fills_up)(const inferd_batch* batch, size_t request);

  /* As allocate_output, in memory of `wish->kind` on `wish->device` if the answer has a use for it there; else memory
   * of the CPU, perhaps pinned, which the engine copies to. *memory says what it is: 1, or 0: there is none. */
  int32_t (*allocate_output_in)(const inferd_batch* batch, uint32_t output, const inferd_memory* wish,
                                inferd_memory* memory);

  /* Notes in the request's trace that it has come to `name` now ("TOKENIZED"): a text of at most 64 bytes, printable,
   * else it is cut or left out. Nothing where the request is not traced, in a process of its own for example; costs
   * next to nothing then. From any thread, until the request has had its final response. */
  void (*trace_activity)(const inferd_batch* batch, size_t request, inferd_text name);

  /* Has a model of the server answer, while the batch is unfinished. What the call does not say, it takes over from
   * `request`, in whose execution it is made: who waits for it (its deadline, its cancellation), priority, trace. With
   * INFERD_ALL_REQUESTS, it is made for no one of them. `respond` is called with `arg` for each response in turn, on
   * any thread, perhaps before this returns; what it is given is valid until it returns, and it must not block. *call
   * is set before that, and names the call until its final response.
   *
   * A call that could never be answered is refused: one of a model all of whose instances wait for this very call, or
   * one that is nested too deeply. */
  void (*call_model)(const struct inferd_host* host, const inferd_batch* batch, size_t request,
                     const inferd_model_call* model_call,
                     void (*respond)(void* arg, const inferd_call_response* response), void* arg, uint64_t* call);

  /* Its answer is not waited for any more: the final response comes all the same, soon. */
  void (*cancel_call)(const struct inferd_host* host, uint64_t call);

  /* Of a call with any number of responses: one of those that came was used. Of models that hold back while their
   * responses are not taken, no more than some dozens come before that. */
  void (*take_response)(const struct inferd_host* host, uint64_t call);

  /* Returns at once. `done` is called with `arg` once, on any thread, perhaps before this returns: with the error's
   * code and text, or INFERD_OK when it is done, or the model is ready. */
  void (*control_model)(const struct inferd_host* host, const inferd_model_control* control,
                        void (*done)(void* arg, int32_t code, inferd_text message), void* arg);

  /* A metric, by a number of its own, for change_metric; the same one for all that give it the same name, kind and
   * labels. It is on the page until each of them has closed it. `done` is called with `arg` before this returns.
   * Errors: the name or a label's is none, the name is the server's own or of another kind, there are too many. */
  void (*open_metric)(const struct inferd_host* host, const inferd_metric* metric, inferd_metric_done done, void* arg);
  /* `change` is an inferd_metric_change. */
  void (*change_metric)(const struct inferd_host* host, uint64_t number, int32_t change, double value,
                        inferd_metric_done done, void* arg);
  void (*close_metric)(const struct inferd_host* host, uint64_t number);

  /* How long the request may wait in the model's queue, in microseconds, as whoever sent it wrote it; 0: it says
   * nothing of that. */
  uint64_t (*timeout_us)(const inferd_batch* batch, size_t request);

  /* Where a trace goes on that somebody follows the request by: a W3C `traceparent`, "00-<trace>-<span>-<flags>". The
   * span is the server's own of this execution where the server sends the request's trace to a collector, else the one
   * that the client named; empty: there is no trace. Valid until the request has had its final response. */
  inferd_text (*traceparent)(const inferd_batch* batch, size_t request);

  /* Inside execute(), or in such a call. 1: the calling thread is one of the server's that wait for many things, and
   * calls `ready(arg)` once, later, when `descriptor` has something to be read, or its other end is gone; perhaps for
   * nothing, as when it is asked to wait for it anew. `ready` must not block, and may finish() batches. 0: the calling
   * thread is another one. */
  int32_t (*await_readable)(const struct inferd_host* host, int descriptor, void (*ready)(void* arg), void* arg);
} inferd_host;

/* ---- The engine ----------------------------------------------------------------------------------------------- */

/* Functions that return int32_t return an inferd_code, and set_error() when it is not INFERD_OK. */
typedef struct inferd_engine {
  size_t struct_size;
  uint32_t abi_version;               /* INFERD_ENGINE_ABI_VERSION */
  const char* name;                   /* "onnxruntime": what a configuration's `backend` names; [a-z0-9_]+ */
  const char* version;                /* of the library behind it: "1.31.1" */
  const char* default_model_filename; /* "model.onnx"; "": the engine needs no file */

  int32_t (*load)(const inferd_load* load, inferd_model** model, inferd_error* error);
  void (*unload)(inferd_model* model);

  /* Never fails; valid until unload(). */
  const inferd_signature* (*signature)(inferd_model* model);

  int32_t (*create_instance)(inferd_model* model, const inferd_instance_spec* spec, inferd_instance** instance,
                             inferd_error* error);
  void (*destroy_instance)(inferd_instance* instance);

  /* Runs a batch; returns an inferd_execute_result. */
  int32_t (*execute)(inferd_instance* instance, const inferd_batch* batch, inferd_error* error);

  /* Other things that the model computes, each with a name of its own: signature `number`, from 1, or NULL: there are
   * no more. As signature() otherwise. Each gets instances of its own (inferd_instance_spec.signature), which run
   * beside those of the others, as many as the configuration says. May be NULL: models have one signature. */
  const inferd_signature* (*other_signature)(inferd_model* model, size_t number);

  /* A further signature, made of any of the graph's tensors: its inputs are the feeds, its outputs the fetches, in that
   * order and by those names. Executions of it bring one request each. *signature and *number, by which
   * create_instance() knows it, are valid until unload(). At any time, on any thread. May be NULL: models have no graph
   * that could be called. */
  int32_t (*open_signature)(inferd_model* model, const inferd_graph_call* call, const inferd_signature** signature,
                            size_t* number, inferd_error* error);

  /* NULL: the engine computes in memory of the CPU alone, and instances of it are on no GPU. */
  const inferd_device_memory* device_memory;

  /* Where the host puts an input that it has to copy for this instance (pieces that are to be one, or memory that the
   * input's spec does not name): `size` bytes of a kind that the spec names, for the next batch. INFERD_OK, or any
   * other code: the host uses memory of its own. Comes before execute(), never beside it. May be NULL. */
  int32_t (*allocate_input)(inferd_instance* instance, uint32_t input, size_t size, inferd_input_memory* memory);

  /* Whether a model whose signature says checks_readiness is ready: asked where a client asks the server. INFERD_OK, or
   * any other code, with why not; requests are executed all the same. It may block for some seconds, whatever the model
   * does: one that does not say it in that time is not ready. One call at a time for a model, beside executions and
   * other calls, once it has instances and before the first of them is destroyed. May be NULL. */
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
