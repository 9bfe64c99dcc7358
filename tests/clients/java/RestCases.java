package client;

import static client.Check.equal;
import static client.Check.has;
import static client.Check.that;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import com.google.gson.JsonPrimitive;
import java.io.BufferedReader;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.InputStreamReader;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.HttpTimeoutException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;

/** Every REST call of V2 by Java's own HTTP client: JSON, and binary tensors after Inference-Header-Content-Length. */
final class RestCases {
  private interface Test {
    void run(Rest rest) throws Exception;
  }

  private static final String SIMPLE = simple("");

  /** Each case once over HTTP/1.1 and once over HTTP/2. */
  private static void add(Map<String, Main.Case> cases, String name, Test test) {
    cases.put("rest_" + name, target -> test.run(new Rest(target, HttpClient.Version.HTTP_1_1)));
    cases.put("rest2_" + name, target -> {
      Rest rest = new Rest(target, HttpClient.Version.HTTP_2);
      // Without TLS, a request without a body changes the connection to HTTP/2.
      if (!target.files().containsKey("authority")) rest.get("/v2/health/live");
      test.run(rest);
    });
  }

  static void addTo(Map<String, Main.Case> cases) {
    add(cases, "server_health", rest -> {
      for (String what : List.of("live", "ready")) equal(rest.get("/v2/health/" + what).statusCode(), 200);
      equal(Rest.json(rest.get("/v2/health/ready", "Accept", "application/json")), parse("{'live': true, 'ready': true}"));
    });
    add(cases, "server_metadata", rest -> {
      JsonObject metadata = rest.getJson("/v2");
      equal(metadata.get("name").getAsString(), "inferd");
      that(metadata.getAsJsonArray("extensions").contains(new JsonPrimitive("binary_tensor_data")), "binary_tensor_data");
      that(rest.getJson("/v2/models").getAsJsonArray("models").contains(new JsonPrimitive("simple")), "simple is listed");
    });
    add(cases, "model_ready", rest -> {
      for (String path : List.of("/v2/models/simple/ready", "/v2/models/simple/versions/1/ready")) equal(rest.get(path).statusCode(), 200);
      rest.refuses(404, "/v2/models/nobody/ready", null, "'nobody'");
      rest.refuses(404, "/v2/models/simple/versions/7/ready", null, "'simple' version 7");
    });
    add(cases, "model_metadata", rest -> {
      JsonObject metadata = rest.getJson("/v2/models/simple");
      metadata.remove("parameters");
      String tensor = "{'name': '%s', 'datatype': 'INT32', 'shape': [-1, 16]}";
      equal(metadata, parse("{'name': 'simple', 'versions': ['1'], 'platform': 'onnx_onnxv1', 'inputs': [" + tensor.formatted("INPUT0") + ","
                            + tensor.formatted("INPUT1") + "], 'outputs': [" + tensor.formatted("OUTPUT0") + "," + tensor.formatted("OUTPUT1") + "]}"));
      rest.refuses(404, "/v2/models/nobody", null, "'nobody'");
    });
    add(cases, "model_config", rest -> {
      JsonObject config = rest.getJson("/v2/models/digits/config");
      equal(config.get("max_batch_size").getAsInt(), 64);
      equal(config.getAsJsonArray("output").get(0).getAsJsonObject().get("label_filename").getAsString(), "labels.txt");
      rest.refuses(404, "/v2/models/nobody/config", null, "'nobody'");
    });
    add(cases, "model_statistics", RestCases::statistics);
    add(cases, "json_datatypes", RestCases::jsonDatatypes);
    add(cases, "binary_datatypes", rest -> {
      for (var entry : Tensors.SAMPLES.entrySet()) {
        String datatype = entry.getKey();
        Rest.Tensor output = rest.binary("identity_" + datatype, new Rest.Tensor("INPUT", datatype, "[2,3]", entry.getValue().raw())).get("OUTPUT");
        equal(List.of(output.datatype(), output.shape()), List.of(datatype, "[2,3]"));
        equal(output.raw(), entry.getValue().raw());
      }
    });
    add(cases, "bytes_elements", RestCases::bytesElements);
    add(cases, "several_inputs", rest -> {
      for (int i = 0; i < 100; ++i) expectSimple(rest.postJson(infer("simple"), simple(", 'id': '" + i + "'")), String.valueOf(i));
      var outputs = rest.binary("simple", new Rest.Tensor("INPUT1", "INT32", "[1,16]", Tensors.raw(Tensors.ONES)),
                                new Rest.Tensor("INPUT0", "INT32", "[1,16]", Tensors.raw(Tensors.COUNTING)));
      equal(outputs.get("OUTPUT0").raw(), Tensors.raw(Tensors.SUMS));
      equal(outputs.get("OUTPUT1").raw(), Tensors.raw(Tensors.DIFFERENCES));
    });
    add(cases, "outputs_chosen", RestCases::outputsChosen);
    add(cases, "id_and_version", rest -> {
      JsonElement answer = rest.postJson("/v2/models/simple/versions/1/infer", simple(", 'id': '\u00fc 42'"));
      expectSimple(answer, "\u00fc 42");
      equal(answer.getAsJsonObject().get("model_version").getAsString(), "1");
      rest.refuses(404, "/v2/models/simple/versions/7/infer", SIMPLE, "'simple' version 7");
    });
    add(cases, "parameters", rest -> {
      String parameters = ", 'parameters': {'bool': true, 'integer': -5, 'string': 'text', 'double': 0.5, 'priority': 1, 'timeout': 60000000}";
      expectSimple(rest.postJson(infer("simple"), simple(parameters)), null);
      rest.refuses(400, infer("simple"), simple(", 'parameters': {'triton_x': 1}"), "triton_x");
    });
    add(cases, "classification", RestCases::classification);
    add(cases, "bare_bytes", rest -> {
      HttpResponse<byte[]> answer = rest.post(infer("digits"), BodyPublishers.ofByteArray(new byte[256]), "Inference-Header-Content-Length", "0");
      equal(answer.statusCode(), 200);
      int length = Integer.parseInt(answer.headers().firstValue("inference-header-content-length").orElseThrow());
      equal(answer.body().length - length, 40);
    });
    add(cases, "infer_errors", RestCases::inferErrors);
    add(cases, "generate", rest -> {
      equal(rest.postJson("/v2/models/repeat/generate", "{\"IN\": 7, \"id\": \"a\"}"),
            parse("{'id': 'a', 'model_name': 'repeat', 'model_version': '1', 'OUT': 7, 'IDX': 0}"));
      String inputs = "{\"INPUT0\": %s, \"INPUT1\": %s}".formatted(Tensors.COUNTING, Tensors.ONES);
      equal(rest.postJson("/v2/models/simple/generate", inputs).getAsJsonObject().get("OUTPUT0"), parse(Tensors.SUMS.toString()));
    });
    add(cases, "generate_stream", rest -> {
      HttpRequest request = rest.to("/v2/models/repeat/generate_stream").POST(BodyPublishers.ofString("{\"IN\": [7, 8, 9], \"DELAY\": [0, 20, 20]}"))
          .build();
      HttpResponse<Stream<String>> answer = rest.client.send(request, BodyHandlers.ofLines());
      has(answer.headers().firstValue("content-type").orElse(""), "text/event-stream");
      List<Integer> values = answer.body().filter(line -> !line.isEmpty())
          .map(line -> JsonParser.parseString(line.replaceFirst("^data: ", "")).getAsJsonObject().get("OUT").getAsInt()).toList();
      equal(values, List.of(7, 8, 9));
    });
    add(cases, "infer_stream", rest -> {
      String body = quoted("{'inputs': [{'name': 'IN', 'datatype': 'INT32', 'shape': [2], 'data': [7, 8]}]}");
      for (String type : List.of("application/x-ndjson", "text/event-stream")) {
        String text = Rest.text(rest.post(infer("repeat"), BodyPublishers.ofString(body), "Accept", type));
        equal(text.lines().filter(line -> !line.isEmpty())
                  .map(line -> JsonParser.parseString(line.replaceFirst("^data: ", "")).getAsJsonObject()).map(line -> output(line, 0).get("data").toString())
                  .toList(), List.of("[7]", "[8]"));
      }
    });
    add(cases, "repository_index", rest -> {
      JsonArray index = rest.postJson("/v2/repository/index", "{\"ready\": true}").getAsJsonArray();
      that(index.contains(parse("{'name': 'simple', 'version': '1', 'state': 'READY'}")), "simple in " + index);
      JsonArray examples = rest.postJson("/v2/repository/examples/index", "").getAsJsonArray();
      equal(each(examples).map(entry -> entry.getAsJsonObject().get("name").getAsString()).sorted().toList(), List.of("digits", "simple"));
    });
    add(cases, "load_and_unload", rest -> {
      String request = quoted("{'inputs': [{'name': 'INPUT', 'datatype': 'UINT32', 'shape': [1, 1], 'data': [7]}]}");
      that(rest.postJson("/v2/repository/models/identity_UINT32/unload", "").isJsonNull(), "no body");
      equal(rest.get("/v2/models/identity_UINT32/ready").statusCode(), 400);
      rest.awaitUnloaded("identity_UINT32");
      rest.refuses(503, infer("identity_UINT32"), request, "identity_UINT32");
      that(rest.postJson("/v2/repository/models/identity_UINT32/load", "").isJsonNull(), "no body");
      equal(output(rest.postJson(infer("identity_UINT32"), request), 0).get("data"), parse("[7]"));
    });
    add(cases, "load_errors", rest -> {
      rest.refuses(404, "/v2/repository/models/nobody/load", "", "'nobody'", "not found");
      rest.refuses(400, "/v2/repository/models/identity_INT64/load", "{\"parameters\": {\"config\": \"not json\"}}", "'config'", "JSON");
      equal(rest.get("/v2/models/identity_INT64/ready").statusCode(), 200);
    });
    add(cases, "log_settings", rest -> {
      JsonObject before = rest.getJson("/v2/logging");
      equal(rest.postJson("/v2/logging", "{\"log_verbose_level\": 1}").getAsJsonObject().get("log_verbose_level").getAsInt(), 1);
      equal(rest.postJson("/v2/logging", "{\"log_verbose_level\": 0}"), before);
      rest.refuses(400, "/v2/logging", "{\"log_nonsense\": 1}", "'log_nonsense'");
    });
    add(cases, "trace_settings", rest -> {
      JsonObject before = rest.getJson("/v2/trace/setting");
      equal(rest.postJson("/v2/models/simple/trace/setting", "{\"trace_rate\": \"7\"}").getAsJsonObject().get("trace_rate").getAsString(), "7");
      equal(rest.getJson("/v2/trace/setting"), before);
      equal(rest.postJson("/v2/models/simple/trace/setting", "{\"trace_rate\": null}"), before);
      rest.refuses(400, "/v2/trace/setting", "{\"trace_nonsense\": \"1\"}", "'trace_nonsense'");
    });
    add(cases, "system_shared_memory", RestCases::systemSharedMemory);
    add(cases, "cuda_shared_memory", rest -> {
      equal(Rest.json(rest.get("/v2/cudasharedmemory/status")), new JsonArray());
      String handle = Base64.getEncoder().encodeToString(new byte[64]);
      rest.refuses(501, "/v2/cudasharedmemory/region/gpu/register",
                   quoted("{'raw_handle': {'b64': '" + handle + "'}, 'device_id': 0, 'byte_size': 4}"), "'gpu'");
      that(rest.postJson("/v2/cudasharedmemory/unregister", "").isJsonNull(), "no body");
    });
    add(cases, "cancel", RestCases::cancel);
    add(cases, "large", rest -> {
      byte[] raw = new byte[16 << 20];
      for (int i = 0; i < raw.length; ++i) raw[i] = (byte) (i * 31 >> 3);
      equal(rest.binary("identity_UINT8", new Rest.Tensor("INPUT", "UINT8", "[4,4194304]", raw)).get("OUTPUT").raw(), raw);
      String data = IntStream.range(0, 500_000).boxed().toList().toString();
      String body = quoted("{'inputs': [{'name': 'INPUT', 'datatype': 'INT32', 'shape': [1, 500000], 'data': ") + data + "}]}";
      equal(output(rest.postJson(infer("identity_INT32"), body), 0).get("data").toString(), data.replace(" ", ""));
    });
    add(cases, "gzip", RestCases::gzip);
    add(cases, "body_without_length", rest -> expectSimple(Rest.json(rest.post(
        infer("simple"), BodyPublishers.ofInputStream(() -> new ByteArrayInputStream(SIMPLE.getBytes(StandardCharsets.UTF_8))))), null));
    add(cases, "expect_continue", rest ->
        expectSimple(Rest.json(rest.send(rest.to(infer("simple")).expectContinue(true).POST(BodyPublishers.ofString(SIMPLE)))), null));
    add(cases, "headers", rest -> {
      equal(rest.get("/v2", "X-Request-Id", "java-1").headers().firstValue("x-request-id").orElse(""), "java-1");
      HttpResponse<byte[]> head = rest.send(rest.to("/v2").method("HEAD", BodyPublishers.noBody()));
      equal(List.of(head.statusCode(), head.body().length), List.of(200, 0));
    });
    add(cases, "many_at_once", RestCases::manyAtOnce);
    add(cases, "scheduler_and_metrics", rest -> {
      equal(rest.getJson("/v2/models/simple/scheduler").get("model_name").getAsString(), "simple");
      has(Rest.text(rest.get("/metrics")), "inferd_http_requests_total{code=\"200\"}");
    });
    cases.put("rest2_upgrade", target -> {
      Rest rest = new Rest(target, HttpClient.Version.HTTP_2);
      HttpRequest.Builder infer = rest.to(infer("simple")).POST(BodyPublishers.ofString(SIMPLE));
      HttpResponse<byte[]> first = rest.client.send(infer.build(), BodyHandlers.ofByteArray());
      equal(first.version(), HttpClient.Version.HTTP_1_1);  // the server does not change to HTTP/2 for a request with a body
      expectSimple(Rest.json(first), null);
      rest.get("/v2/health/live");  // checks that the answer comes over HTTP/2
      expectSimple(Rest.json(rest.send(infer)), null);
    });
    cases.put("rest_load_with_a_file", RestCases::loadWithAFile);
  }

