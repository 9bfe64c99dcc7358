package client;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/**
 * The Java client of the tests: gRPC by grpc-java, REST by java.net.http.
 *
 * <pre>java client.Main [--authority FILE] [--certificate FILE] [--key FILE] [--model FILE] ADDRESS CASE...</pre>
 *
 * Runs the cases one after the other. Prints `ok CASE`, or `failed CASE: what is wrong`, one line per case. ADDRESS is the server's host:port, for cases
 * `rest_...` and `rest2_...` (HTTP/2) that of HTTP. --model is an ONNX model of INT32, OUTPUT = INPUT + 40.
 */
final class Main {
  private static final int CASE_SECONDS = 60;

  /** One case. Throws if the server does not answer as it should. */
  interface Case {
    void run(Target target) throws Exception;
  }

  /** Where the server is, and the files of the command line. */
  record Target(String address, Map<String, String> files) {}

  private static String reasonOf(Throwable error) {
    StringBuilder text = new StringBuilder(error.toString());
    for (StackTraceElement frame : error.getStackTrace()) {
      if (frame.getClassName().startsWith("client.")) text.append(" | ").append(frame);
    }
    return text.toString().replace('\n', ' ');
  }

  public static void main(String[] arguments) {
    Map<String, String> files = new LinkedHashMap<>();
    int at = 0;
    for (; arguments[at].startsWith("--"); at += 2) files.put(arguments[at].substring(2), arguments[at + 1]);
    Target target = new Target(arguments[at++], files);

    Map<String, Case> cases = new LinkedHashMap<>();
    EchoCases.addTo(cases);
    ControlCases.addTo(cases);
    InferCases.addTo(cases);
    StreamCases.addTo(cases);
    RestCases.addTo(cases);
    ExecutorService runner = Executors.newSingleThreadExecutor();
    for (; at < arguments.length; ++at) {
      String name = arguments[at];
      try {
        Case found = cases.get(name);
        if (found == null) throw new IllegalArgumentException("no such case");
        runner.submit(() -> { found.run(target); return null; }).get(CASE_SECONDS, TimeUnit.SECONDS);
        System.out.println("ok " + name);
      } catch (ExecutionException error) {
        System.out.println("failed " + name + ": " + reasonOf(error.getCause()));
      } catch (Exception error) {
        System.out.println("failed " + name + ": " + reasonOf(error));
      }
    }
    System.exit(0);
  }
}
