package client;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonNull;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/** Calls over HTTP. For HTTP/2, the client's first request asks for the upgrade to h2c, which the server grants to requests without a body. */
final class Rest {
  /** A tensor in binary: its JSON without parameters, and its bytes. */
  record Tensor(String name, String datatype, String shape, byte[] raw) {}

  final HttpClient client;
  private final HttpClient.Version version;
  private final String url;

  /** HTTPS if the target has an authority. HTTP/2 is then negotiated with TLS. */
  Rest(Main.Target target, HttpClient.Version version) throws Exception {
    this.version = version;
    String authority = target.files().get("authority");
    url = (authority == null ? "http://" : "https://") + target.address();
    HttpClient.Builder builder = HttpClient.newBuilder().version(version);
    client = (authority == null ? builder : builder.sslContext(trusting(authority))).build();
  }

  private static SSLContext trusting(String authority) throws Exception {
    KeyStore trusted = KeyStore.getInstance(KeyStore.getDefaultType());
    trusted.load(null, null);
    try (InputStream file = Files.newInputStream(Path.of(authority))) {
      trusted.setCertificateEntry("authority", CertificateFactory.getInstance("X.509").generateCertificate(file));
    }
    TrustManagerFactory managers = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    managers.init(trusted);
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(null, managers.getTrustManagers(), null);
    return context;
  }

  HttpRequest.Builder to(String path, String... headers) {
    HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(url + path));
    return headers.length == 0 ? request : request.headers(headers);
  }

  HttpResponse<byte[]> send(HttpRequest.Builder request) throws Exception {
    HttpResponse<byte[]> answer = client.send(request.build(), BodyHandlers.ofByteArray());
    Check.equal(answer.version(), version);
    return answer;
  }

  HttpResponse<byte[]> get(String path, String... headers) throws Exception { return send(to(path, headers)); }

  HttpResponse<byte[]> post(String path, BodyPublisher body, String... headers) throws Exception { return send(to(path, headers).POST(body)); }

  static String text(HttpResponse<byte[]> answer) {
    String text = new String(answer.body(), StandardCharsets.UTF_8);
    if (answer.statusCode() != 200) throw new AssertionError(answer.statusCode() + ": " + text);
    return text;
  }

  /** Parses an answer of status 200. JsonNull if it has no body. */
  static JsonElement json(HttpResponse<byte[]> answer) {
    String text = text(answer);
    return text.isEmpty() ? JsonNull.INSTANCE : JsonParser.parseString(text);
  }

  JsonObject getJson(String path) throws Exception { return json(get(path)).getAsJsonObject(); }

  JsonElement postJson(String path, String body) throws Exception { return json(post(path, BodyPublishers.ofString(body))); }

  /** Expects {"error": text} with that status, where the text has all of these words. */
  static void fails(int status, HttpResponse<byte[]> answer, String... words) {
    String text = new String(answer.body(), StandardCharsets.UTF_8);
    if (answer.statusCode() != status) throw new AssertionError("expected " + status + ", got " + answer.statusCode() + ": " + text);
    Check.has(answer.headers().firstValue("content-type").orElse(""), "application/json");
    JsonObject error = JsonParser.parseString(text).getAsJsonObject();
    Check.equal(error.keySet(), Set.of("error"));
    Check.has(error.get("error").getAsString(), words);
  }

  void refuses(int status, String path, String body, String... words) throws Exception {
    fails(status, body == null ? get(path) : post(path, BodyPublishers.ofString(body)), words);
  }

  /** Sends binary tensors, and returns the answer's outputs by name, which are binary too. */
  Map<String, Tensor> binary(String model, Tensor... inputs) throws Exception {
    ByteArrayOutputStream raw = new ByteArrayOutputStream();
    StringBuilder head = new StringBuilder("{\"parameters\": {\"binary_data_output\": true}, \"inputs\": [");
    for (Tensor input : inputs) {
      head.append(raw.size() == 0 && head.charAt(head.length() - 1) == '[' ? "" : ", ")
          .append("{\"name\": \"%s\", \"datatype\": \"%s\", \"shape\": %s, \"parameters\": {\"binary_data_size\": %d}}".formatted(
              input.name(), input.datatype(), input.shape(), input.raw().length));
      raw.writeBytes(input.raw());
    }
    byte[] json = head.append("]}").toString().getBytes(StandardCharsets.UTF_8);
    HttpResponse<byte[]> answer = post("/v2/models/" + model + "/infer", BodyPublishers.ofByteArrays(List.of(json, raw.toByteArray())),
                                       "Inference-Header-Content-Length", String.valueOf(json.length));
    if (answer.statusCode() != 200) text(answer);
    int at = Integer.parseInt(answer.headers().firstValue("inference-header-content-length").orElseThrow());
    JsonArray outputs = JsonParser.parseString(new String(answer.body(), 0, at, StandardCharsets.UTF_8)).getAsJsonObject().getAsJsonArray("outputs");
    Map<String, Tensor> found = new LinkedHashMap<>();
    for (JsonElement element : outputs) {
      JsonObject output = element.getAsJsonObject();
      int size = output.getAsJsonObject("parameters").get("binary_data_size").getAsInt();
      String name = output.get("name").getAsString();
      found.put(name, new Tensor(name, output.get("datatype").getAsString(), output.get("shape").toString(),
                                 Arrays.copyOfRange(answer.body(), at, at + size)));
      at += size;
    }
    Check.equal(at, answer.body().length);
    return found;
  }

  /** Waits until the model has been unloaded. */
  void awaitUnloaded(String model) throws Exception {
    String entry = "\"name\":\"" + model + "\"";
    while (true) {
      for (JsonElement each : postJson("/v2/repository/index", "").getAsJsonArray()) {
        if (each.toString().contains(entry) && each.toString().contains("UNAVAILABLE")) return;
      }
    }
  }
}