  private static String infer(String model) { return "/v2/models/" + model + "/infer"; }

  private static String quoted(String json) { return json.replace('\'', '"'); }

  private static JsonElement parse(String json) { return JsonParser.parseString(quoted(json)); }

  private static String simple(String members) {
    String tensor = "{'name': 'INPUT%d', 'datatype': 'INT32', 'shape': [1, 16], 'data': %s}";
    return quoted("{'inputs': [" + tensor.formatted(0, Tensors.COUNTING) + ", " + tensor.formatted(1, Tensors.ONES) + "]" + members + "}");
  }

  private static String identity(String datatype, String shape, String data) {
    return quoted("{'inputs': [{'name': 'INPUT', 'datatype': '%s', 'shape': %s, 'data': ".formatted(datatype, shape)) + data + "}]}";
  }

  private static JsonObject output(JsonElement answer, int index) {
    return answer.getAsJsonObject().getAsJsonArray("outputs").get(index).getAsJsonObject();
  }

  private static Stream<JsonElement> each(JsonArray array) { return StreamSupport.stream(array.spliterator(), false); }

  private static void expectSimple(JsonElement answer, String id) {
    if (id != null) equal(answer.getAsJsonObject().get("id").getAsString(), id);
    String output = "{'name': 'OUTPUT%d', 'datatype': 'INT32', 'shape': [1, 16], 'data': %s}";
    equal(answer.getAsJsonObject().get("outputs"), parse("[" + output.formatted(0, Tensors.SUMS) + "," + output.formatted(1, Tensors.DIFFERENCES) + "]"));
  }

