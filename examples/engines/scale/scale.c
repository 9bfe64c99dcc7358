/*
 * A complete engine in C99: y = x * factor, for FP32 tensors. docs/adding-an-engine.md explains it line by line.
 *
 * The configuration's parameter `factor` sets the factor (1 if absent); a request's parameter `factor` overrides it.
 */
#include <inferd/engine_abi.h>
#include <stdlib.h>
#include <string.h>

struct inferd_model {
  double factor;
};

struct inferd_instance {
  const struct inferd_model* model;
};

static const inferd_host* host;

/* ---- What models of this engine take and give ---- */

#define TEXT(literal) {literal, sizeof(literal) - 1}

static const int64_t any_vector[] = {-1};
/* By name: later revisions of the ABI have more fields, which are 0 here. */
static const inferd_tensor_spec x = {.struct_size = sizeof(inferd_tensor_spec),
                                     .name = TEXT("x"),
                                     .datatype = INFERD_TYPE_FP32,
                                     .shape = any_vector,
                                     .rank = 1,
                                     .bytes_form = INFERD_BYTES_PACKED,
                                     .alignment = sizeof(float)};
static const inferd_tensor_spec y = {.struct_size = sizeof(inferd_tensor_spec),
                                     .name = TEXT("y"),
                                     .datatype = INFERD_TYPE_FP32,
                                     .shape = any_vector,
                                     .rank = 1};
static const inferd_tensor_spec* const inputs[] = {&x};
static const inferd_tensor_spec* const outputs[] = {&y};
static const inferd_text factor_name = TEXT("factor");
static const inferd_signature signature = {.struct_size = sizeof(inferd_signature),
                                           .inputs = inputs,
                                           .input_count = 1,
                                           .outputs = outputs,
                                           .output_count = 1,
                                           .significant_parameters = &factor_name,
                                           .significant_parameter_count = 1,
                                           .compute_threads = 1};

static int32_t fail(inferd_error* error, int32_t code, const char* message) {
  inferd_text text;
  text.data = message;
  text.size = strlen(message);
  host->set_error(error, code, text);
  return code;
}

/* ---- Loading ---- */

static int same(inferd_text a, inferd_text b) { return a.size == b.size && memcmp(a.data, b.data, a.size) == 0; }

static int32_t load(const inferd_load* spec, inferd_model** model, inferd_error* error) {
  char digits[64] = "1";
  char* end = NULL;
  double factor;
  size_t i;
  for (i = 0; i < spec->parameter_count; ++i) {
    const inferd_pair* pair = &spec->parameters[i];
    if (!same(pair->key, factor_name)) continue;
    if (pair->value.size >= sizeof(digits))
      return fail(error, INFERD_INVALID_ARGUMENT, "parameter 'factor' is too long");
    memcpy(digits, pair->value.data, pair->value.size);
    digits[pair->value.size] = '\0';
  }
  factor = strtod(digits, &end);
  if (end == digits || *end != '\0') return fail(error, INFERD_INVALID_ARGUMENT, "parameter 'factor' is no number");
  *model = malloc(sizeof(**model));
  if (*model == NULL) return fail(error, INFERD_RESOURCE_EXHAUSTED, "out of memory");
  (*model)->factor = factor;
  return INFERD_OK;
}

static void unload(inferd_model* model) { free(model); }

static const inferd_signature* get_signature(inferd_model* model) {
  (void)model;
  return &signature;
}

static int32_t create_instance(inferd_model* model, const inferd_instance_spec* spec, inferd_instance** instance,
                               inferd_error* error) {
  (void)spec;
  *instance = malloc(sizeof(**instance));
  if (*instance == NULL) return fail(error, INFERD_RESOURCE_EXHAUSTED, "out of memory");
  (*instance)->model = model;
  return INFERD_OK;
}

static void destroy_instance(inferd_instance* instance) { free(instance); }

/* ---- Executing ---- */

/* The request's own factor if it has one. Requests that differ in it never share a batch, because the signature calls
 * it significant: looking at the first is enough. */
static int32_t find_factor(const inferd_batch* batch, double* factor, inferd_error* error) {
  inferd_parameter parameter;
  memset(&parameter, 0, sizeof(parameter));
  parameter.struct_size = sizeof(parameter);
  if (!host->find_parameter(batch, 0, factor_name, &parameter)) return INFERD_OK;
  if (parameter.kind == INFERD_PARAMETER_DOUBLE) {
    *factor = parameter.double_value;
  } else if (parameter.kind == INFERD_PARAMETER_INT64) {
    *factor = (double)parameter.int64_value;
  } else {
    return fail(error, INFERD_INVALID_ARGUMENT, "parameter 'factor' must be a number");
  }
  return INFERD_OK;
}

/* One output for the whole batch, in memory of the host's; the host splits it by rows. */
static void answer(const inferd_batch* batch, const float* values, size_t bytes) {
  const inferd_input* input = batch->inputs[0];
  const inferd_output* list[1];
  inferd_output output;
  inferd_response response;
  memset(&output, 0, sizeof(output));
  output.struct_size = sizeof(output);
  output.index = 0;
  output.datatype = INFERD_TYPE_FP32;
  output.shape = input->shape;
  output.rank = input->rank;
  output.memory.data = values;
  output.memory.size = bytes;
  list[0] = &output;

  memset(&response, 0, sizeof(response));
  response.struct_size = sizeof(response);
  response.outputs = list;
  response.output_count = 1;
  response.final = 1;
  host->respond(batch, INFERD_ALL_REQUESTS, &response);
}

static int32_t execute(inferd_instance* instance, const inferd_batch* batch, inferd_error* error) {
  const inferd_input* input = batch->inputs[0];
  double factor = instance->model->factor;
  size_t bytes = 0;
  size_t piece;
  float* values;
  float* next;

  if (find_factor(batch, &factor, error) != INFERD_OK) return INFERD_FAILED;
  for (piece = 0; piece < input->piece_count; ++piece) bytes += input->pieces[piece].size;
  values = host->allocate_output(batch, 0, bytes);
  if (values == NULL) {
    fail(error, INFERD_RESOURCE_EXHAUSTED, "no memory for the output");
    return INFERD_FAILED;
  }

  /* Requests that share a batch each bring a piece of the input. */
  next = values;
  for (piece = 0; piece < input->piece_count; ++piece) {
    const float* in = input->pieces[piece].data;
    const float* end = in + input->pieces[piece].size / sizeof(float);
    while (in < end) *next++ = (float)(*in++ * factor);
  }
  answer(batch, values, bytes);
  return INFERD_FINISHED;
}

/* ---- The engine ---- */

static const inferd_engine engine = {.struct_size = sizeof(inferd_engine),
                                     .abi_version = INFERD_ENGINE_ABI_VERSION,
                                     .name = "scale",
                                     .version = "1.0",
                                     .default_model_filename = "", /* models of this engine need no file */
                                     .load = load,
                                     .unload = unload,
                                     .signature = get_signature,
                                     .create_instance = create_instance,
                                     .destroy_instance = destroy_instance,
                                     .execute = execute};

const inferd_engine* inferd_engine_v1(const inferd_host* server, inferd_error* error) {
  (void)error;
  host = server;
  return &engine;
}