  private static List<Long> counts(Rest rest, String path) throws Exception {
    JsonObject stats = rest.getJson(path).getAsJsonArray("model_stats").get(0).getAsJsonObject();
    JsonObject inference = stats.getAsJsonObject("inference_stats");
    return List.of(stats.get("inference_count").getAsLong(), inference.getAsJsonObject("success").get("count").getAsLong(),
                   inference.getAsJsonObject("fail").get("count").getAsLong());
  }

  private static void statistics(Rest rest) throws Exception {
    List<Long> before = counts(rest, "/v2/models/identity_INT16/stats");
    rest.postJson(infer("identity_INT16"), identity("INT16", "[2, 1]", "[1, 2]"));
    rest.refuses(400, infer("identity_INT16"), identity("INT16", "[2, 1]", "[1, 2]").replace("INPUT", "OTHER"), "'OTHER'");
    equal(counts(rest, "/v2/models/identity_INT16/versions/1/stats"), List.of(before.get(0) + 2, before.get(1) + 1, before.get(2) + 1));
    has(Rest.text(rest.get("/v2/models/stats")), "\"digits\"");
  }

  private static void jsonDatatypes(Rest rest) throws Exception {
    for (var entry : Tensors.SAMPLES.entrySet()) {
      String datatype = entry.getKey(), data = entry.getValue().json();
      if (datatype.equals("BYTES")) {
        JsonArray texts = new JsonArray();
        Tensors.TEXTS.forEach(texts::add);
        equal(output(rest.postJson(infer("identity_BYTES"), identity("BYTES", "[2, 3]", texts.toString())), 0).get("data"), texts);
        continue;
      }
      JsonObject output = output(rest.postJson(infer("identity_" + datatype), identity(datatype, "[2, 3]", "[" + data + "]")), 0);
      equal(output.get("datatype").getAsString(), datatype);
      if (!datatype.contains("F")) {
        equal(output.get("data").toString(), "[" + data + "]");
        continue;
      }
      List<Double> expected = Arrays.stream(data.split(",")).map(Double::valueOf).toList();
      List<Double> actual = each(output.getAsJsonArray("data")).map(JsonElement::getAsDouble).toList();
      if (datatype.equals("FP64")) {
        equal(actual, expected);
      } else {  // with as few digits as a FP32 needs
        equal(actual.stream().map(Double::floatValue).toList(), expected.stream().map(Double::floatValue).toList());
      }
    }
  }

  private static void bytesElements(Rest rest) throws Exception {
    List<byte[]> elements = List.of(new byte[0], new byte[] {0, -1, -2}, "z".repeat(1_000_000).getBytes(StandardCharsets.UTF_8));
    byte[] raw = rest.binary("identity_BYTES", new Rest.Tensor("INPUT", "BYTES", "[1,3]", Tensors.packBytes(elements))).get("OUTPUT").raw();
    equal(raw, Tensors.packBytes(elements));
    String body = quoted("{'inputs': [{'name': 'INPUT', 'datatype': 'BYTES', 'shape': [1, 1], 'parameters': {'content_type': 'base64'}, 'data': ['AP/+']}]}");
    String asked = quoted("'outputs': [{'name': 'OUTPUT', 'parameters': {'content_type': 'base64'}}], ");
    equal(output(rest.postJson(infer("identity_BYTES"), "{" + asked + body.substring(1)), 0).get("data"), parse("['AP/+']"));
    rest.refuses(400, infer("identity_BYTES"), body, "'OUTPUT'", "UTF-8", "base64");
  }

  private static void outputsChosen(Rest rest) throws Exception {
    JsonElement answer = rest.postJson(infer("simple"), simple(", 'outputs': [{'name': 'OUTPUT1'}]"));
    equal(answer.getAsJsonObject().getAsJsonArray("outputs").size(), 1);
    equal(output(answer, 0).get("data"), parse(Tensors.DIFFERENCES.toString()));
    String mixed = simple(", 'outputs': [{'name': 'OUTPUT1', 'parameters': {'binary_data': true}}, {'name': 'OUTPUT0'}]");
    HttpResponse<byte[]> both = rest.post(infer("simple"), BodyPublishers.ofString(mixed));
    int length = Integer.parseInt(both.headers().firstValue("inference-header-content-length").orElseThrow());
    equal(output(JsonParser.parseString(new String(both.body(), 0, length, StandardCharsets.UTF_8)), 1).get("data"), parse(Tensors.SUMS.toString()));
    equal(Arrays.copyOfRange(both.body(), length, both.body().length), Tensors.raw(Tensors.DIFFERENCES));
    rest.refuses(400, infer("simple"), simple(", 'outputs': [{'name': 'OUTPUT9'}]"), "'OUTPUT9'", "OUTPUT0");
  }

  private static void classification(Rest rest) throws Exception {
    String zeros = Stream.generate(() -> "0").limit(64).collect(Collectors.joining(",", "[", "]"));
    String body = quoted("{'inputs': [{'name': 'image', 'datatype': 'FP32', 'shape': [1, 64], 'data': ") + zeros + "}]";
    List<Double> scores = each(output(rest.postJson(infer("digits"), body + "}"), 0).getAsJsonArray("data")).map(JsonElement::getAsDouble).toList();
    int best = IntStream.range(0, 10).reduce((a, b) -> scores.get(a) >= scores.get(b) ? a : b).getAsInt();
    JsonObject output = output(rest.postJson(infer("digits"),
                                             body + quoted(", 'outputs': [{'name': 'scores', 'parameters': {'classification': 2}}]}")), 0);
    equal(output.get("shape"), parse("[1, 2]"));
    String[] parts = output.getAsJsonArray("data").get(0).getAsString().split(":");
    List<String> labels = List.of("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine");
    equal(List.of(Double.valueOf(parts[0]), Integer.valueOf(parts[1]), parts[2]), List.of(scores.get(best), best, labels.get(best)));
  }

  private static void inferErrors(Rest rest) throws Exception {
    String path = infer("identity_INT32");
    rest.refuses(404, infer("nobody"), SIMPLE, "'nobody'");
    rest.refuses(400, infer("simple"), SIMPLE.replace("INPUT1", "OTHER"), "'simple'", "OTHER");
    rest.refuses(400, path, identity("INT32", "[2, 3]", "[1]"), "'INPUT'", "6", "1");
    rest.refuses(400, path, identity("FP32", "[1, 1]", "[1]"), "'FP32'", "'INT32'");
    rest.refuses(400, path, identity("INT23", "[1, 1]", "[1]"), "'INT23'");
    rest.refuses(400, path, identity("INT32", "[1, 1]", "[2147483648]"), "'INPUT'", "2147483648");
    rest.refuses(400, path, identity("INT32", "[1, 1]", "[\"a\"]"), "'INPUT'", "a string");
    rest.refuses(400, path, identity("INT32", "[-1, 1]", "[1]"), "'INPUT'");
    rest.refuses(400, path, "no json", "JSON", "byte 0");
    Rest.fails(400, rest.post(path, BodyPublishers.ofString("x"), "Inference-Header-Content-Length", "5"), "header", "5");
    rest.refuses(501, infer("repeat"), quoted("{'inputs': [{'name': 'IN', 'datatype': 'INT32', 'shape': [2], 'data': [1, 2]}]}"), "text/event-stream");
    rest.refuses(404, "/nowhere", null, "'/nowhere'", "/v2/models");
    HttpResponse<byte[]> refused = rest.send(rest.to("/v2").DELETE());
    equal(List.of(refused.statusCode(), refused.headers().firstValue("allow").orElse("")), List.of(405, "GET, HEAD"));
    expectSimple(rest.postJson(infer("simple"), SIMPLE), null);
  }

  private static void loadWithAFile(Main.Target target) throws Exception {
    Rest rest = new Rest(target, HttpClient.Version.HTTP_1_1);
    String file = Base64.getEncoder().encodeToString(Files.readAllBytes(Path.of(target.files().get("model"))));
    rest.postJson("/v2/repository/models/adder/load",
                  "{\"parameters\": {\"config\": \"{\\\"backend\\\": \\\"onnxruntime\\\"}\", \"file:3/model.onnx\": \"" + file + "\"}}");
    JsonElement answer = rest.postJson(infer("adder"), identity("INT32", "[2]", "[2, -50]"));
    equal(answer.getAsJsonObject().get("model_version").getAsString(), "3");
    equal(output(answer, 0).get("data"), parse("[42, -10]"));
    rest.postJson("/v2/repository/models/adder/unload", "");
    rest.awaitUnloaded("adder");
  }

  private static void systemSharedMemory(Rest rest) throws Exception {
    String key = "/inferd-test-java-rest-" + ProcessHandle.current().pid(), region = "/v2/systemsharedmemory/region/java_rest";
    Path path = Path.of("/dev/shm" + key);
    byte[] bytes = Arrays.copyOf(Tensors.raw(Tensors.COUNTING), 256);
    Files.write(path, bytes);
    try {
      rest.postJson(region + "/register", quoted("{'key': '" + key + "', 'offset': 0, 'byte_size': 256}"));
      equal(Rest.json(rest.get(region + "/status")), parse("[{'name': 'java_rest', 'key': '" + key + "', 'offset': 0, 'byte_size': 256}]"));
      String place = "'parameters': {'shared_memory_region': 'java_rest', 'shared_memory_offset': %d, 'shared_memory_byte_size': 64}}";
      String input = "{'name': 'INPUT%d', 'datatype': 'INT32', 'shape': [1, 16], " + place.formatted(0);
      String body = "{'inputs': [" + input.formatted(0) + ", " + input.formatted(1) + "], 'outputs': [{'name': 'OUTPUT0', " + place.formatted(64) + "]}";
      equal(output(rest.postJson(infer("simple"), quoted(body)), 0), parse("{'name': 'OUTPUT0', 'datatype': 'INT32', 'shape': [1, 16]}"));
      equal(Arrays.copyOfRange(Files.readAllBytes(path), 64, 128), Tensors.raw(Tensors.COUNTING.stream().map(value -> 2 * value).toList()));
      rest.postJson(region + "/unregister", "");
      rest.refuses(404, region + "/status", null, "'java_rest'");
      rest.refuses(400, region + "/register", quoted("{'key': '/inferd-test-none', 'byte_size': 4}"), "/inferd-test-none");
    } finally {
      Files.delete(path);
    }
  }

  private static void cancel(Rest rest) throws Exception {
    String body = quoted("{'inputs': [{'name': 'INPUT', 'datatype': 'INT32', 'shape': [1], 'data': [1]}]}");
    try {
      rest.send(rest.to(infer("endless")).timeout(Duration.ofMillis(100)).POST(BodyPublishers.ofString(body)));
      throw new AssertionError("expected a timeout");
    } catch (HttpTimeoutException late) {
      expectSimple(rest.postJson(infer("simple"), SIMPLE), null);
    }
    HttpRequest request = rest.to("/v2/models/repeat/generate_stream").POST(BodyPublishers.ofString("{\"IN\": [1, 2], \"DELAY\": [0, 60000]}")).build();
    try (var events = new BufferedReader(new InputStreamReader(rest.client.send(request, BodyHandlers.ofInputStream()).body()))) {
      has(events.readLine(), "\"OUT\":1");
    }
    expectSimple(rest.postJson(infer("simple"), SIMPLE), null);
  }

  private static void gzip(Rest rest) throws Exception {
    String data = IntStream.range(0, 5000).map(i -> i * 7919 % 65521).boxed().toList().toString();
    ByteArrayOutputStream packed = new ByteArrayOutputStream();
    try (GZIPOutputStream out = new GZIPOutputStream(packed)) {
      out.write(identity("INT32", "[1, 5000]", data).getBytes(StandardCharsets.UTF_8));
    }
    HttpResponse<byte[]> answer = rest.post(infer("identity_INT32"), BodyPublishers.ofByteArray(packed.toByteArray()),
                                            "Content-Encoding", "gzip", "Accept-Encoding", "gzip");
    equal(answer.headers().firstValue("content-encoding").orElse(""), "gzip");
    String text = new String(new GZIPInputStream(new ByteArrayInputStream(answer.body())).readAllBytes(), StandardCharsets.UTF_8);
    equal(output(JsonParser.parseString(text), 0).get("data").toString(), data.replace(" ", ""));
    Rest.fails(400, rest.post(infer("simple"), BodyPublishers.ofString("not gzip"), "Content-Encoding", "gzip"), "gzip");
    Rest.fails(415, rest.post(infer("simple"), BodyPublishers.ofString("{}"), "Content-Encoding", "br"), "br");
  }

  private static void manyAtOnce(Rest rest) throws Exception {
    List<CompletableFuture<HttpResponse<byte[]>>> answers = new ArrayList<>();
    for (int i = 0; i < 200; ++i) {  // below --http2-streams-max: this client does not wait for a stream
      HttpRequest request = rest.to(infer("simple")).POST(BodyPublishers.ofString(simple(", 'id': '" + i + "'"))).build();
      answers.add(rest.client.sendAsync(request, BodyHandlers.ofByteArray()));
    }
    for (int i = 0; i < 200; ++i) expectSimple(Rest.json(answers.get(i).get()), String.valueOf(i));
  }
}
